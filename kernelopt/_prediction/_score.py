"""How well predictions agree with the targets of the same rows: the accuracy of classes, R2 of numbers."""

from typing import Any

import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import InvalidData
from kernelopt._base._shown import shown
from kernelopt._base.tables._input import check_target

_SQUARED = 1e-100
"""The squares of numbers from this size to its inverse keep all their digits."""


def score_of(predicted: npt.NDArray[Any], y: Any, classes: npt.NDArray[Any] | None) -> float:
    """The share of rows that are predicted right; in regression R2, and of several targets the mean of their R2.

    A class that was not learned is predicted wrong.

    Args:
        predicted: a class of each row, shape (n,), or its numbers, shape (n,) or (n, c).
        y: the targets of these rows, of the same shape; a single column of them may have the shape (n, 1).
        classes: those that were learned, shape (k,); None in regression.

    Raises:
        InvalidData: y has another shape, values are missing, or it has words where numbers were learned, or the
            reverse.
    """
    targets = check_target(y)
    if len(targets) != len(predicted):
        raise InvalidData(f"y has {len(targets)} values and Z has {len(predicted)} rows, wanted one value for each row")
    if targets.shape != predicted.shape:
        raise InvalidData(f"y has shape {targets.shape}, wanted {predicted.shape}, as what is predicted")
    learned = predicted if classes is None else classes
    if _words(targets) != _words(learned):
        example = "numbers" if classes is None else f"classes as in training, such as {shown(classes[0])}"
        raise InvalidData(f"y has values such as {shown(targets.flat[0])}, wanted {example}; convert y")
    if classes is not None:
        return float(np.mean(predicted == targets))
    from sklearn.metrics import r2_score  # it is imported where it is needed

    size = np.abs(targets).max(axis=0, initial=0.0)
    unit = np.where((size > _SQUARED) & (size < 1.0 / _SQUARED) | (size == 0.0), 1.0, size)
    return float(r2_score(targets / unit, predicted / unit))


def _words(values: npt.NDArray[Any]) -> str:
    """The kind of the words that values are: text, bytes, or none where they are numbers."""
    return values.dtype.kind if values.dtype.kind in "US" else ""
