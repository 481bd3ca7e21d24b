"""Rows that belong together: what the evidence makes of groups, and a word on rows that are copies of others."""

import numpy as np

from kernelopt._api.data._training import Training
from kernelopt._base._copies import different_rows
from kernelopt._base._errors import InvalidOption
from kernelopt._base._typing import FloatArray
from kernelopt._criteria._contract import Criterion
from kernelopt._evidence._criterion import Evidence
from kernelopt._families.features._landmark_lists import MANY

GROUPS_IN_MEMORY = (
    "groups: got rows that are read in blocks, wanted rows in memory; pass an array of the rows of some of the groups"
)
_MANY_COPIES = 3
"""One of so many rows, at least, is a copy of another where that is told."""


def takes_groups(criterion: Criterion) -> bool:
    """Whether a criterion learns what the rows of a group share."""
    return isinstance(criterion, Evidence) and criterion.task == "regression"


def shared(criterion: Criterion, training: Training) -> tuple[str, ...]:
    """A note on groups, which are known.

    Raises:
        InvalidOption: there is no variance for it to learn, or there are too many rows.
    """
    n = len(training.X)
    if not takes_groups(criterion):
        raise InvalidOption(
            f"groups: got {criterion.name} for {criterion.task}, wanted numbers and the evidence, which learns the "
            'variance of what the rows of a group share; take criterion="evidence" for numbers, or leave groups out, '
            "and keep groups whole where you hold rows out, as GroupKFold does"
        )
    if n > MANY:
        raise InvalidOption(
            f"groups: got {n} rows, wanted {MANY} at most, because the kernel of groups has no short features that all "
            "rows could be summed over; learn from the rows of some of the groups"
        )
    found = len(np.unique(training.X[:, -1]))
    note = (
        f"groups: {n} rows are of {found} groups; the evidence learns the variance of an effect that the rows of a "
        "group share, and predictions of new rows have it in their deviation"
    )
    return (note,)


def repeated(criterion: Criterion, training: Training) -> tuple[str, ...]:
    """A note on rows with the same columns and targets as others, where they are many, and their noise is learned."""
    n = len(training.X)
    if not takes_groups(criterion):
        return ()
    copies = _copies(training.X)
    if _MANY_COPIES * copies >= n:  # targets may be many more columns, and copies are hardly ever found
        copies = _copies(np.hstack([training.X, training.encoded]))
    if _MANY_COPIES * copies < n:
        return ()
    advice = (
        "pass groups= with one label for all copies of a row"
        if n <= MANY
        else "give one row of each, as drop_duplicates() of a pandas table or numpy.unique(..., axis=0) keeps them"
    )
    note = (
        f"data: {copies} of {n} rows are copies of others, with the same target; if they are no new measurements, the "
        f"noise is taken to be too small: {advice}"
    )
    return (note,)


def _copies(rows: FloatArray) -> int:
    """How many of the rows (n, d) are copies of others."""
    return len(rows) - different_rows(rows)
