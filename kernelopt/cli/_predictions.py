"""What a learned machine says of rows, as columns of a CSV file."""

from pathlib import Path
from typing import Any

import numpy.typing as npt

from kernelopt._base._errors import InvalidData
from kernelopt._base._typing import FloatArray
from kernelopt._base.tables._tables import Table
from kernelopt._model._model import Model
from kernelopt._model._solution import Solution
from kernelopt._prediction._interval import around
from kernelopt._prediction._said import said
from kernelopt.cli._guard import say
from kernelopt.cli._predicting import predicting
from kernelopt.cli.reading import _csv


def predictions(
    machine: Solution | Model, Z: Table, reach: float | None = None, *, source: str, progress: bool = False
) -> dict[str, npt.NDArray[Any]]:
    """What a machine says of rows Z, as columns of a file; several outputs have a decision column each.

    Under the evidence there are probabilities of classes, or standard deviations of new targets, and the ends of
    intervals that reach so many of these to either side. A live line says how many rows are done, if there is to be
    one. Messages on these rows begin with `source`.
    """
    rows, classes = machine.kernel.rows(Z, source), machine.classes
    passes = 1 if machine.posterior is None else 2
    with predicting(passes * len(rows), wanted=progress) as told:
        all_ = said(machine.predictor, machine.posterior, machine.odds, rows, told)
    labels = {"prediction": all_.prediction} if all_.prediction.ndim == 1 else {}
    found = labels | _parted("decision_function", all_.values, classes)
    if all_.probabilities is not None:
        found |= _parted("probability", all_.probabilities, classes)
    if all_.deviation is not None:
        found |= _parted("standard_deviation", all_.deviation, None)
    if all_.deviation is not None and reach is not None:
        lower, upper = around(all_.prediction, all_.deviation, reach)
        found |= _parted("lower", lower, None) | _parted("upper", upper, None)
    return found


def _parted(name: str, values: FloatArray, labels: npt.NDArray[Any] | None) -> dict[str, npt.NDArray[Any]]:
    """One column of values, shape (n,), or several, shape (n, c), with their labels, or numbers, behind the name."""
    if values.ndim == 1:
        return {name: values}
    those = range(values.shape[1]) if labels is None else labels
    return {f"{name} {label}": column for label, column in zip(those, values.T, strict=True)}


def save(out: Path, columns: dict[str, npt.NDArray[Any]]) -> None:
    """Write the predictions, and say so."""
    try:
        with out.open("w", newline="", encoding="utf-8") as file:
            _csv.write(file, columns)
    except OSError as error:
        raise InvalidData(f"{out} cannot be written: {error.strerror}") from None
    say(f"{len(next(iter(columns.values())))} predictions written to {out}")
