"""The best weights of any sign whose matrix is positive semidefinite: a linear program over a slice of a cone.

    maximise  q'c   subject to  sum_a c_a = 1,   A(c) = sum_a c_a A_a >= 0,   |c_a| <= largest

The number of weights is small here and the order r of the matrices is not. A primal-dual interior point that eliminates
all but the weights has the cost of a few products of matrices for each weight and step, where a general solver would
hold a system in all entries of the matrix. The direction is that of Helmberg, Rendl, Vanderbei and Wolkowicz (1996),
with the predictor and corrector of Mehrotra (1992). A dual point S >= 0 with q_a + <A_a, S> = lambda for every a proves
q'c = lambda - <A(c), S> <= lambda for all weights c.
"""

from typing import Self

import attrs
import numpy as np
import scipy.linalg

from kernelopt.plugin import FloatArray
from kernelopt_sdp._pairs import MatrixPair, inner, symmetric

_ROUNDED = 1e-11
"""So far below 0, as a share of the largest eigenvalue of equal weights, a matrix may be: rounding hides it."""
_SAME = 1e-13
"""A change of the weights that changes the matrices by less than this share changes rounding alone."""
_GAP = 1e-8
"""Between both bounds at the end, as a share of the bound or of the differences in q, whichever is larger."""
_ALMOST = 0.98
"""Of the way to where a matrix becomes singular, a step goes so far."""
_STEPS = 60
"""At most; some twelve are taken."""


@attrs.frozen(eq=False)
class Slice:
    """The weights c of m matrices with sum c = 1, A(c) >= 0 and |c_a| <= largest.

    Attributes:
        matrices: A_a, in the directions that any of them has, where equal weights make the identity, and the bounds on
            the weights as 2 m further diagonal entries, shape (m, r, r).
        basis: the changes of the weights that leave their sum as it is and change a matrix, orthonormal, shape (m, k),
            k < m.
    """

    matrices: FloatArray
    basis: FloatArray

    @classmethod
    def of(cls, grams: FloatArray, largest: float) -> Self:
        """From positive semidefinite matrices, shape (m, n, n), and a bound above 1."""
        m = len(grams)
        values, vectors = scipy.linalg.eigh(grams.mean(axis=0))
        room = _ROUNDED * values[-1]
        seen = np.abs(grams @ vectors).max(axis=(0, 1)) > len(values) * np.finfo(float).eps * values[-1]
        B = vectors[:, seen] / np.sqrt(np.maximum(values[seen], 0.0) + room)
        whitened = np.stack([_positive(B.T @ K @ B) + room * (B.T @ B) for K in grams])
        r = whitened.shape[1]
        inverse = scipy.linalg.solve_triangular(np.linalg.cholesky(whitened.mean(axis=0)), np.eye(r), lower=True)
        matrices = np.zeros((m, r + 2 * m, r + 2 * m))
        matrices[:, :r, :r] = inverse @ whitened @ inverse.T
        for sign, place in ((1.0, r), (-1.0, r + m)):  # largest + sign c_a, of which sum c = 1 makes a linear form
            bounds = (largest + sign * np.eye(m)) / (largest + sign / m)
            matrices[:, range(place, place + m), range(place, place + m)] = bounds
        return cls(matrices, _changes(grams.reshape(m, -1)))

    def weights(self, y: FloatArray) -> FloatArray:
        """A change y (k,) away from equal weights, shape (m,)."""
        return np.asarray(1.0 / len(self.matrices) + self.basis @ y)

    def lowest(self, c: FloatArray) -> float:
        """The smallest eigenvalue of A(c), for any c (m,)."""
        A = np.tensordot(c, self.matrices, axes=1)
        return float(scipy.linalg.eigh(A, eigvals_only=True, subset_by_index=[0, 0])[0])

    def reach(self, y: FloatArray) -> float:
        """How many times a change y can be made until A(c) is singular."""
        return -1.0 / (self.lowest(self.weights(y)) - 1.0)

    def best(self, q: FloatArray) -> tuple[FloatArray, float]:
        """The weights with nearly the largest q'c, shape (m,), and a bound that no weights exceed."""
        slope, middle = self.basis.T @ q, float(q.mean())
        spread = float(np.abs(slope).max(initial=0.0))
        if spread <= np.finfo(float).eps * abs(middle):
            return self.weights(np.zeros(len(slope))), middle
        maps = np.tensordot(self.basis.T, self.matrices, axes=1)
        y, above = _highest(maps, slope / spread, abs(middle) / spread)
        return self.weights(y), middle + spread * above


