"""How well new rows are predicted: a machine beside its rivals, which learn from the same rows."""

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._threads import all_threads, one_thread
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._base.tables._tables import Table
from kernelopt._criteria._contract import Task
from kernelopt._model._model import Model
from kernelopt._model._solution import Solution
from kernelopt._prediction._errors import differ

if TYPE_CHECKING:
    from kernelopt.sklearn._rivals import Rival

OURS = "learned kernel"
Split = tuple[IntArray, IntArray]
"""The numbers of training and of test rows."""


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
        learned: from how many rows was learned.
        held: how many were held out.
    """

    spread: float
    losses: Mapping[str, Losses | None]
    learned: int = 0
    held: int = 0


def measured(
    solution: Solution | Model, X: Table, y: npt.NDArray[Any], split: Split, task: Task, beside: "Iterable[Rival]"
) -> Part:
    """A machine that has learned from the training rows of a split, and rivals that learn from them now."""
    from kernelopt.sklearn._rivals import numbers_of, without_empty  # it is imported where it is needed

    train, test = split
    wanted, Z = y[test], X[test]
    odds = None if solution.odds is None else solution.predict_proba(Z)
    ours = _losses(task, solution.predict(Z), wanted, odds, solution.classes)
    numbers = without_empty(numbers_of(X), train)
    theirs = {one.called(len(train)): _rival(one, numbers, y, split, task) for one in beside}
    spread = 0.0 if task == "classification" else float(np.var(wanted))
    return Part(spread, {OURS: ours, **theirs}, len(train), len(test))


def scores_of(task: Task, losses: Losses | None, spread: float) -> dict[str, float | None]:
    """Accuracy and log-loss, or R2 and mean squared error with its root.

    None stands for what there is not: without probabilities, with one row, and where a rival failed.
    """
    return _of_classes(losses) if task == "classification" else _of_numbers(losses, spread)


def _rival(rival: "Rival", X: FloatArray, y: npt.NDArray[Any], split: Split, task: Task) -> Losses | None:
    """What a rival loses; None where it cannot learn from these rows, which must not cost the answer.

    Boosting wakes a thread for each core in each of its hundreds of small loops, and on a busy machine these wait for
    one another, so that with few rows one thread works. What a rival warns of, such as a class of few rows, is not the
    matter of who asked for the learned machine.
    """
    train, test = split[0][: rival.most], split[1]
    machine = rival.machine
    classes, codes = np.unique(y, return_inverse=True) if task == "classification" else (None, y)
    with one_thread(), all_threads(len(train)), warnings.catch_warnings():
        warnings.simplefilter("ignore")
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
    errors = differ(predicted, wanted).astype(np.float64)
    if odds is None or classes is None:
        return Losses(errors)
    came = np.asarray(classes)[None, :] == wanted[:, None]
    return Losses(errors, -np.log(np.maximum((odds * came).sum(axis=1), np.finfo(np.float64).eps)))


def _of_classes(one: Losses | None) -> dict[str, float | None]:
    log_loss = None if one is None or one.surprises is None else float(one.surprises.mean())
    return {"accuracy": None if one is None else 1.0 - float(one.errors.mean()), "log_loss": log_loss}


def _of_numbers(one: Losses | None, spread: float) -> dict[str, float | None]:
    if one is None:
        return {"r2": None, "rmse": None, "mse": None}
    mean = float(one.errors.mean())
    return {"r2": 1.0 - mean / spread if spread else None, "rmse": math.sqrt(mean), "mse": mean}
