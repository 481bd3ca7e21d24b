"""The weights of rows, as people give them, become clean arrays, or one clear error."""

from typing import Any

import numpy as np

from kernelopt._base._errors import InvalidData
from kernelopt._base._shown import shown
from kernelopt._base._typing import FloatArray
from kernelopt._base.tables._input import as_array, refuse_masked, to_float

_LOST = 1e-15
"""Weights that are together so small a share of another one change no sum with it."""
HEAVIEST, LIGHTEST = 1e100, 1e-150
"""A weight of these sizes, times squares of usual numbers, is far from what overflows, and so is its square divided by
such a weight."""


def check_weights(weights: Any, n: int) -> FloatArray:
    """Sample weights as an array of n finite numbers >= 0, ones where none are given.

    Raises:
        InvalidData: they are something else.
    """
    if weights is None:
        return np.ones(n)
    refuse_masked(weights, "sample_weight")
    if isinstance(weights, str):
        raise InvalidData(
            f"sample_weight is {shown(weights)}, wanted a number for each of the {n} rows; classes are weighed by "
            'class_weight="balanced"'
        )
    array = as_array(weights, "sample_weight")
    if array.dtype.kind not in "biuf":
        array = to_float(array, "sample_weight")
    if array.shape != (n,):
        raise InvalidData(f"sample_weight has shape {array.shape}, wanted ({n},)")
    weight = np.asarray(array, dtype=np.float64)
    wrong = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0.0)))
    if wrong.size:
        more = f", and {wrong.size - 1} more are negative, NaN or infinite" if wrong.size > 1 else ""
        raise InvalidData(
            f"sample_weight is {weight[wrong[0]]:g} in row {wrong[0]} (counted from 0){more}, wanted finite numbers "
            ">= 0; give the weight 0 to rows that are to be left out"
        )
    _refuse_far(weight)
    return weight


def _refuse_far(weight: FloatArray) -> None:
    """Refuse weights (n,) whose sums overflow or whose squares are 0, and one beside which all others are lost by
    rounding.

    Raises:
        InvalidData: there is one.
    """
    row = int(np.argmax(weight)) if len(weight) else 0
    largest, others = float(weight.max(initial=0.0)), float(np.delete(weight, row).sum()) if len(weight) else 0.0
    if 0.0 < others < _LOST * largest:
        raise InvalidData(
            f"sample_weight is {largest:.3g} in row {row} (counted from 0) and {others:.3g} in all other rows "
            "together, which rounding loses beside it, wanted how many rows each row stands for; give this row a "
            "smaller weight"
        )
    if largest > HEAVIEST:
        raise InvalidData(
            f"sample_weight has values up to {largest:.3g}, wanted {HEAVIEST:g} at most, because sums of weighted "
            "squares would overflow; divide all weights by their mean"
        )
    least = float(weight[weight > 0.0].min(initial=HEAVIEST))
    if least < LIGHTEST:
        raise InvalidData(
            f"sample_weight has values down to {least:.3g}, wanted 0 or {LIGHTEST:g} at least, because their squares "
            "would be rounded to 0; give such rows the weight 0, or divide all weights by their mean"
        )
