"""The errors of predictions whose targets are known."""

from typing import Any

import numpy as np
import numpy.typing as npt

from kernelopt._base._typing import BoolArray
from kernelopt._criteria._contract import Task


def measure(task: Task) -> str:
    """What the error of a prediction is called in a report."""
    return "wrong labels" if task == "classification" else "root mean squared error"


def differ(predicted: npt.NDArray[Any], wanted: npt.NDArray[Any]) -> BoolArray:
    """Which labels differ, shape (m,); words and numbers are compared as words."""
    numbers = predicted.dtype.kind in "biuf" and wanted.dtype.kind in "biuf"
    pair = (predicted, wanted) if numbers else (predicted.astype(str), wanted.astype(str))
    return np.asarray(pair[0] != pair[1])


def wrong(predicted: npt.NDArray[Any], wanted: npt.NDArray[Any]) -> float:
    """The share of labels that differ."""
    return float(np.mean(differ(predicted, wanted)))


def root_mean_square(predicted: npt.NDArray[Any], wanted: npt.NDArray[Any]) -> float:
    """The root of the mean squared difference between numbers, in the unit of the targets."""
    return float(np.sqrt(np.mean((predicted - wanted) ** 2)))
