"""From a table to what is learned: rows, targets, and what the targets ask for."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import attrs
import numpy.typing as npt

from kernelopt._api._criterion_choice import criterion_for, suggested
from kernelopt._api.data._groups import takes_groups
from kernelopt._api.data._target_words import found_in, refuse_words
from kernelopt._base._errors import InvalidData, InvalidOption
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._base.tables._row_groups import numbers_of
from kernelopt._base.tables._tables import Table as Features
from kernelopt._criteria._contract import Task
from kernelopt._plugins._registry import resolve
from kernelopt._rows._columns import shortened
from kernelopt.cli._specs import Spec
from kernelopt.cli.reading._tables import Table
from kernelopt.cli.reading._view_columns import in_views


@attrs.frozen(eq=False)
class Rows:
    """What a table gives to learn from.

    Attributes:
        X: the rows, n of d columns.
        y: their targets, shape (n,), or None for novelty detection.
        names: the columns of X.
        target: the column of y, or None.
        notes: what the user should know of how they were read.
        groups: the number of each row's group, shape (n,), or None where no groups are named.
    """

    X: Features
    y: npt.NDArray[Any] | None
    names: tuple[str, ...]
    target: str | None
    notes: tuple[str, ...] = ()
    groups: FloatArray | None = None

    @property
    def marks(self) -> dict[str, str]:
        """Those in the numbers of columns, by their names, and of the target, as in `Features`."""
        target = {} if self.target is None else {self.target: self.X.target_marks}
        every = {**target, **{self.names[j]: mark for j, mark in self.X.marks.items()}}
        return {name: mark for name, mark in every.items() if mark}

    def learned_groups(self, family: Any, criterion: Any, rows: IntArray | None = None) -> FloatArray | None:
        """What `kernelopt.solve` is told of the groups of some rows, None where it learns nothing of them."""
        if self.groups is None or not takes_groups(suggested(family, criterion, self.y)[0]):
            return None
        return self.groups if rows is None else self.groups[rows]


def rows_of(
    table: Table,
    target: str | None,
    ignore: Sequence[str],
    criterion: Spec | None,
    groups: str | None = None,
    views: Sequence[str] = (),
) -> Rows:
    """The rows of a table; a criterion for novelty detection needs no target, and a column may name groups of rows.

    Where there are views, columns of none are not read: neither need they be fit to learn from, nor are they wanted of
    new rows.

    Raises:
        InvalidOption: no target is named where one is needed, or a view has columns that are not there.
        InvalidData: the table has not got these columns, or neither numbers nor words in them.
    """
    novelty = criterion is not None and resolve("criterion", criterion).task == "novelty"
    known = table.own_target if target is None else target
    if known is None and not novelty:
        raise InvalidOption(f"--target: name the column to learn; {table.source} has {shortened(table.names)}")
    if groups is not None and groups == known:
        raise InvalidOption(f"--groups: {groups} is the column to learn; name another, or leave --groups out")
    beside = [one for one in (known, groups) if one is not None]
    names, left = in_views(views, table.others([*beside, *ignore]))
    y = None if novelty or known is None else table.target(known)
    refuse_words(criterion, y, found_in([] if y is None else y, table.place))
    with ignorable():
        labels = None if groups is None else numbers_of(table.column(groups))
        X = table.rows(names)
        X = X if y is None or known is None else attrs.evolve(X, target_marks=table.marks_of(known))
        return Rows(X, y, names, known, (*table.notes((*names, *beside)), *left), labels)


@contextmanager
def ignorable() -> Iterator[None]:
    """Where columns cannot be learned from, say how to leave them out."""
    try:
        yield
    except InvalidData as error:
        if not error.columns:
            raise
        options = " ".join(f"--ignore {shlex.quote(name)}" for name in error.columns)
        them = "it" if len(error.columns) == 1 else "them"
        raise InvalidData(f"{error}; or leave {them} out with {options}", error.columns) from None


def task_of(rows: Rows, criteria: Sequence[Spec | None]) -> Task:
    """What these criteria learn, or what the targets suggest where a criterion is None.

    Raises:
        InvalidOption: they do not learn the same.
    """
    tasks = {criterion_for(criterion, rows.y)[0].task for criterion in criteria}
    if len(tasks) > 1:
        raise InvalidOption(f"--criterion: got criteria for {' and '.join(sorted(tasks))}, wanted criteria for one")
    return tasks.pop()
