"""A second-order cone program as arrays, and its answer: what the backends share."""

import attrs
import numpy as np
from scipy import sparse

from kernelopt.plugin import FloatArray, IntArray


@attrs.frozen(eq=False)
class Program:
    """A cone program in the form of Clarabel.

        minimise    1/2 sum quadratic x^2 + linear'x
        subject to  matrix x + s = rhs,    s in {0}^zero x [0, inf)^nonnegative x second-order cones

    A second-order cone is the set of s with s_0 >= |(s_1, s_2, ...)|.

    Attributes:
        quadratic, linear: shape (N,); quadratic >= 0.
        matrix: sparse by columns, shape (M, N).
        rhs: shape (M,).
        zero, nonnegative: how many rows are equalities and how many inequalities; they come first, in this order.
        cones: the sizes of the second-order cones, in the order of their rows.
    """

    quadratic: FloatArray
    linear: FloatArray
    matrix: sparse.csc_matrix
    rhs: FloatArray
    zero: int
    nonnegative: int
    cones: tuple[int, ...]

    @property
    def starts(self) -> IntArray:
        """Where each second-order cone begins among the rows of all of them, shape (number of cones,)."""
        return np.concatenate([[0], np.cumsum(self.cones)[:-1]]).astype(np.intp)


@attrs.frozen(eq=False)
class Answer:
    """What a backend found.

    Attributes:
        x: shape (N,).
        multipliers: of the second-order cones' rows, shape (sum of their sizes,); each cone's are in the cone.
        solved: whether the backend met its tolerance.
        note: its own word for how it ended.
    """

    x: FloatArray
    multipliers: FloatArray
    solved: bool
    note: str

    @property
    def usable(self) -> bool:
        """Whether there are numbers at all."""
        return bool(np.isfinite(self.x).all() and np.isfinite(self.multipliers).all())
