"""`kernelopt report`: what is learned from, what is held out, and the page on both."""

from typing import Any

import attrs
import numpy.typing as npt

from kernelopt._base.tables._tables import Table
from kernelopt._model._solution import Solution
from kernelopt._report._report import Report, report
from kernelopt._rows._parts import parted
from kernelopt.cli import _solve
from kernelopt.cli._guard import say
from kernelopt.cli._job import Job
from kernelopt.cli.judging import _trials
from kernelopt.cli.judging._check_plan import MOST, SHARE, share_of, too_few
from kernelopt.sklearn._rivals import MOST_ROWS


@attrs.frozen(eq=False)
class Parts:
    """The rows of a report.

    Attributes:
        job: what is learned from.
        X: the rows of that, or some where they are read in blocks.
        y: their targets, or None.
        new: rows that are held out, with their targets, or None.
        rows: how many are learned from.
    """

    job: Job
    X: Table
    y: npt.NDArray[Any] | None
    new: tuple[Table, npt.NDArray[Any]] | None
    rows: int


def parts_of(job: Job, share: float | None, seed: int) -> Parts:
    """Hold out a share of the rows; where none is named as many as `kernelopt solve` would in one part, or none.

    Raises:
        InvalidOption: a share is named, and the rows, or those of a class, are too few for it.
    """
    if job.blocks is not None:
        return _of_blocks(job, share, seed)
    rows, reason = job.rows, too_few(job.rows, job.task) if share is None else None
    if reason is not None:
        say(f"nothing is held out, so no error is told: {reason}")
        return Parts(job, rows.X, rows.y, None, len(rows.X))
    part = share_of(rows, job.task) if share is None else share
    ((train, test),) = _trials.splits(rows, job.task, None, part, seed)
    assert rows.y is not None
    notes = (*rows.notes, *_trials.lone_note(rows, job.task))
    kept = attrs.evolve(rows, X=rows.X[train], y=rows.y[train], notes=notes)
    return Parts(attrs.evolve(job, rows=kept), kept.X, kept.y, (rows.X[test], rows.y[test]), len(train))


def _of_blocks(job: Job, share: float | None, seed: int) -> Parts:
    """Of rows that are never all in memory: some of them stand for those that are learned from."""
    blocks = job.blocks
    assert blocks is not None
    assert blocks.rows is not None  # of files it is known
    left, held = parted(blocks, min(SHARE, MOST / blocks.rows) if share is None else share, seed)
    new = held.whole()
    rows = blocks.rows - len(new)
    some = left.whole() if rows <= MOST_ROWS else parted(left, MOST_ROWS / rows, seed + 1)[1].whole()
    return Parts(attrs.evolve(job, blocks=left), some.table, some.targets, (new.table, new.targets), rows)


def written(parts: Parts, solution: Solution, title: str, seed: int) -> Report:
    """The page on a solution that has learned from these parts."""
    target = parts.job.rows.target or "the target"
    return report(solution, parts.X, parts.y, test=parts.new, title=title, target=target, rows=parts.rows, seed=seed)


def learned(parts: Parts, **options: Any) -> Solution:
    """What is learned from the rows that are not held out."""
    if parts.new is not None:
        say(f"learning from {parts.rows} rows; the other {len(parts.new[0])} measure how well")
    return _solve.run(parts.job, checkpoint=None, **options)
