"""Which rows are held out to measure errors with: folds of few rows, one part of many."""

import math

import attrs
import numpy as np

from kernelopt._base._errors import InvalidOption
from kernelopt._base._typing import FloatArray
from kernelopt._criteria._contract import Task
from kernelopt._rows._contract import RowBlocks
from kernelopt.cli.judging import _trials
from kernelopt.cli.reading._rows import Rows
from kernelopt.sklearn._beside import Split

SHARE = 0.2
"""Of the rows, held out where one part is."""
MOST = 10_000
"""Rows held out in one part: an accuracy is then known to half a percent, and more rows take longer to predict."""
FOLDED = 500
"""Up to so many rows there are folds: a fifth of them, 100, tells an accuracy of 90 % to 6 % and no better."""
FOLDS = 5
FEWEST = 10
"""With fewer rows nothing is held out: an error would be told of one or two rows."""


@attrs.frozen(eq=False)
class Plan:
    """Which rows are held out.

    Attributes:
        rows: how many there are in all.
        parts: training and test rows.
        seed: of the split.
        folds: whether the parts are folds, which cover all rows.
        reason: why nothing is held out, or None.
        blocks: rows that are read in blocks, of which one part is held out; else None.
        stratified: whether classes keep their shares.
        whole: whether all rows of a group are on one side.
        notes: on rows that cannot be held out.
    """

    rows: int
    parts: tuple[Split, ...] = ()
    seed: int = 0
    folds: bool = False
    reason: str | None = None
    blocks: RowBlocks | None = None
    stratified: bool = False
    whole: bool = False
    notes: tuple[str, ...] = ()

    @property
    def number(self) -> int:
        """How many parts are to be measured."""
        return len(self.parts) if self.blocks is None else 1

    @property
    def share(self) -> float:
        """Of the rows in blocks, held out."""
        return min(SHARE, MOST / self.rows)


def planned(
    rows: Rows,
    task: Task,
    *,
    folds: int | None,
    held_out: float | None,
    check: bool,
    seed: int,
    blocks: RowBlocks | None = None,
) -> Plan:
    """Which rows to hold out: so many folds, or such a share; where neither is said, folds of few rows, else a fifth.

    Classes keep their shares, but in blocks.

    Raises:
        InvalidOption: what was asked for contradicts itself, or the rows, or those of a class, are too few for it.
    """
    asked = [name for name, value in (("--folds", folds), ("--held-out", held_out)) if value is not None]
    if len(asked) > 1 or (asked and not check):
        raise InvalidOption(f"{' and '.join([*asked, *(['--no-check'] if not check else [])])}: take one of them")
    if not check:
        return Plan(len(rows.X), reason="--no-check was given")
    if blocks is not None:
        return _of_blocks(blocks, folds, held_out, seed)
    plan = _of_memory(rows, task, folds, held_out, seed)
    return attrs.evolve(plan, notes=_trials.lone_note(rows, task) if plan.parts else ())


def _of_memory(rows: Rows, task: Task, folds: int | None, held_out: float | None, seed: int) -> Plan:
    whole = rows.groups is not None
    labelled, total = task == "classification" and not whole, len(rows.X)
    if folds is not None:
        parts = _trials.splits(rows, task, folds, 0.0, seed)
        return Plan(total, parts, seed, folds=True, stratified=labelled, whole=whole)
    if held_out is not None:
        return Plan(total, _trials.splits(rows, task, None, held_out, seed), seed, stratified=labelled, whole=whole)
    return _unasked(rows, task, seed)


def _of_blocks(blocks: RowBlocks, folds: int | None, held_out: float | None, seed: int) -> Plan:
    if folds is not None or held_out is not None:
        option = "--held-out" if folds is None else "--folds"
        raise InvalidOption(
            f"{option}: the file is read in blocks, and then a fifth of the rows is held out, at most {MOST}; "
            f"leave {option} out"
        )
    assert blocks.rows is not None  # of files it is known
    return Plan(blocks.rows, seed=seed, blocks=blocks)


def _unasked(rows: Rows, task: Task, seed: int) -> Plan:
    """Folds of few rows, and else one part."""
    total, reason = len(rows.X), too_few(rows, task)
    if reason is not None:
        return Plan(total, reason=reason)
    assert rows.y is not None
    if rows.groups is not None:
        return _of_groups(rows, rows.groups, task, seed)
    labelled = task == "classification"
    if total <= FOLDED:
        counts = np.unique(rows.y, return_counts=True)[1] if labelled else np.array([total])
        folds = min(FOLDS, int(counts[counts > 1].min()))
        parts = _trials.splits(rows, task, folds, 0.0, seed)
    else:
        parts = _trials.splits(rows, task, None, share_of(rows, task), seed)
    return Plan(total, parts, seed, folds=total <= FOLDED, stratified=labelled)


def too_few(rows: Rows, task: Task) -> str | None:
    """Why nothing is held out where nobody asks for it; None where something is."""
    if rows.y is None:
        return "there is no target to compare predictions with"
    total, lone = len(rows.X), len(_trials.lone_rows(rows, task))
    if total < FEWEST:
        return f"there are {total} rows, and with fewer than {FEWEST} none are held out"
    if total - lone < FEWEST:
        return (
            f"{lone} of {total} rows have a class for themselves, and with fewer than {FEWEST} others none are held out"
        )
    return None


def share_of(rows: Rows, task: Task) -> float:
    """Of the rows that can be held out, as one part where nobody says: a fifth, but 10,000 at most, and each class."""
    lone = len(_trials.lone_rows(rows, task))
    total = len(rows.X) - lone
    classes = len(np.unique(rows.y)) - lone if task == "classification" and rows.y is not None else 1
    return max(min(math.ceil(SHARE * total), MOST), classes) / total


def _of_groups(rows: Rows, groups: FloatArray, task: Task, seed: int) -> Plan:
    """The same where groups of rows are known, which stay whole: as many folds as there are groups at most."""
    total, count = len(rows.X), len(np.unique(groups))
    if count < 2:
        return Plan(total, reason="all rows are of one group, and groups are held out whole")
    if total <= FOLDED:
        folds = min(FOLDS, count)
        return Plan(total, _trials.splits(rows, task, folds, 0.0, seed, stratified=False), seed, folds=True, whole=True)
    share = max(min(SHARE, MOST / total), 1.0 / count)
    return Plan(total, _trials.splits(rows, task, None, share, seed, stratified=False), seed, whole=True)
