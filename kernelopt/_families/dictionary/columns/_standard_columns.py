"""Columns of mean 0 and standard deviation 1, also where they lie far from 0."""

from typing import TypeAlias

import numpy as np

from kernelopt._base._typing import FloatArray

Frame: TypeAlias = tuple[FloatArray, ...]
"""Of every column a number near its mean, its deviation, and what the mean is more, which earlier files lack."""


def mean(X: FloatArray, weight: FloatArray) -> FloatArray:
    """Of columns (n, d) of rows of weights (n,), shape (d,); rows that all count once are not multiplied by their 1."""
    if (weight == 1.0).all():
        return np.asarray(X.sum(axis=0) / len(X))
    return np.asarray(np.average(X, axis=0, weights=weight))


def standard(X: FloatArray, weight: FloatArray) -> Frame:
    """The frame of training rows X (n, d) with weights (n,); a constant column counts as of deviation 1.

    Far from 0 a mean has fewer digits than the differences from it, so that it is taken in two steps.
    """
    near = mean(X, weight)
    apart = X - near
    rest = mean(apart, weight)
    apart -= rest
    # In units of the largest difference, so that no square leaves the floating point numbers.
    largest = np.maximum(apart.max(axis=0), -apart.min(axis=0))
    largest = np.where(largest > 0.0, largest, 1.0)
    apart /= largest
    apart *= apart
    deviation = largest * np.sqrt(mean(apart, weight))
    return near, np.where(deviation > 0.0, deviation, 1.0), rest


def rescaled(X: FloatArray, frame: Frame, out: FloatArray | None = None) -> FloatArray:
    """Rows (n, d) in the units of a frame, written into `out` where that is given."""
    near, deviation, *rest = frame
    rows = np.subtract(X, near, out=out)
    for more in rest:
        rows -= more
    rows /= deviation
    return rows
