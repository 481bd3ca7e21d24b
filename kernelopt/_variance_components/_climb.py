"""From some variances to the nearest maximum of the likelihood, and the tests of leaving one kernel out."""

import math
from collections.abc import Iterator

import attrs
import numpy as np
from scipy.linalg import LinAlgError

from kernelopt._base._budget import Budget
from kernelopt._base._typing import BoolArray, FloatArray
from kernelopt._evidence.lists._list_likelihood import Slopes
from kernelopt._evidence.lists._scoring_step import FIRST, descend, scored
from kernelopt._variance_components._mixed_model import Fitted, MixedModel

_ENOUGH = 1e-3
"""A climb without a kernel ends this near its maximum, in nats, as its quadratic model says, and what is left is added:
statistics of tests are then right to a thousandth or so."""
_DISTINCT = 1e-10
"""The smallest eigenvalue of the information, in units of its diagonal, that is no rounding."""


@attrs.frozen(eq=False)
class Summit:
    """Where a climb ended.

    Attributes:
        point: the variances there.
        slopes: the derivatives.
        steps: how many were taken.
        left: how much the likelihood would grow by another step, in nats, as its quadratic model says.
        converged: whether this is within the tolerance.
    """

    point: Fitted
    slopes: Slopes
    steps: int
    left: float
    converged: bool

    @property
    def free(self) -> BoolArray:
        """The variances above 0, shape (m + 1,)."""
        return self.point.w > 0.0

    @property
    def score(self) -> FloatArray:
        """The derivative of the log-likelihood in each variance; 0 where it points out of what is allowed."""
        score = -self.slopes.gradient
        return np.where(self.free, score, np.maximum(score, 0.0))

    def covariance(self) -> FloatArray | None:
        """The inverse of the average information among variances above 0, NaN in the other rows; None if singular."""
        free = np.flatnonzero(self.free)
        information = self.slopes.information[np.ix_(free, free)]
        diagonal = np.diagonal(information)
        if not (diagonal > 0.0).all():
            return None
        unit = 1.0 / np.sqrt(diagonal)
        scaled = information * unit[:, None] * unit
        if not np.isfinite(scaled).all() or np.linalg.eigvalsh(scaled)[0] <= _DISTINCT:
            return None
        covariance = np.full(self.slopes.information.shape, np.nan)
        covariance[np.ix_(free, free)] = np.linalg.inv(scaled) * unit[:, None] * unit
        return covariance


def climbed(model: MixedModel, w: FloatArray, tol: float, max_steps: int) -> Summit | None:
    """Uphill from variances w (m + 1,); None where V is not positive definite there.

    w <- argmax over w >= 0 of the quadratic model of the average information, damped until the likelihood grows.
    Of n x n arrays there are two at most, besides the kernels.
    """
    point, damping = model.at(w), FIRST
    if point is None:
        return None
    for step in range(max_steps + 1):
        slopes = model.slopes(point)
        point = attrs.evolve(point, factor=None)
        left = max(scored(point.w, slopes, 0.0)[1], 0.0)
        descent = None if left <= tol or step == max_steps else descend(model, point, slopes, damping, Budget())
        if descent is None:
            return Summit(point, slopes, step, left, left <= tol)
        assert isinstance(descent.point, Fitted)
        point, damping = descent.point, descent.damping
    raise AssertionError("the last step returns")


@attrs.frozen
class Left:
    """The model without one kernel.

    Attributes:
        log_likelihood: the largest that was found.
        converged: whether its climb came to an end.
    """

    log_likelihood: float
    converged: bool


def left_out(model: MixedModel, summit: Summit, products: FloatArray, tol: float, max_steps: int) -> Iterator[Left]:
    """The largest log-likelihood without each kernel in turn, by a climb from where the others come nearest to V.

    Where a kernel has the variance 0 it is that of the whole model.

    Args:
        model: the whole one.
        summit: its estimates.
        products: tr(M K_a M K_b), shape (m + 1, m + 1).
        tol: of the whole model.
        max_steps: of each climb.
    """
    w = summit.point.w
    for a in range(len(model.kernels)):
        if w[a] == 0.0:
            yield Left(summit.point.log_likelihood(restricted=model.restricted), summit.converged)
        elif len(model.kernels) == 1:
            yield Left(model.alone(), True)
        else:
            others = np.arange(len(w)) != a
            start = _raised(w, others, products, a)
            found = climbed(attrs.evolve(model.without(a), rough=True), start, max(tol, _ENOUGH), max_steps)
            if found is None:
                yield Left(math.nan, False)
            else:
                highest = found.point.log_likelihood(restricted=model.restricted)
                yield Left(highest + found.left, found.converged)


def _raised(w: FloatArray, others: BoolArray, products: FloatArray, a: int) -> FloatArray:
    """The other variances after they took over w_a K_a, by least squares of the entries, kept above 0 if they were."""
    try:
        shift = np.linalg.solve(products[np.ix_(others, others)], products[others, a]) * w[a]
    except LinAlgError:
        shift = np.zeros(int(others.sum()))
    return np.asarray(np.maximum(w[others] + shift, 0.1 * w[others]))
