"""Ctrl-C while something is found that must not be lost, and the end of a process that is asked to end."""

import _thread
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Self

_PATIENCE = 1.0
"""So many seconds somebody who has pressed Ctrl-C waits for what makes his answer better, besides having one."""


class Terminated(BaseException):
    """The process is to end: raised by the command line at SIGTERM, and caught by nobody but the command line."""


@contextmanager
def undisturbed() -> Iterator[None]:
    """Inside, Ctrl-C is held back, and comes when all is done: for what is not to be done by halves, as an import."""
    gate = Gate()
    try:
        with gate:
            yield
    finally:
        if gate.held:
            signal.raise_signal(signal.SIGINT)


class Gate:
    """Ctrl-C raises a `KeyboardInterrupt` while the gate is open, and is held back and remembered while it is shut.

    It begins shut, and counts between `__enter__` and `__exit__`, in the main thread alone, where Python hears of
    signals. Who has a handler of his own for Ctrl-C keeps it. A gate within another takes its place until it ends, and
    what the outer one holds back.

    Attributes:
        asked: whether Ctrl-C came at any time.
        held: whether it came while the gate was shut, and nobody has heeded it.
    """

    def __init__(self) -> None:
        self.asked = False
        self._open = False
        self.held = False
        self._rung = False
        self._before: object = None

    def __enter__(self) -> Self:
        before = signal.getsignal(signal.SIGINT)
        outer = getattr(before, "__self__", None)
        ours = before is signal.default_int_handler or isinstance(outer, Gate)
        if ours and threading.current_thread() is threading.main_thread():
            with suppress(ValueError):  # an interpreter within another has no signals
                signal.signal(signal.SIGINT, self._pressed)
                self._before = before
            if isinstance(outer, Gate):
                self.held = outer.held
        return self

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)  # type: ignore[arg-type]

    def _pressed(self, _: int, frame: FrameType | None) -> None:  # noqa: ARG002
        rung, self._rung = self._rung, False
        self.asked = self.asked or not rung
        if self._open:
            self._open = False  # whoever catches it is not interrupted while he does
            raise KeyboardInterrupt
        self.held = self.held or not rung

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Inside, Ctrl-C raises: for what may be given up, by a caller who catches it."""
        before = self._open
        try:
            self._open = True
            yield
        finally:
            self._open = before

    @contextmanager
    def finishing(self) -> Iterator[None]:
        """`opened`, for what makes an answer better that is there already: who has pressed Ctrl-C before waits for it a
        second, and then it raises by itself.
        """
        timer = self._timer() if self.asked and self._before is not None else None
        try:
            with self.opened():
                if timer is not None:
                    timer.start()  # it may ring before the next line, and a gate that is still shut would not heed it
                yield
        finally:
            if timer is not None:
                timer.cancel()
                if timer.is_alive():
                    timer.join()  # if it rings just now, the gate hears it, and nobody after it

    def _timer(self) -> threading.Timer:
        """What presses Ctrl-C a second after its start."""
        timer = threading.Timer(_PATIENCE, self._ring)
        timer.daemon = True
        return timer

    def _ring(self) -> None:
        """Ctrl-C as the timer presses it."""
        self._rung = True
        _thread.interrupt_main()

    @contextmanager
    def shut(self) -> Iterator[None]:
        """Inside, Ctrl-C is held back: for what is to be finished."""
        before = self._open
        try:
            self._open = False
            yield
        finally:
            self._open = before

    @contextmanager
    def heeded(self) -> Iterator[None]:
        """`opened`, for what comes before there is an answer: what was held back raises at once."""
        with self.opened():
            self.heed()
            yield

    def heed(self) -> None:
        """Raise what was held back, where there is nothing yet to be lost.

        Raises:
            KeyboardInterrupt: Ctrl-C came while the gate was shut.
        """
        if self.held:
            self.held = False
            raise KeyboardInterrupt