def _changes(rows: FloatArray) -> FloatArray:
    """The orthonormal changes c (m, k) with sum c = 0 that change c'rows, the largest change first."""
    basis = scipy.linalg.null_space(np.ones((1, len(rows))))
    turn, sizes, _ = scipy.linalg.svd(basis.T @ rows, full_matrices=False)
    return np.asarray(basis @ turn[:, sizes > _SAME * np.linalg.norm(rows)])


def _positive(A: FloatArray) -> FloatArray:
    """A symmetric matrix without what rounding made negative in it."""
    values, vectors = scipy.linalg.eigh(A)
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)


def _highest(maps: FloatArray, slope: FloatArray, middle: float) -> tuple[FloatArray, float]:
    """The y (k,) with nearly the largest slope'y where I + maps'y >= 0, and a bound on slope'y.

    Args:
        maps: symmetric matrices, shape (k, r, r).
        slope: shape (k,).
        middle: what the gap may be compared with, besides slope'y.
    """
    point, ceiling, best = _Point.start(maps, slope), np.inf, np.zeros(len(slope))
    for _ in range(_STEPS):
        if np.abs(point.missing).max() <= 1e-9:
            ceiling = min(ceiling, float(np.trace(point.S)))
        best = point.y
        if ceiling - slope @ best <= _GAP * max(middle, 1.0, abs(float(slope @ best))):
            break
        try:
            point = point.next()
        except np.linalg.LinAlgError:  # as near as rounding lets it come
            break
    return best, ceiling


@attrs.frozen(eq=False)
class _Point:
    """Weights, and a dual point of them.

    Attributes:
        maps: shape (k, r, r).
        slope: shape (k,).
        y: shape (k,), where Z = I + maps'y > 0.
        S: shape (r, r), > 0.
    """

    maps: FloatArray
    slope: FloatArray
    y: FloatArray
    S: FloatArray

    @classmethod
    def start(cls, maps: FloatArray, slope: FloatArray) -> Self:
        k, r = maps.shape[:2]
        sizes = np.linalg.norm(maps.reshape(k, -1), axis=1)
        return cls(maps, slope, np.zeros(k), np.eye(r) * np.sqrt(r) * float(((1.0 + np.abs(slope)) / sizes).max()))

    @property
    def missing(self) -> FloatArray:
        """What slope + <maps, S> lacks to 0, shape (k,)."""
        return -self.slope - self._form(self.S)

    def _form(self, W: FloatArray) -> FloatArray:
        """<maps, W>, shape (k,)."""
        return np.asarray(self.maps.reshape(len(self.y), -1) @ W.ravel())

    def _matrix(self, y: FloatArray) -> FloatArray:
        return np.asarray(np.tensordot(y, self.maps, axes=1))

    def next(self) -> Self:
        """A step of predictor and corrector.

        Raises:
            LinAlgError: a matrix is singular up to rounding.
        """
        r = len(self.S)
        pair = MatrixPair(np.eye(r) + self._matrix(self.y), self.S)
        M = np.array([self._form(pair.S @ one @ pair.inverse) for one in self.maps])
        factor = scipy.linalg.cho_factor(symmetric(M))
        mu = inner(pair) / r

        def towards(centre: float, bend: FloatArray | float) -> tuple[FloatArray, FloatArray, FloatArray]:
            """Changes of y, S and Z to S Z = centre I."""
            drift = pair.drift(centre) - bend
            dy = scipy.linalg.cho_solve(factor, self._form(drift) - self.missing)
            dZ = self._matrix(dy)
            return dy, drift - pair.turned(dZ), dZ

        _, dS, dZ = towards(0.0, 0.0)
        far = [min(1.0, pair.dual_reach(dS)), min(1.0, pair.reach(dZ))]
        left = max(inner(pair, far[1] * dZ, far[0] * dS) / r, 0.0)
        dy, dS, dZ = towards(mu * min(left / mu, 1.0) ** 2, pair.bend(dZ, dS))
        far = [min(1.0, _ALMOST * pair.dual_reach(dS)), min(1.0, _ALMOST * pair.reach(dZ))]
        return attrs.evolve(self, y=self.y + far[1] * dy, S=self.S + far[0] * dS)
