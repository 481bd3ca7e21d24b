"""Columns of mean 0 and standard deviation 1, also where they lie far from 0."""

from typing import TypeAlias

import numpy as np

from kernelopt._base._typing import FloatArray

Frame: TypeAlias = tuple[FloatArray, ...]
"""Of every column a number near its mean, its deviation, and what the mean is more, which earlier files lack."""


def standard(X: FloatArray, weight: FloatArray) -> Frame:
    """The frame of training rows X (n, d) with weights (n,); a constant column counts as of deviation 1.

    Far from 0 a mean has fewer digits than the differences from it, so that it is taken in two steps.
    """
    near = np.average(X, axis=0, weights=weight)
    rest = np.average(X - near, axis=0, weights=weight)
    # In units of the largest difference, so that no square leaves the floating point numbers.
    largest = np.abs(X - near - rest).max(axis=0)
    largest = np.where(largest > 0.0, largest, 1.0)
    deviation = largest * np.sqrt(np.average(((X - near - rest) / largest) ** 2, axis=0, weights=weight))
    return near, np.where(deviation > 0.0, deviation, 1.0), rest


def rescaled(X: FloatArray, frame: Frame) -> FloatArray:
    """Rows (n, d) in the units of a frame."""
    near, deviation, *rest = frame
    return (X - near - rest[0]) / deviation if rest else (X - near) / deviation
