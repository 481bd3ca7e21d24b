"""What a script tells `peers.py`: one piece of work, done by kernelopt and by somebody else."""

from collections.abc import Callable
from time import process_time
from typing import NamedTuple

import numpy as np


class Pair(NamedTuple):
    """One line of the table.

    Attributes:
        name: the work, with its size, and who the peer is.
        ours: CPU seconds of kernelopt.
        peer: CPU seconds of the peer; or the seconds that the work may take, where nobody else does it; or None, where
            the peer is not installed.
        goal: how many times as long as kernelopt the peer should take at least.
    """

    name: str
    ours: float
    peer: float | None
    goal: float


_LEAST = 0.5
"""So many CPU seconds the calls take together at least: the first tens of calls in a process take up to twice as long
as those after them."""


def medians(*calls: Callable[[], object], repeats: int = 5) -> list[float]:
    """The median of the CPU seconds that each call takes: a first call that does not count, then the calls in turn, at
    least so many times, and short calls until they have taken half a second.
    """
    for call in calls:
        call()
    seconds: list[list[float]] = []
    while len(seconds) < repeats or sum(map(sum, seconds)) < _LEAST:
        seconds.append([_taken(call) for call in calls])
    return [float(middle) for middle in np.median(seconds, axis=0)]


def _taken(call: Callable[[], object]) -> float:
    """The CPU seconds of one call."""
    began = process_time()
    call()
    return process_time() - began
