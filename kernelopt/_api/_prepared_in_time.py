"""How many rows there is time to prepare families on: some of them tell.

Most families are prepared in no time. A hyperkernel looks at all pairs of rows, which take minutes where there are
thousands of rows.
"""

import time
from typing import Any

import attrs

from kernelopt._api._choose import family_for, leaves_for
from kernelopt._api._rows_in_time import LEAST, LOOKED_AT, MOST, drawn, power, some_of
from kernelopt._api._validate import Request
from kernelopt._api.data._training import Training
from kernelopt._base._errors import KerneloptError
from kernelopt._base._typing import IntArray
from kernelopt._families.features._landmark_lists import MANY

_FEWEST = LOOKED_AT[0]
"""The rows that are tried first, twice: the first time is what is imported and compiled."""
_SHARE = 0.25
"""Of the time that is left, at most, is for the preparation."""
_TOLD = 0.02
"""Seconds from which on a trial says how time grows; what takes less, most families, takes as long for each row."""


@attrs.frozen
class _Trial:
    """What the preparation on some rows took.

    Attributes:
        rows: how many.
        seconds: how long.
        growth: with which power of the number of rows that grows, as far as it is known.
    """

    rows: int
    seconds: float
    growth: float = MOST

    @property
    def tells(self) -> bool:
        """Whether it took so long that it says how long more rows take."""
        return self.seconds >= _TOLD

    def of(self, n: int) -> float:
        """The seconds that n rows take."""
        return self.seconds * float((n / self.rows) ** self.growth)

    def most(self, seconds: float) -> int:
        """How many rows there is time for in so many seconds."""
        return max(int(self.rows * (seconds / self.seconds) ** (1.0 / self.growth)), _FEWEST)

    def then(self, seconds: float) -> "_Trial":
        """The next one, on twice as many rows, which took so many seconds."""
        return _Trial(2 * self.rows, seconds, power(self.seconds, seconds) if self.tells else MOST)


def preparable(request: Request, family: Any) -> Request:
    """The request, or the same for some of the rows, with a note, where families would take too long for all."""
    training, n = request.training, len(request.training.X)
    if request.deadline is None or request.rows is not None or not _FEWEST < n <= MANY:
        return request
    order, end = drawn(training, n, request.settings.seed), request.deadline
    try:
        trial = _tried(request, family, order, end)
    except KerneloptError:  # what is wrong is told of all rows
        return request
    trial = trial if trial.tells else attrs.evolve(trial, growth=LEAST)
    if trial.of(n) <= _left(end):
        return request
    rows = some_of(training, order, min(trial.most(_left(end)), n))
    note = (
        f"data: max_seconds is too short to prepare the family on {n} rows, so {len(rows)} rows chosen at random took "
        "their place, and the bounds are about these rows; raise max_seconds to learn from all"
    )
    return attrs.evolve(request, training=training.some(rows), notes=(*request.notes, note))


def _tried(request: Request, family: Any, order: IntArray, end: float) -> _Trial:
    """The last trial, each of which is on twice as many rows as the one before: until one of them tells, or there is
    surely time for all rows, or none for another trial.
    """

    def seconds(rows: int) -> float:
        return _seconds(request, family, request.training.some(some_of(request.training, order, rows)))

    trial = _Trial(_FEWEST, seconds(_FEWEST))
    if trial.seconds <= _left(end):  # without what is imported and compiled
        trial = _Trial(_FEWEST, seconds(_FEWEST))
    while trial.of(len(order)) > _left(end) and trial.of(more := 2 * trial.rows) <= _left(end) and more < len(order):
        known, trial = trial.tells, trial.then(seconds(more))
        if known:
            break
    return trial


def _seconds(request: Request, family: Any, training: Training) -> float:
    """What it takes to prepare families on some rows."""
    began = time.monotonic()
    spec, _ = family_for(family, training, request.criterion)
    leaves_for(spec, training, request.settings.scale, request.criterion)
    return time.monotonic() - began


def _left(end: float) -> float:
    """The seconds that the preparation may take, if time is over at `end`."""
    return _SHARE * max(end - time.monotonic(), 0.0)
