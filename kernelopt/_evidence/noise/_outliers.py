"""Targets that a Gaussian likelihood cannot believe."""

import numpy as np

from kernelopt._base._typing import BoolArray, FloatArray, IntArray

_FAR = 10.0
"""So many robust deviations from the median no Gaussian noise comes in any number of rows."""
_IMPROBABLE = 5.0
"""Farther than so many deviations Gaussian noise takes one row in two million."""
_SUSPECT = 0.3
"""Residuals of which such rows make up so much of the squares are no Gaussian noise: a guard, for time, since noise of
Student's t then has to predict better, and to try it takes as long again. Worth: `outliers_table.py`."""
_OFTEN_NOTHING, _MANY = 0.5, 2000
"""The same of several targets, and of more rows than these: guards. Where the noise of several targets has different
sizes, rows are more likely under Student's t than with the one noise that all have in common, and that says nothing of
outliers; and with many rows a trial that comes to nothing doubles a time that is long."""
_GAUSSIAN = 1.4826
"""A standard deviation over the median absolute deviation, for Gaussian numbers."""
_NAMED = 5
"""So many rows are named."""


def dominated(residuals: FloatArray) -> bool:
    """Whether rows that Gaussian noise cannot explain make up much of the squares of an output's residuals (n, c)."""
    n, outputs = residuals.shape
    least = _SUSPECT if outputs == 1 and n <= _MANY else _OFTEN_NOTHING
    return bool((_share(np.abs(residuals), _IMPROBABLE)[1] > least).any())


def improbable(residuals: FloatArray) -> BoolArray:
    """Which rows Gaussian noise cannot explain, by their residuals (n, c), shape (n,)."""
    return np.asarray(_share(np.abs(residuals), _IMPROBABLE)[0].any(axis=1))


def _share(away: FloatArray, far: float) -> tuple[BoolArray, FloatArray]:
    """Which numbers (n, c) are farther away than so many robust deviations, and their share of all squares, (c,)."""
    deviation = _GAUSSIAN * np.median(away, axis=0)
    beyond = (away > far * deviation) & (deviation > 0.0)
    return beyond, np.sum(away**2 * beyond, axis=0) / np.maximum(np.sum(away**2, axis=0), np.finfo(float).tiny)


def _away(Y: FloatArray) -> FloatArray:
    """How far targets (n, c) are from the median of each output."""
    return np.asarray(np.abs(Y - np.median(Y, axis=0)))


def far_out(Y: FloatArray) -> IntArray:
    """The rows whose targets (n, c) are far out and make up most of an output's variance, ascending."""
    far, share = _share(_away(Y), _FAR)
    return np.flatnonzero((far & (share > 0.5)).any(axis=1))


def outlying(Y: FloatArray, rows: IntArray) -> str | None:
    """One sentence on the rows whose targets are far out and make up most of the variance; None where there are none.

    Where all targets are positive and no logarithm of one is far out, their ratios are alike and not their differences:
    then the logarithms are advised.

    Args:
        Y: the targets as the user passed them, shape (n, c).
        rows: what the user calls these rows, shape (n,).
    """
    away = _away(Y)
    share = _share(away, _FAR)[1]
    chosen = far_out(Y)
    if not chosen.size:
        return None
    first = chosen[np.argsort(-away[chosen].max(axis=1), kind="stable")[:_NAMED]]
    names = ", ".join(str(row) for row in np.sort(rows[first]))
    one = len(chosen) == 1
    which = f"the target of row {names} is" if one else f"the targets of {len(chosen)} rows (farthest: {names}) are"
    far = (
        f"{which} more than {_FAR:g} robust deviations from the median and make{'s' if one else ''} up "
        f"{share.max():.0%} of the variance"
    )
    if (Y > 0.0).all() and not _share(_away(np.log(Y)), _FAR)[0].any():
        return (
            f"y: {far}, so Gaussian noise may make all other targets look like noise; all targets are positive, and "
            "none of their logarithms is so far from the median, so learn the logarithms, as "
            "sklearn.compose.TransformedTargetRegressor(kernelopt.KernelRegressor(), func=numpy.log, "
            "inverse_func=numpy.exp) does, or check these rows"
        )
    return (
        f"y: {far}, so Gaussian noise may make all other targets look like noise; check these rows, and correct them "
        'or leave them out, or take criterion="svr", where the influence of a row is at most C'
    )
