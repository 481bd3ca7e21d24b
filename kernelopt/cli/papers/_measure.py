"""One solve and what is measured of it, and one RBF SVM on the same rows; times are those of the processor."""

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

import kernelopt
from kernelopt._base._errors import KerneloptError
from kernelopt._base._status import Status
from kernelopt._base.tables._tables import table_of
from kernelopt._criteria._contract import Task
from kernelopt._prediction._errors import wrong
from kernelopt._saddle._certificate import Certificate
from kernelopt.cli.papers._data import Data
from kernelopt.cli.papers._programs import measured, program_of
from kernelopt.sklearn._beside import Split
from kernelopt.sklearn._rivals import rivals

_FEW = 60
"""From so many rows something is learned before time is taken, so that compiling and loading do not count."""


@attrs.frozen
class Outcome:
    """What was measured on one split.

    Attributes:
        values: by the names of `QUANTITIES`.
        status: the name of the status of the solve; none of an RBF SVM.
        exact: whether the lower bound is proved.
    """

    values: Mapping[str, float]
    status: str = ""
    exact: bool = True

    @classmethod
    def mean(cls, several: Sequence["Outcome"]) -> "Outcome":
        """The means of what was measured; it converged where all did."""
        values = {name: float(np.mean([one.values[name] for one in several])) for name in several[0].values}
        worst = next((one for one in several if not one.converged), several[0])
        return cls(values, worst.status, all(one.exact for one in several))

    @property
    def converged(self) -> bool:
        """Whether the tolerance was reached."""
        return not self.status or Status[self.status].converged

    @property
    def cut(self) -> bool:
        """Whether the time was over before the tolerance was reached."""
        return self.status == Status.MAX_SECONDS.name


@attrs.frozen(eq=False)
class Answer:
    """What was measured of a solve, and its solution, from which another one can go on, with the best bounds so far."""

    outcome: Outcome
    solution: Any
    bounds: Certificate


def qualities(task: Task, predicted: npt.NDArray[Any], wanted: npt.NDArray[Any]) -> dict[str, float]:
    """How good predictions (m,) are."""
    if task == "classification":
        error = 100.0 * wrong(predicted, wanted)
        return {"error": error, "accuracy": 100.0 - error}
    return {"mse": float(np.mean((predicted - wanted) ** 2))}


@attrs.frozen
class Loss:
    """What an option is chosen by: the error or the mean squared error, and whether its solve lacked time."""

    value: float
    cut: bool


def loss(task: Task, data: Data, split: Split, options: Mapping[str, Any]) -> Loss:
    """The loss of one solve, to choose by."""
    solution = _solved(data, split[0], options)
    found = qualities(task, solution.predict(data.X[split[1]]), data.y[split[1]])
    cut = solution.status is Status.MAX_SECONDS
    return Loss(found["error"] if task == "classification" else found["mse"], cut)


def outcome(task: Task, data: Data, split: Split, options: Mapping[str, Any]) -> Outcome:
    """Learn from the training rows of a split, and predict both parts; or run another program on these rows.

    Raises:
        KerneloptError: as `kernelopt.solve`.
        KeyboardInterrupt: the solve was interrupted.
    """
    if program_of(options["criterion"]):
        train, began = split[0], time.process_time()
        found = measured((data.X[train], data.y[train]), options)
        return Outcome({"seconds": time.process_time() - began, **found})
    return _answer(task, data, split, options).outcome


def gone_on(task: Task, data: Data, split: Split, options: Mapping[str, Any], earlier: Answer | None) -> Answer:
    """The answer after `max_steps` in all, those of an earlier answer, from which the run goes on, being among them.

    The times are those of all steps, and the lower bound is the best of all.

    Raises:
        KerneloptError: as `kernelopt.solve`.
        KeyboardInterrupt: the solve was interrupted.
    """
    if earlier is None:
        return _answer(task, data, split, options)
    before = earlier.outcome.values
    further = options["max_steps"] - int(before["steps"])
    found = _answer(task, data, split, {**options, "start": earlier.solution, "max_steps": further})
    both = {name: before[name] + found.outcome.values[name] for name in ("seconds", "steps")}
    bounds = _sharper(found.bounds, earlier.bounds)
    values = {**found.outcome.values, **both, "step": both["seconds"] / max(both["steps"], 1)}
    values["gap"] = bounds.relative_gap
    return Answer(attrs.evolve(found.outcome, values=values, exact=bounds.exact), found.solution, bounds)


def _sharper(bounds: Certificate, earlier: Certificate) -> Certificate:
    """The bounds with the earlier lower bound where that is better; an estimate may turn out to be above the upper."""
    if bounds.lower < earlier.lower <= bounds.upper:
        return attrs.evolve(bounds, lower=earlier.lower, exact=earlier.exact)
    return bounds


def _answer(task: Task, data: Data, split: Split, options: Mapping[str, Any]) -> Answer:
    train, test = split
    began = time.process_time()
    solution = _solved(data, train, options)
    seconds = time.process_time() - began
    began = time.process_time()
    predicted = solution.predict(data.X[test])
    evaluation = time.process_time() - began
    values = qualities(task, predicted, data.y[test])
    if task == "classification":
        values["training error"] = 100.0 * wrong(solution.predict(data.X[train]), data.y[train])
    last = solution.trace[-1]
    values |= {"seconds": seconds, "evaluation": 1000.0 * evaluation, "gap": solution.certificate.relative_gap}
    values |= {"support": len(solution.support), "atoms": solution.mixture.count, "steps": last.step}
    values["step"] = seconds / max(last.step, 1)
    told = solution.certificate
    return Answer(Outcome(values, solution.status.name, told.exact), solution, told)


def rival(task: Task, data: Data, split: Split, seed: int) -> Outcome:
    """A support vector machine with a Gaussian kernel, tuned by folds of the training rows where these are few."""
    train, test = split
    machine = rivals(table_of(data.X[train]), data.y[train], task, seed)[0].machine
    began = time.process_time()
    machine.fit(data.X[train], data.y[train])
    seconds = time.process_time() - began
    return Outcome({**qualities(task, machine.predict(data.X[test]), data.y[test]), "seconds": seconds})


def warmed(data: Data, split: Split, options: Mapping[str, Any]) -> None:
    """Learn from a few rows, by one step, so that what is compiled and loaded at first costs no later solve time."""
    if program_of(options["criterion"]):
        return
    with suppress(KerneloptError):
        _solved(data, split[0][:_FEW], {**options, "max_steps": 1})


def _solved(data: Data, train: npt.NDArray[Any], options: Mapping[str, Any]) -> Any:
    solution = kernelopt.solve(data.X[train], data.y[train], **options)
    if solution.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return solution
