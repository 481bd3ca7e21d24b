"""The likelihood of a linear mixed model in its variances, restricted or not, with its derivatives."""

import math

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._evidence._factorisation import Factored, factored
from kernelopt._evidence.lists._list_likelihood import Lists, Point, Slopes
from kernelopt._linalg._gram import Dense, Gram

_ROWS = 64
"""So many rows of the sum are formed at a time: they stay in the cache while all kernels are added."""
_VANISHED = 1e-10
"""A variance of this share of the mean variance of a row is rounding."""


@attrs.frozen(eq=False)
class Fitted(Point):
    """The model at some variances: V = sum_a w_a K_a + w_e I, and what follows from its factor.

    P = V^-1 - V^-1 Q (Q'V^-1 Q)^-1 Q'V^-1 for an orthonormal basis Q of the fixed effects. In place of V stands
    T = V + t QQ', which has the same P and the same effects, and P = T^-1 - B B'.

    Attributes:
        residual: v = P y, shape (n,).
        effects: (Q'V^-1 Q)^-1 Q'V^-1 y, shape (q,).
        spread: (Q'V^-1 Q)^-1, the covariance of the effects, shape (q, q).
        scale: the mean of the diagonal of V, the variance of a row.
        log_contrasts: log det A'V A for an orthonormal A with A'Q = 0, which is log det V + log det Q'V^-1 Q.
        B: T^-1 Q R'^-1 with R R' = Q'T^-1 Q, shape (n, q).
        quadratic: y'P y.
        factor: of T; None where its memory was given to the inverse.
    """

    residual: FloatArray
    effects: FloatArray
    spread: FloatArray
    scale: float
    log_contrasts: float
    B: FloatArray
    quadratic: float
    factor: Factored | None

    @property
    def faint(self) -> float:
        """A variance so small is rounding."""
        return _VANISHED * self.scale

    @property
    def least_spread(self) -> float:
        """The smallest variance of a combination of length 1 of the effects; 0 where it is rounding."""
        least = float(np.linalg.eigvalsh(self.spread)[0]) if len(self.spread) else math.inf
        return least if least > self.faint else 0.0

    def log_likelihood(self, *, restricted: bool) -> float:
        """Of y itself at the best fixed effects, infinite where V is singular along some of them.

        restricted: of n - q contrasts of y that no fixed effect moves.
        """
        n, q = self.B.shape
        value = self.log_contrasts + self.quadratic + (n - q if restricted else n) * math.log(2.0 * math.pi)
        if not restricted:
            value += float(np.linalg.slogdet(self.spread)[1]) if self.least_spread > 0.0 else -math.inf
        return -0.5 * float(value)


@attrs.frozen(eq=False)
class MixedModel(Lists):
    """y = Q b + sum_a u_a + e with u_a ~ N(0, w_a K_a) and e ~ N(0, w_e I); minus its log-likelihood is minimised.

    The last weight is w_e. The restricted likelihood is that of A'y for an orthonormal A with A'Q = 0 (Harville 1974),
    so that it does not depend on the basis of the fixed effects, nor on V along them. There V may be singular: kernels
    of centred columns are 0 along the intercept, and w_e may be 0. So V is raised there to T = V + t QQ'.

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

    @property
    def mean_diagonals(self) -> FloatArray:
        """The mean of the diagonal of each kernel and, last, of the identity, shape (m + 1,)."""
        return np.array([*(float(np.trace(K)) / len(K) for K in self.kernels), 1.0])

    def at(self, w: FloatArray) -> Fitted | None:
        """One Cholesky factor of T, and the only n x n array; None where T is not positive definite."""
        scale = float(w @ self.mean_diagonals)
        lift = scale if self.restricted else 0.0
        factor = factored(Dense(self._sum(w[:-1], lift)), float(w[-1]), keep=False)
        if factor is None:
            return None
        solved = factor.solve(np.column_stack([self.y, self.Q]))
        inner = self.Q.T @ solved[:, 1:]
        try:
            root: FloatArray = np.asarray(np.linalg.cholesky(inner), dtype=np.float64)
        except np.linalg.LinAlgError:
            return None
        effects = np.asarray(np.linalg.solve(inner, self.Q.T @ solved[:, 0]), dtype=np.float64)
        half = np.linalg.inv(root)
        spread = half.T @ half - lift * np.eye(len(inner))
        v = solved[:, 0] - solved[:, 1:] @ effects
        quadratic, log_determinant = float(self.y @ v), factor.log_determinant
        contrasts = log_determinant + 2.0 * float(np.log(np.diagonal(root)).sum())
        value = 0.5 * (quadratic + (contrasts if self.restricted else log_determinant))
        found = Fitted(
            w,
            value,
            log_determinant,
            residual=v,
            effects=effects,
            spread=spread,
            scale=scale,
            log_contrasts=contrasts,
            B=np.asarray(solved[:, 1:] @ half.T, dtype=np.float64),
            quadratic=quadratic,
            factor=factor,
        )
        definite = self.restricted or found.least_spread > 0.0
        return found if definite and np.isfinite(value) else None

    def slopes(self, point: Point) -> Slopes:
        """The derivatives at a point, whose factor is used up: T^-1 takes its memory.

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
        """K_a of vectors (n, k), shape (m, n, k), with tr(T^-1 K_a) and tr(T^-1), in one pass over the kernels."""
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

    def _sum(self, w: FloatArray, lift: float) -> FloatArray:
        """sum_a w_a K_a + lift QQ', shape (n, n)."""
        V = np.zeros((len(self.y),) * 2)
        for first in range(0, len(V), _ROWS):
            rows = slice(first, first + _ROWS)
            for weight, K in zip(w, self.kernels, strict=True):
                if weight > 0.0:
                    V[rows] += weight * K[rows]
            if lift > 0.0:
                V[rows] += (lift * self.Q[rows]) @ self.Q.T
        return V
