"""The likelihood of a linear mixed model in its variances, restricted or not, with its derivatives."""

import math

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._evidence._factorisation import Factored, factored
from kernelopt._evidence._list_likelihood import Lists, Point, Slopes
from kernelopt._linalg._gram import Dense, Gram

_ROWS = 64
"""So many rows of the sum are formed at a time: they stay in the cache while all kernels are added."""


@attrs.frozen(eq=False)
class Fitted(Point):
    """The model at some variances: V = sum_a w_a K_a + w_e I, and what follows from its factor.

    P = V^-1 - V^-1 Q (Q'V^-1 Q)^-1 Q'V^-1 for an orthonormal basis Q of the fixed effects, and P = V^-1 - B B'.

    Attributes:
        residual: v = P y, shape (n,).
        effects: (Q'V^-1 Q)^-1 Q'V^-1 y, shape (q,).
        root: R with R R' = Q'V^-1 Q, lower triangular, shape (q, q).
        B: V^-1 Q R'^-1, shape (n, q).
        quadratic: y'P y.
        factor: of V; None where its memory was given to the inverse.
    """

    residual: FloatArray
    effects: FloatArray
    root: FloatArray
    B: FloatArray
    quadratic: float
    factor: Factored | None

    @property
    def log_restriction(self) -> float:
        """log det Q'V^-1 Q."""
        return 2.0 * float(np.log(np.diagonal(self.root)).sum())

    def log_likelihood(self, *, restricted: bool) -> float:
        """Of y itself at the best fixed effects; restricted: of n - q contrasts of y that no fixed effect moves."""
        n, q = self.B.shape
        count = n - q if restricted else n
        value = self.log_determinant + self.quadratic + count * math.log(2.0 * math.pi)
        return -0.5 * float(value + (self.log_restriction if restricted else 0.0))


@attrs.frozen(eq=False)
class MixedModel(Lists):
    """y = Q b + sum_a u_a + e with u_a ~ N(0, w_a K_a) and e ~ N(0, w_e I); minus its log-likelihood is minimised.

    The last weight is w_e. The restricted likelihood is that of A'y for an orthonormal A with A'Q = 0 (Harville 1974),
    so that it does not depend on the basis of the fixed effects.

    Attributes:
        kernels: K_a, shape (n, n) each.
        y: shape (n,).
        Q: orthonormal, shape (n, q).
        restricted: whether the likelihood is.
        rough: whether the traces among the derivatives may have seven digits, which takes half the time, where single
            precision leaves V so many.
    """

    kernels: tuple[FloatArray, ...]
    y: FloatArray
    Q: FloatArray
    restricted: bool
    rough: bool = False

    def at(self, w: FloatArray) -> Fitted | None:
        """One Cholesky factor of V, and the only n x n array; None where V is not positive definite."""
        factor = factored(Dense(self._sum(w[:-1])), float(w[-1]), keep=False)
        if factor is None:
            return None
        solved = factor.solve(np.column_stack([self.y, self.Q]))
        inner = self.Q.T @ solved[:, 1:]
        try:
            root: FloatArray = np.asarray(np.linalg.cholesky(inner), dtype=np.float64)
        except np.linalg.LinAlgError:
            return None
        effects = np.asarray(np.linalg.solve(inner, self.Q.T @ solved[:, 0]), dtype=np.float64)
        B = np.asarray(np.linalg.solve(root, solved[:, 1:].T).T, dtype=np.float64)
        v = solved[:, 0] - solved[:, 1:] @ effects
        quadratic, log_determinant = float(self.y @ v), factor.log_determinant
        value = 0.5 * (log_determinant + quadratic)
        value += float(np.log(np.diagonal(root)).sum()) if self.restricted else 0.0
        if not np.isfinite(value):
            return None
        return Fitted(w, value, log_determinant, v, effects, root, B, quadratic, factor)

    def slopes(self, point: Point) -> Slopes:
        """The derivatives at a point, whose factor is used up: V^-1 takes its memory.

        values_a = v'K_a v; prices_a = tr(P K_a), or tr(V^-1 K_a) where the likelihood is not restricted; information_ab
        = v'K_a P K_b v / 2, the average information (Gilmour, Thompson and Cullis 1995).
        """
        assert isinstance(point, Fitted)
        assert point.factor is not None
        v, B = point.residual, point.B
        inverse = point.factor.inverse(single=self.rough, last=True)
        products, traces = self._products(np.column_stack([v, B]), inverse)
        images = np.column_stack([products[:, :, 0].T, v])
        along = B.T @ images
        information = 0.5 * (images.T @ inverse.apply(images) - along.T @ along)
        if self.restricted:
            traces -= [*(np.vdot(B, product[:, 1:]) for product in products), np.vdot(B, B)]
        information = 0.5 * (information + information.T)
        return Slopes(images.T @ v, traces, information, float(traces[-1]), images=images.T[:, :, None])

    def solution(self, point: Point) -> FloatArray:
        """P y, shape (n, 1)."""
        assert isinstance(point, Fitted)
        return point.residual[:, None]

    def without(self, a: int) -> "MixedModel":
        """The model that lacks one kernel."""
        return attrs.evolve(self, kernels=(*self.kernels[:a], *self.kernels[a + 1 :]))

    def alone(self) -> float:
        """The largest log-likelihood without any kernel: of independent residuals."""
        n, q = self.Q.shape
        left = self.y - self.Q @ (self.Q.T @ self.y)
        count = n - q if self.restricted else n
        return -0.5 * float(count * (math.log(2.0 * math.pi * float(left @ left) / count) + 1.0))

    def _products(self, vectors: FloatArray, inverse: Gram) -> tuple[FloatArray, FloatArray]:
        """K_a of vectors (n, k), shape (m, n, k), with tr(V^-1 K_a) and tr(V^-1), in one pass over the kernels."""
        products = np.empty((len(self.kernels), *vectors.shape))
        traces = np.zeros(len(self.kernels) + 1)
        traces[-1] = inverse.diag().sum()
        for first in range(0, len(vectors), _ROWS):
            rows = slice(first, first + _ROWS)
            entries = inverse.rows(np.arange(len(vectors))[rows])
            for a, K in enumerate(self.kernels):
                traces[a] += np.vdot(entries, K[rows])
                np.matmul(K[rows], vectors, out=products[a, rows])
        return products, traces

    def _sum(self, w: FloatArray) -> FloatArray:
        """sum_a w_a K_a, shape (n, n)."""
        V = np.zeros((len(self.y),) * 2)
        for first in range(0, len(V), _ROWS):
            rows = slice(first, first + _ROWS)
            for weight, K in zip(w, self.kernels, strict=True):
                if weight > 0.0:
                    V[rows] += weight * K[rows]
        return V
