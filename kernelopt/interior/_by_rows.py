"""The interior point on lists of features whose rows are gone over block by block."""

from itertools import pairwise

import numpy as np

from kernelopt._base._budget import Budget
from kernelopt._base._typing import FloatArray
from kernelopt._criteria._dual_qp import side_by_side
from kernelopt._families._mixture import Mixture, Part
from kernelopt._families.features._row_lists import RowList, bound_by_rows, united
from kernelopt._linalg._tall import Known, Rowwise, Weighed
from kernelopt._saddle._lower_bound import Ceiling
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response
from kernelopt.dual._hull import Hull, Image
from kernelopt.dual._hull_levels import Stage, begun

_SAME = 1e-12
"""Of the largest v: what rounding moves."""


def goes_by_rows(problem: Problem) -> bool:
    """Whether the problem is one of lists that bind rows alone."""
    return bound_by_rows(problem.leaves)


def begun_by_rows(problem: Problem, budget: Budget) -> Stage:
    """Where the interior point begins: in the middle, in four passes, or near the answer for some of many rows."""
    features, owner = united(problem.leaves, problem.data)
    assert problem.total is not None
    kernels = sum(len(one) for one in _lists(problem))
    return begun(Hull.of(problem.outputs, features, owner, kernels, problem.total), budget.cancelled)


def proved_by_rows(problem: Problem, stage: Stage) -> tuple[Response, Ceiling]:
    """What the point proves: both bounds, from what its pass over the rows has said, or in two passes."""
    hull = stage.hull
    mixture = _mixture(problem, stage.w)
    cuts = np.cumsum([qp.size for qp in problem.outputs])[:-1]
    points = problem.points(tuple(np.split(stage.alpha, cuts)))
    V = side_by_side(points)
    seen = _seen(stage, V)
    cost = problem.outputs[0].bias_cost
    share = hull.total / float(stage.w.sum())
    known = Known(V, share * (seen.f.T - cost * V.sum(axis=0)), share * (seen.diagonal - cost))
    gram = Rowwise((Weighed(hull.features, np.zeros(hull.features.width)),), known)
    values = _parted(problem, hull.values(seen.c))
    forms = [one / leaf.factor for leaf, one in zip(problem.leaves, values, strict=True)]
    response = problem.assess(mixture, tuple(one.alpha for one in points), gram)
    return response, problem.ceiling(points, forms=forms)


def _seen(stage: Stage, V: FloatArray) -> Image:
    """K v of feasible variables with v = V (n, c): those of the point, or others next to them."""
    own = stage.hull.qp.embed(stage.alpha).reshape(V.shape[::-1]).T
    if float(np.abs(V - own).max()) <= _SAME * float(np.abs(V).max()):
        return stage.image
    return Image.of(stage.hull, stage.w, stage.hull.back(V.T))


def _mixture(problem: Problem, w: FloatArray) -> Mixture:
    """The kernel of weights (k,) in the families' own atoms, with the total exactly."""
    assert problem.total is not None
    share = problem.total / float(w.sum())
    pairs = zip(_lists(problem), _parted(problem, w), strict=True)
    return Mixture(tuple(Part(one.atoms, share * weights) for one, weights in pairs))


def _parted(problem: Problem, values: FloatArray) -> list[FloatArray]:
    """Numbers for all atoms (k,) by leaves."""
    ends = np.cumsum([0, *(len(one) for one in _lists(problem))])
    return [values[i:j] for i, j in pairwise(ends)]


def _lists(problem: Problem) -> list[Part]:
    """All atoms of each leaf."""
    parts = []
    for leaf in problem.leaves:
        assert isinstance(leaf.family, RowList)
        parts.append(leaf.family.dictionary())
    return parts
