"""`kernelopt predict`: a saved model on the rows of a file."""

import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import InvalidData, InvalidOption
from kernelopt._base._shown import shown
from kernelopt._base.tables._tables import Table as Rows
from kernelopt._io._model_file import load_machine
from kernelopt._model._model import Model
from kernelopt._prediction._errors import differ, measure, root_mean_square, wrong
from kernelopt._prediction._interval import check_share
from kernelopt._prediction._predicted import sure
from kernelopt.cli import _predictions, _stdout
from kernelopt.cli._guard import tell
from kernelopt.cli.reading import _csv
from kernelopt.cli.reading._joined import in_files, read_joined
from kernelopt.cli.reading._tables import Table


@attrs.frozen(eq=False)
class Predictions:
    """What a model says of rows.

    Attributes:
        columns: predictions, decision values, and probabilities or standard deviations by name, shape (n,) each; and
            the ends of intervals, where these are wanted.
        errors: what the errors are called, and what they are; nothing without targets.
    """

    columns: dict[str, npt.NDArray[Any]]
    errors: dict[str, float]


def predict(
    model: Path,
    data: str | None,
    target: str | None,
    views: Sequence[str] = (),
    key: str | None = None,
    *,
    interval: float | None = None,
    progress: bool = False,
) -> Predictions:
    """Predict the rows of a table; its columns are found by the names that the model keeps, else by their order.

    Views may be in files of their own, whose rows are matched by their order or by a key. A live line says how many
    rows are done, if there is to be one. Intervals hold new targets with the probability `interval`.

    Raises:
        ModelFileError: the file is no model.
        InvalidData: the table is wrong, or has other columns.
        InvalidOption: a view is no file, or intervals are wanted of a model that has none or with a wrong probability.
    """
    machine = load_machine(model)
    reach = (
        None if interval is None else sure(machine.posterior, "--interval").reach(check_share(interval, "--interval"))
    )
    grouped = [text for text in views if text.partition("=")[0].strip() not in in_files(views)]
    if grouped:
        raise InvalidOption(
            f"--view: got {grouped[0]!r}, wanted name=file such as mri=mri.csv; the model knows the columns of views"
        )
    table = read_joined(data, views, key, whole=True)
    known = table.own_target if target is None else target
    table = as_trained(machine, table, known)
    tell(table.notes(read_of(machine, table, known)))
    wanted = None if known is None else _wanted(machine, table, known)
    rows = rows_for(machine, table, known)
    predicted = _predictions.predictions(machine, rows, reach, source=table.source, progress=progress)
    if wanted is None:
        return Predictions(predicted, {})
    errors = _errors(machine, predicted, wanted)
    if target is not None and not errors:
        tell([_unmeasured(machine, target)])
    return Predictions(predicted, errors)


def _unmeasured(machine: Model, target: str) -> str:
    """A note where answers were given and no error can be said."""
    why = "says how usual rows are" if machine.criterion.task == "novelty" else "predicts several targets"
    return f"targets: the model {why}, so no error is measured with column {target!r}"


def as_trained(machine: Model, table: Table, target: str | None) -> Table:
    """A table whose numbers, those of the target too, are read with the marks that the training rows have before
    decimals and between thousands.

    Raises:
        InvalidData: it has other columns.
    """
    names, encoding = columns_of(machine, table, target), machine.kernel.encoding
    if encoding is None:
        return table
    targets = {target: encoding.target_marks} if target is not None and encoding.target_marks else {}
    return table.written_as({**targets, **{names[j]: mark for j, mark in encoding.marks}})


def rows_for(machine: Model, table: Table, target: str | None) -> Rows:
    """The rows of a table as the model wants them.

    Raises:
        InvalidData: it has other columns.
    """
    names, encoding = columns_of(machine, table, target), machine.kernel.encoding
    return table.rows(names, () if encoding is None else {names[j] for j in encoding.texts})


def columns_of(machine: Model, table: Table, target: str | None) -> tuple[str, ...]:
    """The columns of the table that the model wants: by the names that it keeps, else all but the target.

    Raises:
        InvalidData: it has another number of them.
    """
    if machine.columns:
        return machine.columns
    names = table.others([] if target is None else [target])
    if len(names) != machine.kernel.width:
        raise InvalidData(
            f"{table.source} has {len(names)} columns, the model wants {machine.kernel.width}; it does not know their "
            "names, so the file must hold these columns, in the order of the training rows, and nothing else"
        )
    return names


def read_of(machine: Model, table: Table, target: str | None) -> tuple[str, ...]:
    """The columns of the table that are read: those that the model wants, and the target where it is there."""
    names = columns_of(machine, table, target)
    return names if target is None or target in names or target not in table.names else (*names, target)


def _wanted(machine: Model, table: Table, target: str) -> npt.NDArray[Any]:
    """The right answers in a column (n,), which is looked at before the rows are predicted.

    Raises:
        InvalidData: one is missing, or they are words and the model predicts numbers.
    """
    wanted = table.target(target)
    if machine.criterion.task == "regression" and wanted.dtype.kind not in "biuf":
        raise InvalidData(
            f"--target: {target!r} holds words, such as {shown(str(wanted[0]))}; the model predicts numbers"
        )
    if machine.classes is not None and machine.criterion.task != "novelty":
        tell(_unknown(machine.classes, wanted, target))
    return wanted


def _unknown(classes: npt.NDArray[Any], wanted: npt.NDArray[Any], target: str) -> Iterator[str]:
    """A note where no right answer is a class that was learned, as where classes are spelled in another way."""
    if all(differ(np.full(len(wanted), one), wanted).all() for one in classes):
        yield (
            f"targets: column {target!r} holds none of the classes that were learned, such as {shown(classes[0])}, but "
            f"values such as {shown(wanted[0])}, so every label counts as wrong; write the classes as they were "
            "learned, or name another column"
        )


def _errors(machine: Model, columns: dict[str, npt.NDArray[Any]], wanted: npt.NDArray[Any]) -> dict[str, float]:
    task, predicted = machine.criterion.task, columns.get("prediction")
    if task == "novelty" or predicted is None:
        return {}
    if task == "classification":
        return {measure(task): wrong(predicted, wanted)}
    return {measure(task): root_mean_square(predicted, wanted)}


def show(found: Predictions) -> None:
    """Write the predictions as CSV to standard output."""
    text = io.StringIO()
    _csv.write(text, found.columns)
    _stdout.put(text.getvalue())
