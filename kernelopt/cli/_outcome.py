"""What a learned machine says of rows: how accurate it is, its predictions, and the files for them."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import InvalidData
from kernelopt._base._interrupts import Gate
from kernelopt._base._tables import Table
from kernelopt._base._typing import FloatArray
from kernelopt._criteria._contract import Task
from kernelopt._model._model import Model
from kernelopt._model._solution import Solution
from kernelopt._prediction._said import said
from kernelopt.cli import _csv, _trials
from kernelopt.cli._guard import say
from kernelopt.cli._job import Job
from kernelopt.cli._predicting import predicting

_R2, _RMSE = "R2 on new rows", "root mean squared error on new rows"


def outcome(job: Job, solution: Solution, gate: Gate) -> tuple[dict[str, float], dict[str, npt.NDArray[Any]] | None]:
    """The accuracies that can be told, and the predictions as columns of a CSV file; neither after Ctrl-C in it."""
    try:
        with gate.opened():
            return _outcome(job, solution)
    except KeyboardInterrupt:
        say("interrupted before the predictions")
        return {}, None


def _outcome(job: Job, solution: Solution) -> tuple[dict[str, float], dict[str, npt.NDArray[Any]] | None]:
    classifies = job.task == "classification"
    scores = {}
    if classifies and job.blocks is None:
        scores["training accuracy"] = solution.score(job.rows.X, job.rows.y)
    if job.new is None:
        return scores, None
    columns = predictions(solution, job.new)
    if job.new_y is not None and "prediction" in columns:
        scores |= _on_new_rows(job.task, columns["prediction"], job.new_y)
    return scores, columns


def _on_new_rows(task: Task, predicted: npt.NDArray[Any], wanted: npt.NDArray[Any]) -> dict[str, float]:
    """How well rows are predicted whose targets are known: the accuracy, or R2 and the root mean squared error."""
    if task == "classification":
        return {"accuracy on new rows": 1.0 - _trials.wrong(predicted, wanted)}
    if task != "regression" or wanted.dtype.kind not in "biuf":
        return {}
    error, spread = _trials.root_mean_square(predicted, wanted), float(np.std(wanted))
    return {_R2: 1.0 - (error / spread) ** 2, _RMSE: error} if spread > 0.0 else {_RMSE: error}


def predictions(machine: Solution | Model, Z: Table, *, progress: bool = False) -> dict[str, npt.NDArray[Any]]:
    """What a machine says of rows Z, as columns of a file; several outputs have a decision column each.

    Under the evidence there are probabilities of classes, or standard deviations of new targets. A live line says how
    many rows are done, if there is to be one.
    """
    rows, classes = machine.kernel.rows(Z), machine.classes
    passes = 1 if machine.posterior is None else 2
    with predicting(passes * len(rows), wanted=progress) as told:
        all_ = said(machine.predictor, machine.posterior, machine.odds, rows, told)
    labels = {"prediction": all_.prediction} if all_.prediction.ndim == 1 else {}
    found = labels | _parted("decision_function", all_.values, classes)
    if all_.probabilities is not None:
        found |= _parted("probability", all_.probabilities, classes)
    if all_.deviation is not None:
        found |= _parted("standard_deviation", all_.deviation, None)
    return found


def _parted(name: str, values: FloatArray, labels: npt.NDArray[Any] | None) -> dict[str, npt.NDArray[Any]]:
    """One column of values, shape (n,), or several, shape (n, c), with their labels, or numbers, behind the name."""
    if values.ndim == 1:
        return {name: values}
    those = range(values.shape[1]) if labels is None else labels
    return {f"{name} {label}": column for label, column in zip(those, values.T, strict=True)}


def in_words(scores: dict[str, float]) -> dict[str, str]:
    """Accuracies and errors as lines of the report."""
    told = {"training accuracy": ", on the rows that it learned from"}
    return {
        name: f"{score:.4g}" if name in (_R2, _RMSE) else f"{score:.1%}{told.get(name, '')}"
        for name, score in scores.items()
    }


def keep(path: Path, solution: Solution) -> None:
    """Write the model, and say so."""
    solution.save(path)
    say(f"model written to {path}")


def save(out: Path, columns: dict[str, npt.NDArray[Any]]) -> None:
    """Write the predictions, and say so."""
    try:
        with out.open("w", newline="", encoding="utf-8") as file:
            _csv.write(file, columns)
    except OSError as error:
        raise InvalidData(f"{out} cannot be written: {error.strerror}") from None
    say(f"{len(next(iter(columns.values())))} predictions written to {out}")
