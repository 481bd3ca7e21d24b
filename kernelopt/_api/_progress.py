"""A live line for any run, in a terminal or a notebook; what draws it is imported only when one is asked for."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, Self, TypeAlias

import attrs

from kernelopt._base._errors import InvalidOption
from kernelopt._saddle._trace import Record
from kernelopt._saddle._watch import Observer

_EVERY = 0.1
"""Seconds between two drawings in a notebook."""


Told: TypeAlias = Callable[[str, float], None]
"""Gets what is done, in words, and the share of all stages that is over."""


def untold(words: str, share: float) -> None:
    """Nobody is told of a stage."""


@attrs.frozen(eq=False)
class Audience:
    """Who watches a call.

    Attributes:
        observers: get every record of the run.
        told: gets each stage before the run: what is done, in words, and the share of the stages that is over.
    """

    observers: tuple[Observer, ...] = ()
    told: Told = untold


@contextmanager
def watched(progress: bool, callback: Observer | None, tol: float) -> Iterator[Audience]:
    """Who watches a call: the live line, where it is asked for, and the user's own function.

    Raises:
        InvalidOption: the latter is no function.
    """
    if callback is not None and not callable(callback):
        raise InvalidOption(f"callback must be None or a function that takes a Record, got {callback!r}")
    own = () if callback is None else (callback,)
    if not progress:
        yield Audience(own)
        return
    with Bar(tol) as bar:
        yield Audience((bar, *own), bar.stage)


class Bar:
    """A live line: step, bounds, gap, atoms, support vectors, the time so far and about what is left of it."""

    def __init__(self, tol: float) -> None:
        from rich.console import Console

        console = Console(stderr=True)
        self._tol = tol
        self._course: list[tuple[float, float]] = []
        self._line: _Line = _Notebook() if console.is_jupyter else _Terminal(console)

    def __enter__(self) -> Self:
        self._line.begin()
        return self

    def __exit__(self, *error: object) -> None:
        self._line.end()

    def stage(self, words: str, share: float) -> None:
        """Something that comes before the first step."""
        self._line.draw("preparing", share, words)

    def __call__(self, record: Record) -> None:
        self._course.append((record.seconds, record.relative_gap))
        left = time_left(self._course, self._tol)
        words = in_words(record) + ("" if left is None else f" about {rounded(left)} left")
        self._line.draw(f"step {record.step}", _share(self._course, self._tol), words)


class _Line(Protocol):
    """Where the line is drawn."""

    def begin(self) -> None: ...

    def end(self) -> None: ...

    def draw(self, head: str, share: float, words: str) -> None: ...


class _Terminal:
    """One line on stderr, drawn again in place; where stderr is no terminal, the last one."""

    def __init__(self, console: object) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        assert isinstance(console, Console)
        columns = (TextColumn("{task.description}"), BarColumn(bar_width=8), TextColumn("{task.fields[words]}"))
        self._progress = Progress(*columns, TimeElapsedColumn(), console=console)
        self._task = self._progress.add_task("preparing", total=1.0, words="")

    def begin(self) -> None:
        self._progress.start()

    def end(self) -> None:
        self._progress.stop()

    def draw(self, head: str, share: float, words: str) -> None:
        self._progress.update(self._task, description=head, completed=share, words=words)


class _Notebook:
    """One output of the cell, renewed in place by IPython itself: no widgets are needed."""

    def __init__(self) -> None:
        from IPython.display import display

        self._began, self._drawn = time.monotonic(), -math.inf
        self._text = "preparing"
        self._handle = display({"text/plain": self._text}, raw=True, display_id=True)  # type: ignore[no-untyped-call, unused-ignore]

    def begin(self) -> None:
        """The output is there already."""

    def end(self) -> None:
        self._show()

    def draw(self, head: str, share: float, words: str) -> None:
        seconds = time.monotonic() - self._began
        self._text = f"{head} {share:.0%} {words} {rounded(seconds)}"
        if time.monotonic() - self._drawn > _EVERY:
            self._show()

    def _show(self) -> None:
        self._drawn = time.monotonic()
        if self._handle is not None:
            self._handle.update({"text/plain": self._text}, raw=True)


def in_words(record: Record) -> str:
    """The numbers of a step."""
    bounds = f"{record.lower:.5g} .. {record.upper:.5g}"
    return f"{bounds} gap {record.relative_gap:.0e} {record.atoms} atoms {record.support} SV"


def time_left(course: list[tuple[float, float]], tol: float) -> float | None:
    """About how many seconds until the gap is tol, if it goes on as it did in the second half of the time.

        (log gap - log tol) (t - t_half) / (log gap_half - log gap)

    Args:
        course: seconds and relative gap of every step so far.
        tol: the gap to reach.

    Returns:
        None where there is nothing to go by: too few steps, or a gap that does not shrink.
    """
    now, gap = course[-1]
    if gap <= tol:
        return 0.0
    middle = 0.5 * (course[0][0] + now)
    then, before = next(one for one in reversed(course) if one[0] <= middle or one is course[0])
    if len(course) < 3 or not (math.isfinite(before) and gap < before and then < now):
        return None
    return math.log(gap / tol) * (now - then) / math.log(before / gap)


def rounded(seconds: float) -> str:
    """A time in its largest unit: 8 s, 3 min, 2 h."""
    if seconds < 100.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 6000.0 else f"{seconds / 3600.0:.0f} h"


def _share(course: list[tuple[float, float]], tol: float) -> float:
    """How far the gap has come from the first finite one to tol, on a log scale, from 0 to 1."""
    gap = course[-1][1]
    first = next((one for _, one in course if math.isfinite(one)), gap)
    if gap <= tol:
        return 1.0
    if not (math.isfinite(gap) and first > tol):
        return 0.0
    return max(0.0, math.log(first / gap) / math.log(first / tol))
