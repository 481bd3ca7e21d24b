"""Both bounds that a point of the path proves, from what its image has computed already."""

from functools import partial

import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._dual_qp import DualPoint
from kernelopt._criteria._kkt import room, width
from kernelopt._saddle._lower_bound import Ceiling
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response
from kernelopt.interior._image import Image
from kernelopt.interior._iterate import Point
from kernelopt.interior._saddle import Saddle

_ROUNDING = 1e-11
"""A change of the kernel's size by this share of it is the rounding of a step. The last look at both bounds begins from
scratch."""
_UNMOVED = 2e-13
"""A change of v by this share of it is rounding. It moves the lower bound by twice this share of v'Kv, which must be
less than what rounding explains where both bounds are past each other."""


def bounds_at(problem: Problem, saddle: Saddle, point: Point, image: Image) -> tuple[Response, Ceiling]:
    """The bounds of the kernel and of the dual variables of a point, with its image.

    Dual variables are repaired, and weights have their total exactly. Where either is more than rounding the image is
    another's, and both bounds are computed anew.
    """
    points = problem.points(saddle.split(point.alpha))
    mixture, count = saddle.mixture(point.S), partial(_about_to_stay, saddle, point)
    if not (image.whole and _unmoved(points, image.v) and _of_total(saddle, point.S)):
        return problem.proved(mixture, points), problem.ceiling(points)
    F = saddle.columns(image.f)
    forms = None
    if all(leaf.penalty is None for leaf in problem.leaves):
        forms = [D / leaf.factor for D, leaf in zip(image.D, problem.leaves, strict=True)]
    return problem.judged(mixture, points, image.kernel, list(F), count), problem.ceiling(points, forms=forms)


def _unmoved(points: tuple[DualPoint, ...], v: FloatArray) -> bool:
    """Whether the v of dual points differ from v (c n,) by rounding alone."""
    repaired = points[0].v if len(points) == 1 else np.concatenate([point.v for point in points])
    return float(np.abs(repaired - v).max()) <= _UNMOVED * float(np.abs(v).max())


def _of_total(saddle: Saddle, S: tuple[FloatArray, ...]) -> bool:
    """Whether the parameters have their total but for rounding, or need none."""
    return saddle.total is None or abs(saddle.mass(S) - saddle.total) <= _ROUNDING * saddle.total


def _about_to_stay(saddle: Saddle, point: Point) -> int:
    """How many rows will have a nonzero coefficient: a variable is about to be put on its bound where its distance from
    that is less than its slack, both as shares of what they can be.
    """
    qp, alpha = saddle.qp, point.alpha
    (low, high), share = room(qp, alpha), width(qp, alpha) / qp.price
    settled = np.where(low < share * point.z, qp.lower, np.where(high < share * point.u, qp.upper, alpha))
    return int(np.count_nonzero(saddle.columns(qp.embed(settled)).any(axis=0)))
