"""`kernelopt plot`: a picture of what was learned, in a file."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import attrs
import numpy.typing as npt
import typer

from kernelopt import plot
from kernelopt._base._errors import InvalidData, InvalidOption
from kernelopt._base._typing import IntArray
from kernelopt._base.tables._tables import Table
from kernelopt._criteria._contract import Task
from kernelopt._io._container import is_container
from kernelopt._io._model_file import load_machine
from kernelopt._model._machines import Machine
from kernelopt.cli import _predict
from kernelopt.cli._guard import say, tell
from kernelopt.cli._job import Job
from kernelopt.cli.judging import _trials
from kernelopt.cli.judging._check_plan import share_of
from kernelopt.cli.reading._read import read
from kernelopt.cli.reading._rows import Rows
from kernelopt.plot._canvas import names_of_columns, pyplot

DPI = 150
_PICTURES: Mapping[str, Callable[["Subject", Sequence[int] | None], Any]] = MappingProxyType(
    {
        "overview": lambda one, _: plot.overview(one.machine),
        "convergence": lambda one, _: plot.convergence(one.machine),
        "weights": lambda one, _: plot.weights(one.machine),
        "atoms": lambda one, _: plot.atoms(one.machine),
        "features": lambda one, _: plot.features(one.machine, one.X),
        "directions": lambda one, _: plot.directions(one.machine, one.X),
        "decision": lambda one, columns: plot.decision(one.machine, one.X, one.y, columns=columns),
        "regression": lambda one, columns: plot.regression(one.machine, one.X, one.y, columns=columns),
        "grams": lambda one, _: plot.grams(one.machine, one.X, one.y),
        "calibration": lambda one, _: plot.calibration(one.machine, one.X, one.y),
        "residuals": lambda one, _: plot.residuals(one.machine, one.X, one.y, target=one.target),
    }
)
_WITH_COLUMNS = ("decision", "regression")
_OF_NEW_ROWS = ("calibration", "residuals")
"""Pictures that say how good predictions are: of rows that were not learned from."""
_OF_TASKS: Mapping[str, tuple[Task, ...]] = MappingProxyType(
    {
        "decision": ("classification",),
        "calibration": ("classification",),
        "regression": ("regression", "novelty"),
        "residuals": ("regression",),
    }
)
"""Pictures of machines that learn this, and of no others."""
_OF_ROWS = ("features", *_OF_NEW_ROWS)
_OF_SOME_ROWS = (*_WITH_COLUMNS, "directions")
_KEPT = ("json", "out", "picture", "column", "target", "rows", "data", "config", "no_progress")
"""The options that have a meaning for a model, which is learned already."""


@attrs.frozen(eq=False)
class Subject:
    """What is drawn.

    Attributes:
        machine: a solution or a model.
        X: rows, or None.
        y: their targets, shape (n,), or None.
        target: what these are called.
    """

    machine: Machine
    X: Table | None
    y: npt.NDArray[Any] | None
    target: str = "target"


def is_model(data: str) -> bool:
    """Whether this is a model file, and not a table."""
    path = Path(data)
    return (path.is_file() or not path.exists()) and is_container(path)  # a pipe can be read once only


def from_model(path: str, rows: str | None, target: str | None, context: typer.Context) -> Subject:
    """A saved model, with rows of a table if one is named.

    Raises:
        ModelFileError: the file is no model.
        InvalidOption: an option is given that says how to learn.
        InvalidData: the table is wrong, or has other columns.
    """
    for name in context.params:
        source = context.get_parameter_source(name)
        if name not in _KEPT and source is not None and source.name != "DEFAULT":
            option = f"--{name.replace('_', '-')}"
            raise InvalidOption(f"{option}: {path} is a model, which is learned already; leave {option} out")
    machine = load_machine(path)
    if rows is None:
        return Subject(machine, None, None)
    table = read(rows)
    known = table.own_target if target is None else target
    table = _predict.as_trained(machine, table, known)
    tell(table.notes(_predict.read_of(machine, table, known)))
    y = None if known is None else table.target(known)
    return Subject(machine, _predict.rows_for(machine, table, known), y, known or "target")


def _check_task(picture: str, task: Task) -> None:
    """Refuse a picture of machines that learn something else.

    Raises:
        InvalidOption: it is one.
    """
    if task not in _OF_TASKS.get(picture, (task,)):
        tasks = " and ".join(_OF_TASKS[picture])
        others = " and ".join(one for one, of in _OF_TASKS.items() if task in of)
        raise InvalidOption(f"--picture: {picture} belongs to {tasks}, and this is {task}, which has {others}")


def check_model(picture: str, subject: Subject) -> None:
    """Refuse a picture that is not one of what was learned, or for which the model lacks rows.

    Raises:
        InvalidOption: it is none, or lacks them.
    """
    _check_task(picture, subject.machine.criterion.task)
    kept = len(subject.machine.predictor.support_vectors) if picture in _OF_SOME_ROWS else picture not in _OF_ROWS
    if subject.X is None and not kept:
        raise InvalidOption(f"--picture: {picture} of a model needs rows; name a file of them with --rows")
    if picture in _OF_NEW_ROWS and subject.y is None:
        raise InvalidOption(f"--target: {picture} compares predictions with targets; name the column of the targets")


def names_of(subject: Subject) -> tuple[str, ...]:
    """The names of the columns."""
    return names_of_columns(None, subject.machine.kernel)


def check(picture: str, out: Path, columns: Sequence[str], names: Sequence[str]) -> list[int] | None:
    """Refuse before the work what could not be drawn after it; the numbers of the columns.

    Raises:
        MissingLibrary: matplotlib is not installed.
        InvalidOption: there is no such picture, matplotlib writes no such files, or the columns have no meaning.
    """
    if picture not in _PICTURES:
        raise InvalidOption(f"--picture: got {picture!r}, wanted one of {', '.join(_PICTURES)}")
    check_format(out, "--out")
    if columns and picture not in _WITH_COLUMNS:
        raise InvalidOption(f"--column: {picture} shows all columns; it belongs to {' and '.join(_WITH_COLUMNS)}")
    unknown = next((name for name in columns if name not in names), None)
    if unknown is not None:
        raise InvalidOption(f"--column: there is no column {unknown!r}; there are {', '.join(names)}")
    return [names.index(name) for name in columns] or None


def check_format(out: Path, option: str) -> None:
    """Make matplotlib draw without a screen, and refuse a file that it cannot write.

    Raises:
        MissingLibrary: matplotlib is not installed.
        InvalidOption: it writes no such files.
    """
    plt = pyplot()
    plt.switch_backend("Agg")
    formats = plt.figure().canvas.get_supported_filetypes()
    plt.close()
    if out.suffix.lower().removeprefix(".") not in formats:
        kind = out.suffix or "file without a suffix"
        raise InvalidOption(f"{option}: matplotlib writes no {kind}; take .png or .pdf")


def parted(job: Job, picture: str, seed: int, *, evidence: bool) -> tuple[Job, Rows]:
    """What to learn from, and the rows to draw: others, where the picture says how good predictions are.

    Raises:
        InvalidOption: there are no others: no targets, or too few rows, or they are read in blocks; or the picture is
            not one of what is learned.
    """
    _check_task(picture, job.task)
    if picture not in _OF_NEW_ROWS:
        return job, job.rows
    if picture == "calibration" and not evidence:
        raise InvalidOption(
            "--picture: calibration is of probabilities, which only the evidence learns; leave --family and "
            "--criterion out, or take --criterion evidence"
        )
    if job.blocks is not None:
        raise InvalidOption(
            f"--picture: {picture} wants rows that were not learned from, and these are read in blocks; save a model "
            "with kernelopt solve --save, and draw it over the rows of another file with --rows"
        )
    ((train, test),) = _trials.splits(job.rows, job.task, None, share_of(job.rows, job.task), seed)
    tell(_trials.lone_note(job.rows, job.task))
    learned, drawn = (attrs.evolve(job.rows, X=job.rows.X[part], y=_of(job.rows.y, part)) for part in (train, test))
    say(f"learning from {len(train)} rows; {picture} is drawn over the other {len(test)}")
    return attrs.evolve(job, rows=learned), drawn


def _of(y: npt.NDArray[Any] | None, part: IntArray) -> npt.NDArray[Any] | None:
    return None if y is None else y[part]


def draw(picture: str, out: Path, subject: Subject, columns: Sequence[int] | None) -> None:
    """Draw into the file.

    Raises:
        InvalidData: the file cannot be written.
    """
    plt = pyplot()
    try:
        _PICTURES[picture](subject, columns)
        plt.savefig(out, dpi=DPI)
    except OSError as error:
        raise InvalidData(f"{out} cannot be written: {error.strerror}") from None
    finally:
        plt.close("all")
