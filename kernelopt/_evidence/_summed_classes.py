"""What predicts classes on features of many rows: the logistic mode in as many numbers as there are features, and how
probable classes are by the numbers -1 and 1, of rows that were left out.
"""

import math
from collections.abc import Callable

import attrs
import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._evidence._laplace import Classes
from kernelopt._evidence._shares import shares_from
from kernelopt._families._feature_rows import FeatureRows
from kernelopt._linalg._gram import LowRank
from kernelopt._prediction._odds import Shares

_ROWS = 500
"""The scale is learned on so many rows at most, as it is with fewer rows. Worth: `constants.py laplace.rows`."""
_LOOKED_AT = 4000
"""Rows that are left out, one at a time, at most: two numbers come of them."""
_NEWTON = 30
"""So many passes at most, which rounding alone needs."""
_SETTLED = 1e-5
"""Newton's steps end with one that promises less than this, in nats for each row."""
_FEWER = 8
"""A start for all rows is learned on an eighth of them, where there are many."""
_MANY = 20000
"""So many rows are worth a start of their own."""


@attrs.frozen(eq=False)
class Labelled:
    """Rows with two classes, by features.

    Attributes:
        features: Phi.
        root: the roots of the weights of K = Phi diag(w) Phi', shape (r,).
        y: -1 and 1, shape (n,).
        weight: how often each row counts, > 0, shape (n,).
        stop: whether to end with what is found.
    """

    features: FeatureRows
    root: FloatArray
    y: FloatArray
    weight: FloatArray
    stop: Callable[[], bool] = bool

    def only(self, rows: IntArray) -> "Labelled":
        """Of these rows alone."""
        return attrs.evolve(self, features=self.features.only(rows), y=self.y[rows], weight=self.weight[rows])

    def scale(self, rng: np.random.Generator) -> float:
        """The c of f = c K a where Laplace's evidence of some rows is the largest."""
        few = self.only(np.sort(rng.permutation(len(self.y))[:_ROWS]))
        gram = LowRank(few.features.at(slice(None)) * self.root)
        return Classes(gram, 0.0, few.y, few.weight, self.stop).scaled().scale

    def mode(self, scale: float, start: FloatArray) -> FloatArray:
        """The b (r,) with the least 1/2 |b|^2 + sum_i s_i log(1 + exp(-y_i f_i)), f = (c w)^1/2 Phi b.

        By Newton's method, one pass over the rows for each step; a step that does not descend is halved.
        """
        at, best, value = start, start, math.inf
        for _ in range(_NEWTON):
            look = self._look(scale, at)
            if look is None:
                break
            if look.value > value:
                at = 0.5 * (at + best)
                continue
            best, value = at, look.value
            step = cho_solve(cho_factor(look.curvature, lower=True, overwrite_a=True), -look.slope)
            at = best + step
            if -0.5 * float(look.slope @ step) <= _SETTLED * float(self.weight.sum()):
                return np.asarray(at)
        return best

    def _look(self, scale: float, b: FloatArray) -> "_Look | None":
        """The objective and its derivatives at b; None where there is no time left."""
        factor = math.sqrt(scale) * self.root
        value, slope = 0.5 * float(b @ b), b.copy()
        curvature = np.eye(len(b))
        for rows, phi in self.features.blocks():
            if self.stop():
                return None
            phi = phi * factor
            y, s, f = self.y[rows], self.weight[rows], phi @ b
            p = expit(f)
            value += float(s @ np.logaddexp(0.0, -y * f))
            slope += phi.T @ (s * (p - 0.5 * (y + 1.0)))
            phi *= np.sqrt(s * p * (1.0 - p))[:, None]
            curvature += phi.T @ phi
        return _Look(value, slope, curvature)


@attrs.frozen(eq=False)
class _Look:
    value: float
    slope: FloatArray
    curvature: FloatArray


def logistic(labelled: Labelled, seed: int) -> tuple[float, FloatArray]:
    """The scale of the kernel, and the coefficients of the features whose sum is the logarithm of the odds, (r,)."""
    rng = np.random.default_rng(seed)
    scale, b = labelled.scale(rng), np.zeros(len(labelled.root))
    n = len(labelled.y)
    if n > _MANY:
        few = labelled.only(np.sort(rng.permutation(n)[: max(n // _FEWER, _MANY // 2)]))
        b = few.mode(scale, b)
    return scale, np.asarray(math.sqrt(scale) * labelled.root * labelled.mode(scale, b))


def shares(
    features: FeatureRows, Y: FloatArray, weight: FloatArray, coefficients: FloatArray, lower: FloatArray, seed: int
) -> Shares:
    """How probable classes are by the values of the numbers -1 and 1.

    Args:
        features: of all rows.
        Y: -1 and 1, shape (n, c).
        weight: how often each row counts, shape (n,).
        coefficients: of the features, shape (r, c).
        lower: L^-1 diag(w)^1/2, shape (r, r), with L L' = diag(w)^1/2 Phi'S Phi diag(w)^1/2 + tau I.
        seed: of the rows that are looked at.
    """
    rows = np.sort(np.random.default_rng(seed).permutation(len(Y))[:_LOOKED_AT])
    phi = features.at(rows)
    half = lower @ phi.T
    one = np.einsum("ij,ij->j", half, half)  # tau^-1 times the posterior's variance, for one copy of the row
    left = (Y[rows] - phi @ coefficients) / np.maximum(1.0 - one, 1e-9)[:, None]
    return shares_from(Y[rows] - left, Y[rows], weight[rows])
