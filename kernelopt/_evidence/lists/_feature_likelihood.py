"""The evidence of explicit lists in the space that their features span: no work in the number of rows."""

import math

import attrs
import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky, lapack, qr, solve_triangular

from kernelopt._base._threads import all_threads
from kernelopt._base._typing import FloatArray
from kernelopt._evidence._counting import rows_of, weight_of
from kernelopt._evidence.lists._hyperprior import own_price
from kernelopt._evidence.lists._list_likelihood import Lists, Point, Slopes, listed
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._families.features._feature_lists import Factors
from kernelopt._families.penalties._composite_penalty import Together
from kernelopt._families.variances._delta import Counts
from kernelopt._linalg._triangular_inverse import triangular_inverse
from kernelopt._saddle._problem import Problem


@attrs.frozen(eq=False)
class ThinPoint(Point):
    """With the factored r x r matrix.

    Attributes:
        tau: the whole noise.
        lower: L L' = R diag(w) R' + tau I.
        v: Q'K^-1 Y, shape (r, c).
    """

    tau: float
    lower: FloatArray
    v: FloatArray


@attrs.frozen(eq=False)
class ByFactors(Lists):
    """K = F diag(w) F' + tau I with F = Q R: r rows in the place of n, and noise alone in the other n - r directions.

    O(n r^2) once, O(r^3) for each point.

    Attributes:
        factors: all atoms' features.
        Y: the targets, shape (n, c).
        noise: the least noise.
        R: shape (r, r).
        seen: Q'Y, shape (r, c).
        rest: |Y - Q Q'Y|^2.
        weight: how often each row counts, shape (n,); features and targets above are times its root, under which noise
            is the same for all rows.
        rows: how many rows there are, each as often as it counts: all but r directions have noise alone.
        own: what the atoms cost by themselves.
    """

    factors: Factors
    Y: FloatArray
    noise: float
    R: FloatArray
    seen: FloatArray
    rest: float
    weight: FloatArray
    rows: float
    own: Together | None = None

    @classmethod
    def of(cls, problem: Problem, Y: FloatArray, noise: float) -> "ByFactors | None":
        """From explicit lists; None where they have more than half as many features as there are rows."""
        pieces, weight, counted = [], weight_of(problem), rows_of(problem)
        root = np.sqrt(weight)[:, None]
        Y = Y * root
        for leaf, data in zip(problem.leaves, problem.data, strict=True):
            assert isinstance(leaf.family, ExplicitFamily)
            rows = np.zeros((len(data), 0)) if isinstance(data, Counts) else data
            pieces.append(Factors.of(leaf.family, rows, listed(leaf).dictionary().atoms, leaf.factor))
        r = sum(len(one.owner) for one in pieces)
        if 2 * (r + Y.shape[1]) >= counted or r + Y.shape[1] > len(Y):
            return None
        starts = np.cumsum([0, *(len(one.ridges) for one in pieces)])
        owner = np.concatenate([one.owner + start for one, start in zip(pieces, starts, strict=False)])
        features = np.hstack([one.features for one in pieces]) * root
        with all_threads(math.isqrt(features.size)):
            whole = qr(np.hstack([features, Y]), mode="r", overwrite_a=True, check_finite=False)[0]
        factors = Factors(features, owner, np.concatenate([one.ridges for one in pieces]))
        rest = float(np.sum(whole[r : r + Y.shape[1], r:] ** 2))
        return cls(
            factors, Y, noise, whole[:r, :r].copy(), whole[:r, r:].copy(), rest, weight, counted, own_price(problem)
        )

    def at(self, w: FloatArray) -> ThinPoint | None:
        n, c, r = self.rows, self.Y.shape[1], len(self.R)
        tau = self.noise + float(self.factors.ridges @ w)
        inner = _by_its_transpose(self.R * np.sqrt(w)[self.factors.owner])
        inner[np.diag_indices(r)] += tau
        try:
            lower = cholesky(inner, lower=True, overwrite_a=True, check_finite=False)
        except (LinAlgError, ValueError):
            return None
        v = np.asarray(cho_solve((lower, True), self.seen, check_finite=False))
        log_determinant = (n - r) * math.log(tau) + 2.0 * float(np.log(np.diagonal(lower)).sum())
        value = 0.5 * (float(np.vdot(self.seen, v)) + self.rest / tau + c * log_determinant)
        value += 0.0 if self.own is None else self.own.value(w)
        return ThinPoint(w, value, log_determinant, tau, lower, v) if math.isfinite(value) else None

    def slopes(self, point: Point) -> Slopes:
        assert isinstance(point, ThinPoint)
        n, c, r, ridges, tau = self.rows, self.Y.shape[1], len(self.R), self.factors.ridges, point.tau
        half = solve_triangular(point.lower, self.R, lower=True, check_finite=False)  # half'half = R'Omega R
        inverse = triangular_inverse(point.lower)
        trace = float(np.sum(inverse * inverse)) + (n - r) / tau
        t = self.R.T @ point.v
        values = self._sums((t * t).sum(axis=1)) + ridges * (float(np.sum(point.v**2)) + self.rest / tau**2)
        prices = c * (self._sums(np.einsum("ij,ij->j", half, half)) + ridges * trace)
        information = np.outer(ridges, ridges) * (self.rest / tau**3)
        for k in range(c):
            images = half @ self._spread(t[:, k])
            images += np.outer(inverse @ point.v[:, k], ridges)
            information += images.T @ images
        return Slopes(values, prices, 0.5 * information, trace, own=self.own)

    def solution(self, point: Point) -> FloatArray:
        assert isinstance(point, ThinPoint)
        weighted = point.w[self.factors.owner, None] * (self.R.T @ point.v)
        root = np.sqrt(self.weight)[:, None]
        return np.asarray(root * (self.Y - self.factors.features @ weighted) / point.tau)

    def _sums(self, values: FloatArray) -> FloatArray:
        """Sums over each atom's columns, shape (m,)."""
        return np.bincount(self.factors.owner, weights=values, minlength=len(self.factors.ridges)).astype(np.float64)

    def _spread(self, values: FloatArray) -> FloatArray:
        """Each number (r,) in the column of its feature's atom, shape (r, m)."""
        spread = np.zeros((len(values), len(self.factors.ridges)))
        spread[np.arange(len(values)), self.factors.owner] = values
        return spread


def _by_its_transpose(U: FloatArray) -> FloatArray:
    """U U' for an upper triangular U (r, r), its lower triangle: a sixth of what a product of any matrices takes."""
    product, _ = lapack.dlauum(U, lower=0)
    return np.asarray(product.T)
