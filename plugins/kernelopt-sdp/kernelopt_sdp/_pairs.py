"""A point of a cone and one of its dual, and how a step of an interior point changes the dual point with the point.

Both are brought to X S = mu I. The direction is that of Helmberg, Rendl, Vanderbei and Wolkowicz (1996): for a change
dX of the point, the dual point changes by the drift minus the turned dX. The bend is what both changes add of second
order, which Mehrotra's corrector (1992) takes off.
"""

from functools import cached_property

import attrs
import numpy as np
import scipy.linalg

from kernelopt.plugin import FloatArray


@attrs.frozen(eq=False)
class MatrixPair:
    """Two positive definite matrices.

    Attributes:
        X: the point, shape (r, r).
        S: the dual point, shape (r, r).

    Raises:
        LinAlgError: from every method, where a matrix is singular up to rounding.
    """

    X: FloatArray
    S: FloatArray

    @property
    def count(self) -> int:
        """How many products of X and S there are to bring to mu."""
        return len(self.X)

    @cached_property
    def root(self) -> FloatArray:
        """L with X = L L', lower triangular."""
        return np.asarray(scipy.linalg.cholesky(self.X, lower=True))

    @cached_property
    def dual_root(self) -> FloatArray:
        """L with S = L L', lower triangular."""
        return np.asarray(scipy.linalg.cholesky(self.S, lower=True))

    @cached_property
    def inverse(self) -> FloatArray:
        """X^-1."""
        return symmetric(scipy.linalg.cho_solve((self.root, True), np.eye(len(self.X))))

    def drift(self, centre: float) -> FloatArray:
        """The change of S towards X S = centre I, if X stays."""
        return np.asarray(centre * self.inverse - self.S)

    def turned(self, dX: FloatArray) -> FloatArray:
        """What a change of X takes from S."""
        return symmetric(self.S @ dX @ self.inverse)

    def bend(self, dX: FloatArray, dS: FloatArray) -> FloatArray:
        """What both changes together add to X S, as a change of S."""
        return symmetric(dS @ dX @ self.inverse)

    def reach(self, dX: FloatArray) -> float:
        """How many times a change of X can be made."""
        return reach(self.root, dX)

    def dual_reach(self, dS: FloatArray) -> float:
        """How many times a change of S can be made."""
        return reach(self.dual_root, dS)


@attrs.frozen(eq=False)
class VectorPair:
    """Two vectors of positive numbers; the methods are those of `MatrixPair` for diagonal matrices.

    Attributes:
        X: the point, shape (m,).
        S: the dual point, shape (m,).

    Raises:
        LinAlgError: a number is not above 0, as a matrix would be singular.
    """

    X: FloatArray
    S: FloatArray

    def __attrs_post_init__(self) -> None:
        if not ((self.X > 0.0).all() and (self.S > 0.0).all()):
            raise np.linalg.LinAlgError("a number of a pair is not above 0")

    @property
    def count(self) -> int:
        """How many products of X and S there are to bring to mu."""
        return len(self.X)

    def drift(self, centre: float) -> FloatArray:
        """The change of S towards X S = centre, if X stays."""
        return np.asarray(centre / self.X - self.S)

    def turned(self, dX: FloatArray) -> FloatArray:
        """What a change of X takes from S."""
        return np.asarray(self.S / self.X * dX)

    def bend(self, dX: FloatArray, dS: FloatArray) -> FloatArray:
        """What both changes together add to X S, as a change of S."""
        return np.asarray(dS * dX / self.X)

    def reach(self, dX: FloatArray) -> float:
        """How many times a change of X can be made."""
        return _reach(self.X, dX)

    def dual_reach(self, dS: FloatArray) -> float:
        """How many times a change of S can be made."""
        return _reach(self.S, dS)


Pair = MatrixPair | VectorPair


def inner(pair: Pair, dX: FloatArray | float = 0.0, dS: FloatArray | float = 0.0) -> float:
    """<X + dX, S + dS>."""
    return float(np.vdot(pair.X + dX, pair.S + dS))


def symmetric(W: FloatArray) -> FloatArray:
    """The symmetric part of a matrix."""
    return 0.5 * (W + W.T)


def reach(root: FloatArray, change: FloatArray) -> float:
    """How many times a change of root root' can be made until it is singular; infinity where it never is."""
    half = scipy.linalg.solve_triangular(root, change, lower=True)
    turned = symmetric(scipy.linalg.solve_triangular(root, half.T, lower=True))
    lowest = float(scipy.linalg.eigh(turned, eigvals_only=True, subset_by_index=[0, 0])[0])
    return -1.0 / lowest if lowest < 0.0 else np.inf


def _reach(x: FloatArray, change: FloatArray) -> float:
    falls = change < 0.0
    return float((-x[falls] / change[falls]).min(initial=np.inf))
