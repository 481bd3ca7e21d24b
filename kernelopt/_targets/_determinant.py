"""The log-determinant between rays: an interpolation of its values and slopes, with how far it may be wrong.

With ratios r_a = w_a / noise it is h(r) = log det (I + sum_a r_a K_a), the same function for all targets. In
coordinates x_a = log (1 + r_a lambda_a), lambda_a the largest eigenvalue of K_a, it is smooth, and rays know it
exactly. What is interpolated is the difference to a sum of a plane and of two laws that need no rays (`Laws`), the
coefficients being those of generalised least squares: kriging with a trend (Matheron, 1969).
"""

import math
from collections.abc import Callable, Sequence

import attrs
import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from scipy.linalg.blas import dtrmm

from kernelopt._base._jit import compiled
from kernelopt._base._memory import require
from kernelopt._base._typing import FloatArray
from kernelopt._linalg._triangular_inverse import triangular_inverse
from kernelopt._targets._laws import Laws
from kernelopt._targets._rays import Ray

WIDTHS = (4.0, 6.0, 9.0, 14.0)
"""Widths of the rational quadratic kernel that are tried; the likelihood of what rays know decides."""
_NUGGET = 1e-11
_DEPENDENT = 1e-8
"""A direction of the trend that has so small a share of the largest one is none."""
LEAST = 1e-4
"""A trace times its weight is taken to be this at least: an interpolation may say less."""
_SIGMAS = 3.0
"""So many standard deviations the interpolation may be wrong."""


@attrs.frozen(eq=False)
class Interpolation:
    """A Gaussian process in the coordinates, conditioned on values and slopes at points.

    Attributes:
        laws: what the determinant would be if kernels had nothing or all to do with each other.
        points: shape (N, m).
        coefficients: of the value and the slopes at each point, shape (N, 1 + m).
        trend: a value at 0, slopes, and the shares of the laws, shape (1 + m + 2,).
        width: of the kernel.
        root: the inverse of the Cholesky factor of the Gram matrix, lower triangular, shape (N (1 + m),) * 2.
        sigma: the standard deviation that rays which were left out in turn call for.
    """

    laws: Laws
    points: FloatArray
    coefficients: FloatArray
    trend: FloatArray
    width: float
    root: FloatArray
    sigma: float

    @classmethod
    def of(
        cls,
        rays: Sequence[Ray],
        levels: FloatArray,
        laws: Laws,
        check: Callable[[], None],
        widths: Sequence[float] = WIDTHS,
    ) -> "Interpolation":
        """Through the rays at these noises, by the likeliest of these widths; `check` is called before each.

        Raises:
            NotEnoughMemory: two Gram matrices of all that is known do not fit.
        """
        points, values, slopes = known(rays, levels, laws.largest)
        m = points.shape[1]
        require(held(values.size + slopes.size), f"the determinant between {len(rays)} sums of {m} kernels")
        data = np.column_stack([values, slopes]).ravel()
        terms = _terms(laws, np.concatenate([ray.direction / levels[:, None] for ray in rays]), points)
        best = None
        for width in widths:
            check()
            fit = _Fit.of(points, data, terms, width)
            if fit is not None and (best is None or fit.likelihood > best.likelihood):
                best = fit
        assert best is not None
        inverse = triangular_inverse(best.factor)
        sigma = _left_out(inverse, best.freed, best.solved, len(levels) * (1 + m))
        return cls(laws, points, best.solved.reshape(-1, 1 + m), best.trend, best.width, inverse, sigma)

    def coordinates(self, r: FloatArray) -> FloatArray:
        """X of ratios (t, m)."""
        return np.log1p(r * self.laws.largest)

    def at(self, r: FloatArray) -> tuple[FloatArray, FloatArray]:
        """h (t,) and its slopes (t, m) in the ratios r (t, m), which are above 0 as the traces that they are."""
        x = self.coordinates(r)
        found = np.empty((len(x), 1 + x.shape[1]))
        _evaluate(x, self.points, self.coefficients, self.width, found)
        m = x.shape[1]
        found[:, 0] += self.trend[0] + x @ self.trend[1 : 1 + m]
        found[:, 1:] += self.trend[1 : 1 + m]
        units = r + 1.0 / self.laws.largest
        laws = np.einsum("k,tkc->tc", self.trend[1 + m :], self.laws.at(r))
        found[:, 0] += laws[:, 0]
        return found[:, 0], np.maximum(found[:, 1:] / units + laws[:, 1:], LEAST / units)

    def around(self, r: FloatArray, count: int) -> "Interpolation":
        """With doubts by the count points alone that are nearest to the middle of ratios (t, m): they are larger."""
        if count >= len(self.points):
            return self
        squares = ((self.points - np.median(self.coordinates(r), axis=0)) ** 2).sum(axis=1)
        points = self.points[np.argpartition(squares, count)[:count]]
        gram = _gram(points, self.width)
        gram[np.diag_indices(len(gram))] *= 1.0 + _NUGGET
        factor = cholesky(gram, lower=True, overwrite_a=True, check_finite=False)
        root = triangular_inverse(factor)
        return attrs.evolve(self, points=points, coefficients=self.coefficients[:0], root=root)

    def doubt(self, r: FloatArray) -> FloatArray:
        """The covariance of what the slopes in x may be wrong by, in the units of a bound, shape (t, m, m)."""
        x = self.coordinates(r)
        t, m = x.shape
        rows = _slope_rows(x, self.points, self.width).reshape(t * m, -1)
        seen = dtrmm(1.0, self.root, rows.T, lower=1, overwrite_b=1).T.reshape(t, m, -1)
        left = np.eye(m) / self.width**2 - np.einsum("tai,tbi->tab", seen, seen)
        left += 1e-12 * np.eye(m)
        return np.asarray((_SIGMAS * self.sigma) ** 2 * left)


