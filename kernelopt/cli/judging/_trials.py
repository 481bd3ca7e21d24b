"""Errors on rows that were not learned from: one part held out, or folds."""

import math
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

import kernelopt
from kernelopt import datasets
from kernelopt._base._errors import InvalidOption
from kernelopt._base._plain_numbers import counted
from kernelopt._base._shown import shown
from kernelopt._base._status import Status
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._criteria._contract import Task
from kernelopt._model._solution import Solution
from kernelopt._prediction._errors import root_mean_square, wrong
from kernelopt.cli.reading._read import NAMED
from kernelopt.cli.reading._rows import Rows
from kernelopt.sklearn._beside import Split


@attrs.frozen
class Trial:
    """One solve on a part of the rows.

    Attributes:
        status: the name of its status.
        relative_gap, exact: of its certificate.
        error: on the other rows: the share of wrong labels, or the root mean squared error.
        seconds: of the solve.
        support: the number of support vectors.
    """

    status: str
    relative_gap: float
    exact: bool
    error: float
    seconds: float
    support: int

    @property
    def interrupted(self) -> bool:
        """Whether the solve was stopped."""
        return self.status == Status.INTERRUPTED.name


def in_words(task: Task, errors: Sequence[float]) -> str:
    """The mean of errors and, of several, their standard deviation."""
    values = [float(np.mean(errors)), *([float(np.std(errors, ddof=1))] if len(errors) > 1 else [])]
    return " ± ".join(f"{value:.1%}" if task == "classification" else f"{value:.4g}" for value in values)


def splits(
    rows: Rows, task: Task, folds: int | None, held_out: float, seed: int, *, stratified: bool = True
) -> tuple[Split, ...]:
    """Training and test rows: so many folds, or one part held out; classes keep their shares where it is stratified.

    Where groups of rows are known, all rows of a group are on one side, and classes keep their shares but nearly. The
    row of a class that has no other is a training row of each split, as `lone_note` says.

    Raises:
        InvalidOption: the rows, or those of a class, are too few.
    """
    if rows.y is None:
        raise InvalidOption("errors need targets: there is no target to compare predictions with")
    if folds is not None and folds < 2:
        raise InvalidOption(f"--folds: got {folds}, wanted 2 or more")
    if folds is None and not 0.0 < held_out < 1.0:
        raise InvalidOption(f"--held-out: got {held_out:g}, wanted a share of the rows between 0 and 1, such as 0.2")
    from sklearn import model_selection as choices  # it is imported where it is needed

    labelled = stratified and task == "classification"
    if rows.groups is not None:
        return _whole_groups(rows, rows.groups, folds, held_out, seed, labelled=labelled)
    lone = lone_rows(rows, task) if labelled else np.zeros(0, dtype=np.intp)
    if len(lone):
        others = np.setdiff1d(np.arange(len(rows.y)), lone)
        if not len(others):
            raise InvalidOption("each class has only one row, so that none can be held out")
        fewer = splits(attrs.evolve(rows, X=rows.X[others], y=rows.y[others]), task, folds, held_out, seed)
        return tuple((np.concatenate([others[train], lone]), others[test]) for train, test in fewer)
    counts = np.unique(rows.y, return_counts=True)[1] if labelled else np.array([len(rows.y)])
    least = int(counts.min())
    if folds is not None and least < folds:
        whose = "the smallest class has" if labelled else "there are"
        raise InvalidOption(
            f"--folds: got {folds}, and {whose} {counted(least, 'row')}, one for each fold at most; take fewer folds"
        )
    if folds is not None:
        kind = choices.StratifiedKFold if labelled else choices.KFold
        return tuple(kind(folds, shuffle=True, random_state=seed).split(rows.X, rows.y))
    _check_share(held_out, len(rows.y), "rows", len(counts) if labelled else 1)
    single = choices.StratifiedShuffleSplit if labelled else choices.ShuffleSplit
    return tuple(single(1, test_size=held_out, random_state=seed).split(rows.X, rows.y))


