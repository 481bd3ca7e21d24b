"""`kernelopt solve`: from a data file to a learned kernel, a report, predictions and errors of folds."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy.typing as npt

import kernelopt
from kernelopt._base._errors import InvalidData, InvalidOption
from kernelopt._base._interrupts import Gate
from kernelopt._base._tables import Table
from kernelopt._criteria._contract import Task
from kernelopt._io._whole_file import try_place
from kernelopt._model._model import Model
from kernelopt._model._solution import Solution
from kernelopt.cli import _csv, _trials
from kernelopt.cli._guard import say
from kernelopt.cli._read import read
from kernelopt.cli._rows import Rows, rows_of, task_of
from kernelopt.cli._specs import Spec


@attrs.frozen(eq=False)
class Job:
    """What `kernelopt solve` was asked, read and checked before any work begins.

    Attributes:
        rows: the training rows and their targets.
        task: what the criterion learns.
        new: rows to predict, m of d columns, or None.
        new_y: their targets where the file has them.
        out: where the predictions go.
        parts: training and test rows of the folds.
    """

    rows: Rows
    task: Task
    new: Table | None
    new_y: npt.NDArray[Any] | None
    out: Path | None
    parts: tuple[_trials.Split, ...]


def read_job(
    data: str,
    target: str | None = None,
    ignore: Sequence[str] = (),
    *,
    criterion: Spec | None = None,
    predict: str | None = None,
    out: Path | None = None,
    folds: int | None = None,
    seed: int = 0,
) -> Job:
    """Read the training file and the file to predict; refuse what could only fail after the work.

    Raises:
        InvalidData: a file is wrong.
        InvalidOption: `predict` without `out`, or the other way round; a folder does not exist; folds that cannot be.
    """
    if (predict is None) != (out is None):
        raise InvalidOption("--predict and --out belong together: rows to predict, and where the predictions go")
    require_place("--out", out, stream=True)
    rows = rows_of(read(data), target, ignore, criterion)
    task = task_of(rows, [criterion])
    parts = () if folds is None else _trials.splits(rows, task, folds, 0.0, seed)
    if predict is None:
        return Job(rows, task, None, None, None, parts)
    fresh = read(predict)
    known = fresh.target(rows.target) if rows.target in fresh.names else None
    return Job(rows, task, fresh.rows(rows.names, rows.X.texts), known, out, parts)


def require_place(option: str, path: Path | None, *, stream: bool = False) -> None:
    """Refuse a file that cannot be written, before the work: its folder does not exist, or nobody may write there.

    Args:
        option: of the command line.
        path: the file, or None.
        stream: whether it may also be a pipe or a terminal, which are tried when they are written.
    """
    if path is None:
        return
    if not path.resolve().parent.is_dir():
        raise InvalidOption(f"{option}: the folder of {path} does not exist")
    try:
        if not (stream and (path.is_fifo() or path.is_char_device())):
            try_place(path)
    except OSError as error:
        raise InvalidOption(
            f"{option}: {path} cannot be written: {error.strerror}; name a file in a folder where you may write"
        ) from None


def run(job: Job, *, checkpoint: Path | None, **options: Any) -> Solution:
    """Solve the job; an unwritable checkpoint is the user's mistake and not a crash."""
    require_place("--checkpoint", checkpoint)
    return kernelopt.solve(job.rows.X, job.rows.y, checkpoint=checkpoint, **options).named(job.rows.names)


def folds(job: Job, gate: Gate, **options: Any) -> dict[str, Any]:
    """The errors in the folds that were finished; nothing where none was asked for. Ctrl-C ends them."""
    errors: list[float] = []
    interrupted = False
    try:
        with gate.opened():
            for part in job.parts:
                trial = _trials.trial(job.rows, part, job.task, **options)
                interrupted = trial.interrupted
                if interrupted:
                    break
                errors.append(trial.error)
    except KeyboardInterrupt:
        interrupted = True
    if interrupted:
        say(f"interrupted after {len(errors)} of {len(job.parts)} folds")
    return {"measure": _trials.measure(job.task), "errors": errors, "interrupted": interrupted} if job.parts else {}


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
    scores = {"training accuracy": solution.score(job.rows.X, job.rows.y)} if classifies else {}
    if job.new is None:
        return scores, None
    columns = predictions(solution, job.new)
    if classifies and job.new_y is not None:
        scores["accuracy on new rows"] = 1.0 - _trials.wrong(columns["prediction"], job.new_y)
    return scores, columns


def predictions(machine: Solution | Model, Z: Table) -> dict[str, npt.NDArray[Any]]:
    """What a machine says of rows Z, as columns of a file; several outputs have a decision column each."""
    rows = machine.kernel.rows(Z)
    values = machine.decision_function(rows)
    classes = machine.predictor.classes
    prediction = machine.predict(rows)
    if values.ndim == 1:
        return {"prediction": prediction, "decision_function": values}
    names = range(values.shape[1]) if classes is None else classes
    decisions = {f"decision_function {name}": column for name, column in zip(names, values.T, strict=True)}
    return {"prediction": prediction, **decisions} if prediction.ndim == 1 else decisions


def in_words(job: Job, scores: dict[str, float], errors: dict[str, Any]) -> dict[str, str]:
    """Accuracies and the errors of the folds as lines of the report."""
    lines = {name: f"{score:.1%}" for name, score in scores.items()}
    if errors and errors["errors"]:
        found = errors["errors"]
        lines[f"{len(found)} folds"] = f"{_trials.in_words(job.task, found)} {errors['measure']}"
    return lines


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
    say(f"{len(columns['prediction'])} predictions written to {out}")