def held(size: int) -> int:
    """The bytes that it takes to interpolate so many values and slopes: Gram matrices, and their factors."""
    return 3 * 8 * size * size


def known(rays: Sequence[Ray], levels: FloatArray, largest: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The points of rays at noises, shape (N, m), with the values (N,) and the slopes in x (N, m) there."""
    points, values, slopes = [], [], []
    for ray in rays:
        r = ray.direction / levels[:, None]
        value, slope = ray.curve(levels)
        points.append(np.log1p(r * largest))
        values.append(value)
        slopes.append(slope * (r + 1.0 / largest))
    return np.concatenate(points), np.concatenate(values), np.concatenate(slopes)


def _terms(laws: Laws, r: FloatArray, points: FloatArray) -> FloatArray:
    """Values and slopes in x of 1, the coordinates and the laws at ratios (N, m), shape (N (1 + m), 1 + m + 2)."""
    N, m = points.shape
    found = np.zeros((N, 1 + m, 3 + m))
    found[:, 0, 0] = 1.0
    found[:, 0, 1 : 1 + m] = points
    found[:, 1:, 1 : 1 + m] = np.eye(m)
    found[:, :, 1 + m :] = laws.at(r).transpose(0, 2, 1)
    found[:, 1:, 1 + m :] *= (r + 1.0 / laws.largest)[:, :, None]
    return found.reshape(-1, 3 + m)


@attrs.frozen(eq=False)
class _Fit:
    """The Gaussian process of one width, its trend by generalised least squares.

    Attributes:
        likelihood: its logarithm at the best amplitude.
        width: of the kernel.
        factor: the Cholesky factor of the Gram matrix.
        trend: the coefficients of the terms.
        solved: the inverse of the Gram matrix times what the trend leaves.
        freed: the terms, whitened by the factor, as an orthonormal basis (N (1 + m), k).
    """

    likelihood: float
    width: float
    factor: FloatArray
    trend: FloatArray
    solved: FloatArray
    freed: FloatArray

    @classmethod
    def of(cls, points: FloatArray, data: FloatArray, terms: FloatArray, width: float) -> "_Fit | None":
        """Of data and terms (N (1 + m), k); None where the Gram matrix cannot be factored."""
        gram = _gram(points, width)
        gram[np.diag_indices(len(gram))] *= 1.0 + _NUGGET
        try:
            factor = cholesky(gram, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:
            return None
        both = solve_triangular(factor, np.column_stack([terms, data]), lower=True, check_finite=False)
        white, y = both[:, :-1], both[:, -1]
        units = np.maximum(np.linalg.norm(white, axis=0), 1e-300)
        basis, sizes, turned = np.linalg.svd(white / units, full_matrices=False)
        kept = sizes > _DEPENDENT * sizes[0]
        basis, along = basis[:, kept], basis[:, kept].T @ y
        left = y - basis @ along
        amplitude = max(float(left @ left) / len(left), 1e-300)
        likelihood = -0.5 * len(left) * math.log(amplitude) - float(np.log(np.diagonal(factor)).sum())
        solved = solve_triangular(factor, left, lower=True, trans="T", check_finite=False)
        trend = turned[kept].T @ (along / sizes[kept]) / units
        return cls(likelihood, width, factor, trend, solved, basis)


def _left_out(inverse: FloatArray, freed: FloatArray, solved: FloatArray, block: int) -> float:
    """The standard deviation by rays that are left out in turn: of the worst, all of a ray's data being one block.

    The trend is found anew without them.
    """
    squares = []
    for first in range(0, len(solved), block):
        columns = inverse[:, first : first + block]
        explained = freed.T @ columns
        precision = columns.T @ columns - explained.T @ explained
        residual = np.linalg.lstsq(precision, solved[first : first + block], rcond=1e-13)[0]
        squares.append(float(residual @ solved[first : first + block]) / block)
    return math.sqrt(max(float(np.mean(squares)), 0.0))


def _slope_rows(x: FloatArray, points: FloatArray, width: float) -> FloatArray:
    """The covariances of the slopes at x (t, m) with all that is known, shape (t, m, N (1 + m))."""
    t, m = x.shape
    found = np.empty((t, m, len(points), 1 + m))
    _covariances(x, points, width, found)
    return found.reshape(t, m, -1)


def _gram(points: FloatArray, width: float) -> FloatArray:
    """The covariances of all that is known."""
    N, m = points.shape
    slopes = _slope_rows(points, points, width).reshape(N, m, N, 1 + m)
    gram = np.empty((N, 1 + m, N, 1 + m))
    gram[:, 1:] = slopes
    gram[:, 0, :, 1:] = slopes[:, :, :, 0].transpose(2, 0, 1)
    squares = ((points[:, None] - points) ** 2).sum(axis=-1) / width**2
    gram[:, 0, :, 0] = (1.0 + 0.25 * squares) ** -2
    return gram.reshape(N * (1 + m), -1)


def _evaluated(x: FloatArray, points: FloatArray, c: FloatArray, width: float, found: FloatArray) -> None:
    """The sum of coefficients times covariances, and its slopes, into found (t, 1 + m).

    k = (1 + q/4)^-2 with q = |x - z|^2 / width^2; k1 and k2 are its derivatives in q/2.
    """
    m = x.shape[1]
    for i in range(len(x)):
        for a in range(m + 1):
            found[i, a] = 0.0
        for j in range(len(points)):
            q = 0.0
            along = 0.0
            for a in range(m):
                d = (x[i, a] - points[j, a]) / width
                q += d * d
                along += c[j, 1 + a] * d
            along /= width
            base = 1.0 / (1.0 + 0.25 * q)
            k = base * base
            k1 = -k * base
            k2 = 1.5 * k * k
            found[i, 0] += c[j, 0] * k - k1 * along
            radial = (c[j, 0] * k1 - k2 * along) / width
            tangential = k1 / (width * width)
            for a in range(m):
                found[i, 1 + a] += radial * (x[i, a] - points[j, a]) / width - tangential * c[j, 1 + a]


def _covaried(x: FloatArray, points: FloatArray, width: float, found: FloatArray) -> None:
    """The covariances of slopes at x with values and slopes at points, into found (t, m, N, 1 + m)."""
    m = x.shape[1]
    for i in range(len(x)):
        for j in range(len(points)):
            q = 0.0
            for a in range(m):
                d = (x[i, a] - points[j, a]) / width
                q += d * d
            base = 1.0 / (1.0 + 0.25 * q)
            k1 = -base * base * base
            k2 = 1.5 * base * base * base * base
            for a in range(m):
                da = (x[i, a] - points[j, a]) / width
                found[i, a, j, 0] = k1 * da / width
                for b in range(m):
                    db = (x[i, b] - points[j, b]) / width
                    own = k1 if a == b else 0.0
                    found[i, a, j, 1 + b] = -(k2 * da * db + own) / (width * width)


_evaluate = compiled(_evaluated)
_covariances = compiled(_covaried)