def _check_share(held_out: float, count: int, what: str, classes: int) -> None:
    """Refuse a share that leaves too few of the rows, or of the groups, to learn from or to predict: two and one, or
    one of each class.

    Raises:
        InvalidOption: it does.
    """
    held, least = math.ceil(held_out * count), max(classes, 2 if what == "rows" else 1)
    if held >= classes and count - held >= least:
        return
    each = ", of each class one" if classes > 1 else ""
    raise InvalidOption(
        f"--held-out: got {held_out:g}, which holds out {held} of {count} {what} and learns from "
        f"{count - held}, wanted at least {classes} to hold out and {least} to learn from{each}; take another share"
    )


def lone_rows(rows: Rows, task: Task) -> IntArray:
    """The rows that have a class for themselves; where they are held out, nobody could have learned the class."""
    if rows.y is None or task != "classification" or rows.groups is not None:
        return np.zeros(0, dtype=np.intp)
    _, first, counts = np.unique(rows.y, return_index=True, return_counts=True)
    return np.sort(first[counts == 1])


def lone_note(rows: Rows, task: Task) -> tuple[str, ...]:
    """A note on these rows, where there are some."""
    lone = lone_rows(rows, task)
    if not len(lone):
        return ()
    assert rows.y is not None
    first = str(rows.y[lone[0]])
    if len(lone) == 1:
        return (f"held out: the class {shown(first)} has only one row, which is always learned from",)
    return (
        f"held out: {len(lone)} classes, such as {shown(first)}, have only one row each; it is always learned from",
    )


def _whole_groups(
    rows: Rows, groups: FloatArray, folds: int | None, held_out: float, seed: int, *, labelled: bool
) -> tuple[Split, ...]:
    """The same where all rows of a group are on one side: a share of the groups is held out, or they are in folds.

    Raises:
        InvalidOption: the groups are too few.
    """
    from sklearn import model_selection as choices

    count = len(np.unique(groups))
    if count < (2 if folds is None else folds):
        what = "a part held out" if folds is None else f"{folds} folds"
        raise InvalidOption(f"--groups: got {count} groups, too few for {what}, which have whole groups")
    if folds is None:
        _check_share(held_out, count, "groups", 1)
        kind = choices.GroupShuffleSplit(1, test_size=held_out, random_state=seed)
    else:
        kind = (choices.StratifiedGroupKFold if labelled else choices.GroupKFold)(
            folds, shuffle=True, random_state=seed
        )
    try:
        return tuple(kind.split(rows.X, rows.y, groups))
    except ValueError as error:
        raise InvalidOption(f"--groups: {error}") from None


def wants_own(word: str | None, folds: int | None) -> bool:
    """Whether a data set's own splits are asked for.

    Raises:
        InvalidOption: the word is another one, or folds are asked for, too.
    """
    if word not in (None, "own"):
        raise InvalidOption(f"--splits: got {word!r}, wanted own; --folds takes a number of folds")
    if word and folds is not None:
        raise InvalidOption("--splits own and --folds exclude each other; leave one of them out")
    return word is not None


def own_splits(source: str) -> tuple[Split, ...]:
    """The splits that the source of a data set fixes.

    Raises:
        InvalidOption: `source` is no data set by name, or it has no splits of its own.
    """
    if not source.startswith(NAMED):
        raise InvalidOption(f"--splits own: got {source}, and only a data set by name has splits: write {NAMED}NAME")
    found = datasets.load(source.removeprefix(NAMED)).splits
    if not found:
        raise InvalidOption(f"--splits own: {source} has no splits of its own; leave --splits out, or use --folds")
    return found


def trial(rows: Rows, split: Split, task: Task, **options: Any) -> Trial:
    """Learn from the training rows of a split and predict the others.

    Raises:
        KerneloptError: as `kernelopt.solve`.
    """
    train, test = split
    assert rows.y is not None
    groups = rows.learned_groups(options.get("family"), options.get("criterion"), train)
    solution = kernelopt.solve(rows.X[train], rows.y[train], groups=groups, **options)
    certificate = solution.certificate
    return Trial(
        solution.status.name,
        certificate.relative_gap,
        certificate.exact,
        _error(solution, rows, test, task),
        solution.seconds,
        len(solution.support),
    )


def _error(solution: Solution, rows: Rows, test: IntArray, task: Task) -> float:
    assert rows.y is not None
    predicted, wanted = solution.predict(rows.X[test]), rows.y[test]
    return (wrong if task == "classification" else root_mean_square)(predicted, wanted)
