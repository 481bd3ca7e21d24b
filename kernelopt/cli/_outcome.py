"""How accurate a machine is that was just learned, what it predicts of new rows, and the file that keeps it."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kernelopt._base._interrupts import Gate
from kernelopt._criteria._contract import Task
from kernelopt._model._solution import Solution
from kernelopt._prediction._errors import root_mean_square, wrong
from kernelopt.cli._guard import say
from kernelopt.cli._job import Job
from kernelopt.cli._predictions import predictions

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
    columns = predictions(solution, job.new, source="--predict")
    if job.new_y is not None and "prediction" in columns:
        scores |= _on_new_rows(job.task, columns["prediction"], job.new_y)
    return scores, columns


def _on_new_rows(task: Task, predicted: npt.NDArray[Any], wanted: npt.NDArray[Any]) -> dict[str, float]:
    """How well rows are predicted whose targets are known: the accuracy, or R2 and the root mean squared error."""
    if task == "classification":
        return {"accuracy on new rows": 1.0 - wrong(predicted, wanted)}
    if task != "regression" or wanted.dtype.kind not in "biuf":
        return {}
    error, spread = root_mean_square(predicted, wanted), float(np.std(wanted))
    return {_R2: 1.0 - (error / spread) ** 2, _RMSE: error} if spread > 0.0 else {_RMSE: error}


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
