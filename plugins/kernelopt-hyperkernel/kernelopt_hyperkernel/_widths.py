"""The widths sigma_j of a hyperkernel: given, or from the distances of the training rows in each column."""

import math
import re
from typing import Any, TypeAlias

import numpy as np

from kernelopt.plugin import FloatArray, IntArray, InvalidOption

Sigma: TypeAlias = float | tuple[float, ...] | str

QUANTILE = 0.9
PRINTED = 50.0
"""So many quantiles is a width by the letter of Ong, Smola and Williamson (2005), section 7."""
_WORDS = re.compile(r"printed|(?:(?P<factor>\d+(?:\.\d+)?) )?quantile")
_ROUNDING = 1e-9


def as_sigma(value: Any) -> Sigma:
    """One of the words, a positive number, or a tuple with one per column, from anything array-like."""
    if isinstance(value, str) and _WORDS.fullmatch(value) and _factor(value) > 0.0:
        return value
    try:
        numbers = np.asarray(value, dtype=float)
        right = numbers.ndim <= 1 and numbers.size > 0 and bool(np.isfinite(numbers).all() and (numbers > 0.0).all())
    except (TypeError, ValueError):
        right = False
    if not right or isinstance(value, bool | str):
        raise InvalidOption(
            'Hyperkernel: sigma must be "quantile", a multiple of it such as "4 quantile", "printed", a positive '
            f"finite number, or one per column, got {value!r}"
        )
    return float(numbers) if numbers.ndim == 0 else tuple(numbers.tolist())


def widths(sigma: Sigma, X: FloatArray, weight: FloatArray) -> FloatArray:
    """sigma_j of each column, shape (d,), from training rows X (n, d) with weights (n,) > 0."""
    d = X.shape[1]
    if sigma == "printed":
        return np.array([PRINTED * _quantile(column, weight) for column in X.T])
    if isinstance(sigma, str):
        return np.array([_factor(sigma) * _from_distances(column, weight) / d for column in X.T])
    return _per_column(sigma, d)


def _factor(words: str) -> float:
    """The number in "4 quantile"; 1 without one."""
    found = _WORDS.fullmatch(words)
    return float(found["factor"] or 1.0) if found else 1.0


def cut(sigma: Sigma, columns: IntArray, width: int) -> Sigma:
    """Those of these of `width` columns, (d',)."""
    return tuple(_per_column(sigma, width)[columns].tolist()) if isinstance(sigma, tuple) else sigma


def _per_column(sigma: float | tuple[float, ...], d: int) -> FloatArray:
    """One for each of d columns, shape (d,)."""
    given = np.atleast_1d(np.asarray(sigma, dtype=float))
    if given.size not in (1, d):
        raise InvalidOption(
            f"Hyperkernel: sigma has {given.size} entries for {d} columns; give one number or one per column"
        )
    return np.array(np.broadcast_to(given, (d,)))


def _from_distances(x: FloatArray, weight: FloatArray) -> float:
    """1 / q^2, q the 90 % quantile of |x_i - x_j|; the range where fewer pairs differ; 0 for a constant column."""
    q = _quantile(x, weight) or float(np.ptp(x))
    return 1.0 / (q * q) if q * q > 0.0 and math.isfinite(1.0 / (q * q)) else 0.0


def _quantile(x: FloatArray, weight: FloatArray) -> float:
    """The smallest q with |x_i - x_j| <= q for 90 % of all ordered pairs, i = j included, a pair counting w_i w_j."""
    first, second = np.triu_indices(len(x))
    distance = np.abs(x[first] - x[second])
    share = weight[first] * weight[second] * np.where(first == second, 1.0, 2.0)
    order = np.argsort(distance, kind="stable")
    below = np.cumsum(share[order])
    return float(distance[order[np.searchsorted(below, (QUANTILE - _ROUNDING) * below[-1])]])
