"""How well new rows are predicted: rows that are held out, or folds, beside the rivals of `_rivals`.

The machine that is kept has learned from all rows, so that none is left to measure it with. Another machine learns
the same problem from a part of the rows, and is asked about the others.
"""

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

import kernelopt
from kernelopt._base._errors import InvalidOption
from kernelopt._base._status import Status
from kernelopt._base._typing import FloatArray
from kernelopt._criteria._contract import Task
from kernelopt._model._solution import Solution
from kernelopt.cli import _trials
from kernelopt.cli._rivals import Rival, numbers_of, rivals, without_empty
from kernelopt.cli._rows import Rows

SHARE = 0.2
"""Of the rows, held out."""
ROWS = 2000
"""With more rows nothing is held out unasked: up to here the default takes some seconds, ten at most on the data of
`kernelopt.datasets` that were tried, and the check about as long again."""
OURS = "learned kernel"
DOUBT = 2.0
"""So many standard errors a difference needs not to be put down to chance."""


@attrs.frozen(eq=False)
class Plan:
    """Which rows are held out.

    Attributes:
        rows: how many there are in all.
        parts: training and test rows.
        seed: of the split.
        folds: whether the parts are folds, which cover all rows.
        reason: why nothing is held out, or None.
    """

    rows: int
    parts: tuple[_trials.Split, ...] = ()
    seed: int = 0
    folds: bool = False
    reason: str | None = None


@attrs.frozen(eq=False)
class Losses:
    """What a machine lost on held-out rows, row by row.

    Attributes:
        errors: 1 where a label is wrong, else 0; of numbers the squared differences; shape (m,).
        surprises: minus the logarithm of the probability of the class that came, shape (m,); None without them.
    """

    errors: FloatArray
    surprises: FloatArray | None = None


@attrs.frozen(eq=False)
class Part:
    """One split, measured.

    Attributes:
        spread: the mean squared distance of the held-out numbers from their mean; 0 of classes.
        losses: of each machine by its name, the learned one first and the one answer last; None where one failed.
    """

    spread: float
    losses: Mapping[str, Losses | None]


@attrs.frozen(eq=False)
class Check:
    """What was measured.

    Attributes:
        task: classification or regression, or novelty, where nothing can be measured.
        plan: which rows were held out.
        parts: those that were finished.
        interrupted: whether Ctrl-C ended it.
        reason: why it was not finished, or None.
    """

    task: Task
    plan: Plan
    parts: tuple[Part, ...] = ()
    interrupted: bool = False
    reason: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The machines, the learned one first and the one answer last."""
        return tuple(self.parts[0].losses) if self.parts else ()

    def scores(self, name: str) -> list[dict[str, float | None]]:
        """What to tell of a machine, part by part: accuracy and log-loss, or R2 and root mean squared error.

        None stands for what there is not: without probabilities, with one row, and where a rival failed.
        """
        told = _of_classes if self.task == "classification" else _of_numbers
        return [told(part.losses[name], part.spread) for part in self.parts]

    @property
    def errors(self) -> list[float]:
        """Of the learned machine in each part: the share of wrong labels, or the root mean squared error."""
        means = [float(np.mean(losses.errors)) for part in self.parts if (losses := part.losses[OURS]) is not None]
        return means if self.task == "classification" else [math.sqrt(mean) for mean in means]

    @property
    def no_better(self) -> bool:
        """Whether the learned machine's errors are no smaller than those of the one answer, beyond chance.

        Each row has a difference of the two errors (of squared differences, where numbers are learned). The mean of
        these differences must be more than two of its standard errors, as if the rows were independent, which rows of
        several folds are but nearly.
        """
        pairs = [(part.losses[self.names[-1]], part.losses[OURS]) for part in self.parts]
        return bool(pairs) and not _beyond_chance([one.errors - ours.errors for one, ours in pairs if one and ours])

    @property
    def tells_more(self) -> bool:
        """Whether the learned machine's probabilities are better than the shares of the classes, in the same way."""
        pairs = [(part.losses[self.names[-1]], part.losses[OURS]) for part in self.parts]
        saved = [
            one.surprises - ours.surprises
            for one, ours in pairs
            if one and ours and one.surprises is not None and ours.surprises is not None
        ]
        return bool(saved) and _beyond_chance(saved)


