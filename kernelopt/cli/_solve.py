"""`kernelopt solve`: from a CSV file to a learned kernel, a report and predictions."""

import json
import sys
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

import kernelopt
from kernelopt._errors import InvalidData, InvalidOption
from kernelopt._solution import Solution
from kernelopt._typing import FloatArray
from kernelopt.cli import _csv
from kernelopt.cli._guard import say
from kernelopt.cli._specs import Spec


@attrs.frozen(eq=False)
class Job:
    """What `kernelopt solve` was asked, read and checked before any work begins.

    Attributes:
        X, y: the training rows and their targets.
        new: rows to predict, shape (m, d), or None.
        new_y: their targets where the file has them.
        out: where the predictions go.
    """

    X: FloatArray
    y: npt.NDArray[Any]
    new: FloatArray | None
    new_y: npt.NDArray[Any] | None
    out: Path | None


def read_job(data: Path, target: str, ignore: list[str], predict: Path | None, out: Path | None) -> Job:
    """Read the training file and the file to predict; refuse what could only fail after the work.

    Raises:
        InvalidData: a file is wrong.
        InvalidOption: `predict` without `out`, or the other way round; the folder of `out` does not exist.
    """
    if (predict is None) != (out is None):
        raise InvalidOption("--predict and --out belong together: rows to predict, and where the predictions go")
    if out is not None and not out.resolve().parent.is_dir():
        raise InvalidOption(f"--out: the folder of {out} does not exist")
    table = _csv.read(data)
    names = table.others([target, *ignore])
    X, y = _csv.numbers(table, names), _csv.target(table, target)
    if predict is None:
        return Job(X, y, None, None, None)
    fresh = _csv.read(predict)
    known = _csv.target(fresh, target) if target in fresh.names else None
    return Job(X, y, _csv.numbers(fresh, names), known, out)


def run(
    job: Job, *, family: Spec | list[Spec], solver: Spec, criterion: Spec | None, checkpoint: Path | None, **limits: Any
) -> Solution:
    """Solve the job; an unwritable checkpoint is the user's mistake and not a crash."""
    if checkpoint is not None and not checkpoint.resolve().parent.is_dir():
        raise InvalidOption(f"--checkpoint: the folder of {checkpoint} does not exist")
    return kernelopt.solve(
        job.X, job.y, family=family, solver=solver, criterion=criterion, checkpoint=checkpoint, **limits
    )


def outcome(job: Job, solution: Solution) -> tuple[dict[str, float], dict[str, npt.NDArray[Any]] | None]:
    """The accuracies that can be told, and the predictions as columns of a CSV file."""
    classifies = solution.predictor.classes is not None
    scores = {"training accuracy": solution.score(job.X, job.y)} if classifies else {}
    if job.new is None:
        return scores, None
    predicted = solution.predict(job.new)
    if classifies and job.new_y is not None:
        scores["accuracy on new rows"] = float(np.mean(predicted == job.new_y))
    return scores, {"prediction": predicted, "decision_function": solution.decision_function(job.new)}


def save(out: Path, columns: dict[str, npt.NDArray[Any]]) -> None:
    """Write the predictions, and say so."""
    try:
        _csv.write(out, columns)
    except OSError as error:
        raise InvalidData(f"{out} cannot be written: {error.strerror}") from None
    say(f"{len(columns['prediction'])} predictions written to {out}")


def print_json(mapping: dict[str, Any]) -> None:
    """One JSON document on stdout."""
    sys.stdout.write(json.dumps(mapping, indent=2) + "\n")
