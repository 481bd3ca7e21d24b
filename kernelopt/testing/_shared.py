"""What all of a program shares: random numbers, warnings, logs, the printing of numbers, Ctrl-C, the environment."""

import gc
import locale
import logging
import os
import pickle
import random
import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from kernelopt.testing._laws import demand

_REMEDIES = {
    "the generator of the module random": "use np.random.default_rng(seed)",
    "the generator that all of numpy shares": "use np.random.default_rng(seed)",
    "the warnings that are shown": "use `with warnings.catch_warnings():`",
    "how numpy prints numbers": "use `with np.printoptions(...):`",
    "how numpy reports errors of numbers": "use `with np.errstate(...):`",
    "the environment variables": "set them for the processes that you start",
    "the folder of the program": "use whole paths",
    "where modules are looked for": "import your own modules as parts of your package",
    "what is done with logs": "use logging.getLogger(__name__), and leave levels and handlers to the program",
    "whether garbage is collected": "leave gc on",
    "how deep functions may call each other": "use a loop and a list in place of the recursion",
    "what is done on Ctrl-C": "leave the signal SIGINT to the program",
    "the locale": "format numbers by f-strings, which do not ask it",
}

_UNUSUAL = 271828182
"""A seed that nobody takes."""
_LEVEL = 31
"""A level of logs that nobody takes."""


@contextmanager
def shared_untouched(law: str) -> Iterator[None]:
    """Raise `LawBroken` where the block changes what all of a program shares; then it is set back.

    Within the block all of this is in an unusual state, because earlier calls may have set what the block sets again.
    """
    with _restored():
        _unusual()
        before = _shared()
        yield
        after = _shared()
    changed = [what for what in _REMEDIES if before[what] != after[what]]
    told = "; ".join(f"{what}: {_REMEDIES[what]}" for what in changed)
    demand(not changed, law, f"the methods that every run calls change what all of a program shares, namely {told}")


def _unusual() -> None:
    random.seed(_UNUSUAL)
    np.random.seed(_UNUSUAL)  # noqa: NPY002
    np.set_printoptions(precision=7, linewidth=79)
    np.seterr(all="warn", under="ignore")
    warnings.filterwarnings("default", message=str(_UNUSUAL))
    logging.getLogger().setLevel(_LEVEL)
    logging.getLogger().handlers.clear()
    sys.setrecursionlimit(sys.getrecursionlimit() + 1)
    gc.enable()
    locale.setlocale(locale.LC_ALL, "C")
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """What Python does on Ctrl-C, in a function that nobody else knows."""
    signal.default_int_handler(number, frame)


def _shared() -> dict[str, Any]:
    found = (
        random.getstate(),
        pickle.dumps(np.random.get_state()),  # noqa: NPY002
        list(warnings.filters),
        pickle.dumps(np.get_printoptions()),
        np.geterr(),
        dict(os.environ),
        Path.cwd(),
        list(sys.path),
        (logging.getLogger().level, list(logging.getLogger().handlers), logging.root.manager.disable),
        gc.isenabled(),
        sys.getrecursionlimit(),
        signal.getsignal(signal.SIGINT),
        locale.setlocale(locale.LC_ALL),
    )
    return dict(zip(_REMEDIES, found, strict=True))


@contextmanager
def _restored() -> Iterator[None]:
    """Set back what is shared at the end of the block."""
    own, numpys, environment, folder = random.getstate(), np.random.get_state(), dict(os.environ), Path.cwd()  # noqa: NPY002
    with warnings.catch_warnings(), np.errstate(), np.printoptions(), _program_restored():
        try:
            yield
        finally:
            random.setstate(own)
            np.random.set_state(numpys)  # noqa: NPY002
            os.environ.clear()
            os.environ.update(environment)
            os.chdir(folder)


@contextmanager
def _program_restored() -> Iterator[None]:
    """Set back at the end of the block what Python itself shares."""
    root, path, collects, depth = logging.getLogger(), list(sys.path), gc.isenabled(), sys.getrecursionlimit()
    level, handlers, disabled = root.level, list(root.handlers), logging.root.manager.disable
    interrupted, place = signal.getsignal(signal.SIGINT), locale.setlocale(locale.LC_ALL)
    try:
        yield
    finally:
        sys.path[:] = path
        root.setLevel(level)
        root.handlers[:] = handlers
        logging.disable(disabled)
        (gc.enable if collects else gc.disable)()
        sys.setrecursionlimit(depth)
        locale.setlocale(locale.LC_ALL, place)
        if interrupted is not None and signal.getsignal(signal.SIGINT) is not interrupted:
            signal.signal(signal.SIGINT, interrupted)