def planned(rows: Rows, task: Task, *, folds: int | None, check: bool | None, seed: int, blocks: bool = False) -> Plan:
    """Which rows to hold out: so many folds, or a fifth where that is asked for or quick; classes keep their shares.

    Raises:
        InvalidOption: folds or a check were asked for, and the rows, or those of a class, are too few, or are read in
            blocks.
    """
    if blocks and (folds is not None or check):
        raise InvalidOption(
            f"{'--check' if folds is None else '--folds'}: the file is read in blocks, and no rows of it are held out; "
            "keep some rows in another file, and name it with --predict"
        )
    if blocks:
        return Plan(len(rows.X), reason="the rows are read in blocks; --predict FILE measures on the rows of a file")
    total = len(rows.X)
    if folds is not None:
        return Plan(total, _trials.splits(rows, task, folds, 0.0, seed), seed, folds=True)
    if check is False:
        return Plan(total, reason="--no-check was given")
    if check is None and total > ROWS:
        return Plan(total, reason=f"with more than {ROWS} rows it is not quick; --check asks for it")
    try:
        return Plan(total, _fifth(rows, task, seed), seed)
    except InvalidOption as error:
        if check:
            raise
        return Plan(total, reason=str(error))


def _fifth(rows: Rows, task: Task, seed: int) -> tuple[_trials.Split, ...]:
    if task == "classification" and rows.y is not None:
        held, counts = math.ceil(SHARE * len(rows.X)), np.unique(rows.y, return_counts=True)[1]
        classes = len(counts)
        if held < classes and counts.min() > 1:
            raise InvalidOption(
                f"a fifth of the rows is {held}, and there are {classes} classes: too few to hold out; take --folds 2"
            )
    return _trials.splits(rows, task, None, SHARE, seed)


def learned(rows: Rows, split: _trials.Split, task: Task, seed: int, options: Mapping[str, Any]) -> Part:
    """Learn from the training rows of a split, and measure that machine and its rivals on the others.

    What new rows have that the training rows had not is of no interest to who keeps another machine: no warnings.

    Raises:
        KerneloptError: as `kernelopt.solve`.
        KeyboardInterrupt: the run was interrupted.
    """
    assert rows.y is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        solution = kernelopt.solve(rows.X[split[0]], rows.y[split[0]], **options)
        if solution.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        return measured(solution, rows, split, task, rivals(rows.X, rows.y, task, seed))


def measured(solution: Solution, rows: Rows, split: _trials.Split, task: Task, beside: Iterable[Rival]) -> Part:
    """A machine that has learned from the training rows of a split, and rivals that learn from them now."""
    assert rows.y is not None
    test, wanted = split[1], rows.y[split[1]]
    Z = rows.X[test]
    odds = None if solution.odds is None else solution.predict_proba(Z)
    ours = _losses(task, solution.predict(Z), wanted, odds, solution.predictor.classes)
    X = without_empty(numbers_of(rows.X), split[0])
    theirs = {one.name: _rival(one.machine, X, rows.y, split, task) for one in beside}
    return Part(0.0 if task == "classification" else float(np.var(wanted)), {OURS: ours, **theirs})


def _rival(machine: Any, X: FloatArray, y: npt.NDArray[Any], split: _trials.Split, task: Task) -> Losses | None:
    """What a rival loses; None where it cannot learn from these rows, which must not cost the answer."""
    train, test = split
    classes, codes = np.unique(y, return_inverse=True) if task == "classification" else (None, y)
    try:
        machine.fit(X[train], codes[train])
        odds = machine.predict_proba(X[test]) if hasattr(machine, "predict_proba") else None
        known = None if classes is None else machine.classes_
        return _losses(task, machine.predict(X[test]), codes[test], odds, known)
    except ValueError:
        return None


def _losses(
    task: Task,
    predicted: npt.NDArray[Any],
    wanted: npt.NDArray[Any],
    odds: FloatArray | None,
    classes: Sequence[Any] | npt.NDArray[Any] | None,
) -> Losses:
    """Of predictions (m,), with the probabilities (m, c) of these classes (c,) where there are any."""
    if task != "classification":
        return Losses((predicted - wanted) ** 2)
    errors = _trials.differ(predicted, wanted).astype(np.float64)
    if odds is None or classes is None:
        return Losses(errors)
    came = np.asarray(classes)[None, :] == wanted[:, None]
    return Losses(errors, -np.log(np.maximum((odds * came).sum(axis=1), np.finfo(np.float64).eps)))


def _of_classes(one: Losses | None, _: float) -> dict[str, float | None]:
    log_loss = None if one is None or one.surprises is None else float(one.surprises.mean())
    return {"accuracy": None if one is None else 1.0 - float(one.errors.mean()), "log_loss": log_loss}


def _of_numbers(one: Losses | None, spread: float) -> dict[str, float | None]:
    if one is None:
        return {"r2": None, "rmse": None}
    mean = float(one.errors.mean())
    return {"r2": 1.0 - mean / spread if spread else None, "rmse": math.sqrt(mean)}


def _beyond_chance(saved: Sequence[FloatArray]) -> bool:
    """Whether the mean of what was saved, row by row, is above 0 by more than chance explains."""
    values = np.concatenate(saved)
    return bool(values.mean() > DOUBT * values.std() / math.sqrt(len(values)))
