"""Predictions for rows that are not in memory: computed where the rows are, when somebody asks for them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import InvalidData
from kernelopt._base.tables._input import names_of_table
from kernelopt._plugins._sources import source_of
from kernelopt._prediction._predictor import Predictor
from kernelopt._rows._source import Outline, RowSource


def brought(Z: Any) -> RowSource | None:
    """The plugin that brings rows to predict; None where they are in memory.

    Raises:
        MissingLibrary, BrokenPlugin: it is not installed, or broken.
    """
    return source_of(Z, "Z")


def values_at(source: RowSource, machine: Predictor, Z: Any, work: Callable[[Any], Any]) -> Any:
    """Numbers, as many for each row as the machine has outputs."""
    outputs = len(machine.intercept)
    return _mapped(source, machine, Z, work, Outline(np.dtype(np.float64), None if outputs == 1 else outputs))


def labels_at(source: RowSource, machine: Predictor, Z: Any, work: Callable[[Any], Any]) -> Any:
    """What is predicted: a class for each row, or numbers."""
    if machine.classes is None:
        return values_at(source, machine, Z, work)
    return _mapped(source, machine, Z, work, Outline(machine.classes.dtype, None))


def shares_at(source: RowSource, machine: Predictor, Z: Any, work: Callable[[Any], Any]) -> Any:
    """A number for each row and class."""
    classes = 0 if machine.classes is None else len(machine.classes)
    return _mapped(source, machine, Z, work, Outline(np.dtype(np.float64), classes))


def _mapped(
    source: RowSource, machine: Predictor, Z: Any, work: Callable[[Any], npt.NDArray[Any]], outline: Outline
) -> Any:
    """The work on rows that could be those of the machine.

    Raises:
        InvalidData: they have not its columns.
    """
    if len(Z.shape) != 2:
        raise InvalidData(f"Z has {len(Z.shape)} dimensions, wanted two (rows, columns)")
    machine.kernel.refuse_other(int(Z.shape[1]), names_of_table(Z), "Z")
    return source.mapped(Z, work, outline)
