"""The shapes of a kernel as functions of the squared distance, with their slopes."""

import math
from typing import Literal, TypeAlias

import numpy as np

from kernelopt.plugin import FloatArray, decayed

Shape: TypeAlias = Literal["gaussian", "laplace", "matern"]

_TIE = 1e-14
"""Pairs whose squared distance is at most this share of the largest are copies, up to rounding: a kink has no slope
there, by symmetry, where the quotient of two roundings would have a random one."""


def likeness(shape: Shape, squared: FloatArray) -> FloatArray:
    """phi at squared distances, in the same array: exp(-u), exp(-sqrt u) or (1 + s) exp(-s), s = sqrt(3 u)."""
    if shape == "gaussian":
        return decayed(squared, 1.0, squared)
    if shape == "laplace":
        return decayed(squared, 1.0, squared, rooted=True)
    s = np.sqrt(np.multiply(squared, 3.0, out=squared), out=squared)
    fall = decayed(s, 1.0, np.empty_like(s))
    s += 1.0
    s *= fall
    return s


def slopes(shape: Shape, squared: FloatArray) -> tuple[FloatArray, FloatArray]:
    """phi, and its derivative in the squared distance u: -exp(-u), -exp(-sqrt u) / (2 sqrt u) or -3/2 exp(-s).

    The second is infinite at u = 0 and there 0, as that of |R'(x - z)| along any direction is by symmetry.
    """
    if shape == "gaussian":
        values = decayed(squared, 1.0, np.empty_like(squared))
        return values, -values
    if shape == "laplace":
        root = np.sqrt(squared)
        values = decayed(root, 1.0, np.empty_like(root))
        apart = squared > _TIE * float(squared.max(initial=0.0))
        return values, np.divide(-0.5 * values, root, out=np.zeros_like(root), where=apart)
    s = np.sqrt(3.0 * squared)
    fall = decayed(s, 1.0, np.empty_like(s))
    return (1.0 + s) * fall, -1.5 * fall


def least_likeness(shape: Shape, squared: float) -> float:
    """phi at one squared distance."""
    if shape == "gaussian":
        return math.exp(-squared)
    if shape == "laplace":
        return math.exp(-math.sqrt(squared))
    s = math.sqrt(3.0 * squared)
    return (1.0 + s) * math.exp(-s)
