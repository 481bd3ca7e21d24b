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


def medians(*calls: Callable[[], object], repeats: int = 5) -> list[float]:
    """The median of the CPU seconds that each call takes: a first call that does not count, then the calls in turn."""
    for call in calls:
        call()
    seconds = np.empty((repeats, len(calls)))
    for i in range(repeats):
        for j, call in enumerate(calls):
            began = process_time()
            call()
            seconds[i, j] = process_time() - began
    return [float(middle) for middle in np.median(seconds, axis=0)]
