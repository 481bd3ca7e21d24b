"""Machines that learn from a part of the rows, and what they lose on the others: the learned one and its rivals."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import attrs
import numpy as np

import kernelopt
from kernelopt._base._status import Status
from kernelopt._criteria._contract import Task
from kernelopt._model._solution import Solution
from kernelopt._rows._contract import Given, RowBlocks
from kernelopt._rows._parts import parted
from kernelopt.cli.judging._check_plan import Plan
from kernelopt.cli.reading._rows import Rows
from kernelopt.sklearn import _beside
from kernelopt.sklearn._beside import Part, Split
from kernelopt.sklearn._rivals import MOST_ROWS, Rival, rivals


def parts_of(plan: Plan, rows: Rows, task: Task, options: Mapping[str, Any]) -> Iterator[Part]:
    """What was measured on each part that is held out, when it is.

    What new rows have that the training rows had not is of no interest to who keeps another machine: no warnings.

    Args:
        plan: the parts.
        rows: all rows; of those that are read in blocks, some.
        task: classification or regression.
        options: of `kernelopt.solve`.

    Raises:
        KerneloptError: as `kernelopt.solve`.
        KeyboardInterrupt: a run was interrupted.
    """
    if plan.blocks is not None:
        yield _quietly(_in_blocks, plan, task, options)
    for split in plan.parts:
        yield _quietly(_in_memory, rows, split, task, options)


def _quietly(measure: Callable[..., Part], *arguments: Any) -> Part:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return measure(*arguments)


def _in_memory(rows: Rows, split: Split, task: Task, options: Mapping[str, Any]) -> Part:
    """A machine that learns from the training rows of a split, and its rivals, on the others."""
    assert rows.y is not None
    groups = rows.learned_groups(options.get("family"), options.get("criterion"), split[0])
    solution = _solved(rows.X[split[0]], rows.y[split[0]], {**options, "groups": groups})
    return measured(solution, rows, split, task, rivals(rows.X, rows.y, task, options["seed"]))


def _in_blocks(plan: Plan, task: Task, options: Mapping[str, Any]) -> Part:
    """The same for rows that are read in blocks: rivals learn from some of them, which are held in memory."""
    assert plan.blocks is not None
    left, held = parted(plan.blocks, plan.share, plan.seed)
    solution = _solved(left, None, options)
    some, test = _some(left, plan), held.whole()
    both = Given.joined([some, test])
    rows = Rows(both.table, both.targets, both.table.names, None)
    split = np.arange(len(some)), np.arange(len(some), len(both))
    part = measured(solution, rows, split, task, rivals(rows.X, both.targets, task, plan.seed))
    return attrs.evolve(part, learned=plan.rows - len(test))


def _some(blocks: RowBlocks, plan: Plan) -> Given:
    """About as many of the rows as rivals learn from."""
    share = MOST_ROWS / plan.rows
    return (blocks if share >= 1.0 else parted(blocks, share, plan.seed + 1)[1]).whole()


def _solved(X: Any, y: Any, options: Mapping[str, Any]) -> Solution:
    solution = kernelopt.solve(X, y, **options)
    if solution.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return solution


def measured(solution: Solution, rows: Rows, split: Split, task: Task, others: Iterable[Rival]) -> Part:
    """A machine that has learned from the training rows of a split, and rivals that learn from them now."""
    assert rows.y is not None
    return _beside.measured(solution, rows.X, rows.y, split, task, others)
