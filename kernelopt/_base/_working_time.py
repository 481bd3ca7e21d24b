"""A clock that stands still while numba compiles, which the first process alone waits for."""

import time
from functools import cache

import attrs


@attrs.define
class Compiling:
    """How long numba has compiled in this process; functions that others are compiled for count once.

    Attributes:
        seconds: of what is done.
        depth: how many functions are being compiled, each for the one before.
        began: when the outermost of them began.
    """

    seconds: float = 0.0
    depth: int = 0
    began: float = 0.0

    def begin(self) -> None:
        """A function is about to be compiled."""
        if not self.depth:
            self.began = time.monotonic()
        self.depth += 1

    def end(self) -> None:
        """It has been."""
        self.depth -= 1
        if not self.depth:
            self.seconds += time.monotonic() - self.began


@cache
def compiling() -> Compiling:
    """That of this process."""
    return Compiling()


def working() -> float:
    """The seconds of `time.monotonic()` without those in which numba compiled."""
    return time.monotonic() - compiling().seconds
