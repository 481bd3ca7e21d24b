"""`kernelopt solve`: from a data file to a learned kernel, a report, predictions and errors of folds."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

import kernelopt
from kernelopt._base._errors import InvalidData, InvalidOption, KerneloptError
from kernelopt._base._interrupts import Gate
from kernelopt._base._tables import Table
from kernelopt._base._typing import FloatArray
from kernelopt._criteria._contract import Task
from kernelopt._io._whole_file import try_place
from kernelopt._model._model import Model
from kernelopt._model._solution import Solution
from kernelopt._rows._contract import RowBlocks
from kernelopt.cli import _check, _csv, _trials
from kernelopt.cli._blocks import rows_in_blocks
from kernelopt.cli._check_plan import Plan, planned
from kernelopt.cli._guard import say, tell
from kernelopt.cli._joined import in_files, read_joined
from kernelopt.cli._measure import parts_of
from kernelopt.cli._read import NAMED, called, found, read, read_file, require_one_stdin
from kernelopt.cli._rows import Rows, rows_of, task_of
from kernelopt.cli._specs import Spec
from kernelopt.cli._view_columns import Columns, left_out, view_columns

_R2, _RMSE = "R2 on new rows", "root mean squared error on new rows"
_MOMENT = 5.0
"""Seconds that nobody has to be told of before they go."""


@attrs.frozen(eq=False)
class Job:
    """What `kernelopt solve` was asked, read and checked before any work begins.

    Attributes:
        rows: the training rows and their targets; of a file that is read in blocks, some of them.
        task: what the criterion learns.
        new: rows to predict, m of d columns, or None.
        new_y: their targets where the file has them.
        out: where the predictions go.
        plan: which rows are held out to measure with.
        blocks: all training rows of a file that is read in blocks, else None.
        views: the columns of each view, if there are any.
        source: what the user named to learn from.
    """

    rows: Rows
    task: Task
    new: Table | None
    new_y: npt.NDArray[Any] | None
    out: Path | None
    plan: Plan
    blocks: RowBlocks | None = None
    views: Columns = ()
    source: str = ""


def read_job(
    data: str | None,
    target: str | None = None,
    ignore: Sequence[str] = (),
    *,
    criterion: Spec | None = None,
    family: Any = None,
    groups: str | None = None,
    views: Sequence[str] = (),
    key: str | None = None,
    predict: str | None = None,
    out: Path | None = None,
    folds: int | None = None,
    held_out: float | None = None,
    check: bool = False,
    seed: int = 0,
) -> Job:
    """Read the training file and the file to predict; refuse what could only fail after the work.

    Raises:
        InvalidData: a file is wrong.
        InvalidOption: `predict` without `out`, or the other way round; a folder does not exist; rows are too few for
            what is to be held out.
    """
    if (predict is None) != (out is None):
        raise InvalidOption("--predict and --out belong together: rows to predict, and where the predictions go")
    require_one_stdin(data=data, **{"--predict": predict})
    require_place("--out", out, stream=True)
    origin = "" if data is None else called(data)
    if data is None or in_files(views) or key is not None:
        if predict is not None:
            raise InvalidOption(
                "--predict: got views in files of their own, wanted one file; save the model with --save, and pass the "
                "new files to kernelopt predict with the same --view"
            )
        table, source = read_joined(data, views, key), None
        origin = table.source
    else:
        table, source = None, None if data.startswith(NAMED) else found(data)
    file = (
        None
        if source is None or groups is not None or views
        else rows_in_blocks(source, target, ignore, criterion, family)
    )
    if file is not None:
        rows = file.first
    else:
        if table is None:
            assert data is not None
            table = read(data) if source is None else read_file(source)
        rows = rows_of(table, target, ignore, criterion, groups)
    columns = view_columns(views, rows.names)
    rows = attrs.evolve(rows, notes=(*rows.notes, *left_out(columns, rows.names)))
    task, blocks = task_of(rows, [criterion]), None if file is None else file.blocks
    plan = planned(rows, task, folds=folds, held_out=held_out, check=check, seed=seed, blocks=blocks)
    if predict is None:
        return Job(rows, task, None, None, None, plan, blocks, columns, source=origin)
    fresh = read(predict)
    tell(fresh.notes(rows.names))
    known = fresh.target(rows.target) if rows.target in fresh.names else None
    return Job(rows, task, fresh.rows(rows.names, rows.X.texts), known, out, plan, blocks, columns, source=origin)


def require_place(option: str, path: Path | None, *, stream: bool = False) -> None:
    """Refuse a file that cannot be written, before the work: its folder does not exist, or nobody may write there.

    Args:
        option: of the command line.
        path: the file, or None.
        stream: whether it may also be a pipe or a terminal, which are tried when they are written.
    """
    if path is None:
        return
    if str(path) == "-":
        raise InvalidOption(
            f"{option}: got '-', wanted the name of a file; only kernelopt predict writes to standard output"
        )
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
    X, y = (job.rows.X, job.rows.y) if job.blocks is None else (job.blocks, None)
    groups = job.rows.learned_groups(options.get("family"), options.get("criterion"))
    solution = kernelopt.solve(X, y, checkpoint=checkpoint, groups=groups, **options).named(job.rows.names)
    return attrs.evolve(solution, notes=(*job.rows.notes, *solution.notes))


def checked(job: Job, gate: Gate, run: Solution, *, stopped: bool, seed: int, **options: Any) -> _check.Check:
    """How well held-out rows are predicted, where there are any; Ctrl-C ends it, and so does what cannot be learned.

    Args:
        job: what was asked.
        gate: opened while it is measured.
        run: what was learned from all rows; it says about how long this will take.
        stopped: whether the user has interrupted the run, and waits for nothing more.
        seed: of everything random.
        **options: of `kernelopt.solve`.
    """
    plan, found, reason = job.plan, [], "the run was interrupted" if stopped else job.plan.reason
    interrupted, began = False, time.monotonic()
    if plan.number and not stopped:
        _foretell(plan, run.seconds)
    try:
        with gate.opened():
            for part in () if stopped else parts_of(plan, job.rows, job.task, {**options, "seed": seed}):
                # Those that are finished stay when the next one is interrupted.
                found.append(part)  # noqa: PERF402
    except KeyboardInterrupt:
        interrupted, reason = True, "it was interrupted"
        done = f"after {len(found)} of {plan.number} folds" if plan.folds else "before the held-out rows were predicted"
        say(f"interrupted {done}")
    except KerneloptError as error:
        reason = str(error)
        say(f"warning: the check on held-out rows came to no end: {error}")
    return _check.Check(job.task, plan, tuple(found), interrupted, reason, time.monotonic() - began)


def _foretell(plan: Plan, seconds: float) -> None:
    """Say what is measured, and how long it takes, where that is more than a moment; learning again takes as long."""
    expected = seconds * max(plan.number - 1, 1)
    if expected < _MOMENT:
        return
    what = f"in {plan.number} folds" if plan.folds else "on rows that are held out"
    say(
        f"measuring errors {what}, for which is learned anew: about {expected:.0f} s; Ctrl-C ends it, and --no-check "
        "leaves it out"
    )


def of_folds(check: _check.Check) -> dict[str, Any] | None:
    """The errors in the folds that were finished, as `kernelopt compare` measures them; None without folds."""
    if not check.plan.folds:
        return None
    return {"measure": _trials.measure(check.task), "errors": check.errors, "interrupted": check.interrupted}


def of_views(job: Job, solution: Solution) -> dict[str, Any]:
    """The share of each view as plain values, where there are views."""
    return {"views": solution.views()} if job.views else {}


def shares(job: Job, solution: Solution) -> dict[str, str]:
    """The same in words."""
    if not job.views:
        return {}
    return {"views": ", ".join(f"{name} {share:.0%}" for name, share in solution.views().items())}


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


def predictions(machine: Solution | Model, Z: Table) -> dict[str, npt.NDArray[Any]]:
    """What a machine says of rows Z, as columns of a file; several outputs have a decision column each.

    Under the evidence there are probabilities of classes, or standard deviations of new targets.
    """
    rows, classes = machine.kernel.rows(Z), machine.predictor.classes
    prediction = machine.predict(rows)
    labels = {"prediction": prediction} if prediction.ndim == 1 else {}
    found = labels | _parted("decision_function", machine.decision_function(rows), classes)
    if machine.odds is not None:
        found |= _parted("probability", machine.predict_proba(rows), classes)
    if machine.posterior is not None:
        found |= _parted("standard_deviation", machine.predict(rows, return_std=True)[1], None)
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
