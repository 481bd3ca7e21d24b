"""The interior point on lists of features whose rows are gone over block by block."""

from itertools import pairwise

import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._families._mixture import Mixture, Part
from kernelopt._families._row_lists import RowList, bound_by_rows, united
from kernelopt._linalg._tall import Known, Rowwise, Weighed
from kernelopt._saddle._lower_bound import Ceiling
from kernelopt._saddle._problem import Problem, Response
from kernelopt.dual._hull import Hull
from kernelopt.dual._hull_point import central
from kernelopt.dual._hull_system import System

_SAME = 1e-12
"""Of the largest v: what rounding moves."""


def goes_by_rows(problem: Problem) -> bool:
    """Whether the problem is one of lists that bind rows alone."""
    return bound_by_rows(problem.leaves)


def begun_by_rows(problem: Problem) -> System:
    """Where the interior point begins: in the middle, in four passes."""
    features, owner = united(problem.leaves, problem.data)
    assert problem.total is not None
    hull = Hull.of(problem.outputs, features, owner, sum(len(one) for one in _lists(problem)), problem.total)
    return System.at(hull, central(hull))


def proved_by_rows(problem: Problem, system: System) -> tuple[Response, Ceiling]:
    """What the point proves: both bounds, from what its pass over the rows has said."""
    hull, point = system.hull, system.point
    mixture = _mixture(problem, point.w)
    cuts = np.cumsum([qp.size for qp in problem.outputs])[:-1]
    points = problem.points(tuple(np.split(point.alpha, cuts)))
    V = np.column_stack([one.v for one in points])
    own = hull.qp.embed(point.alpha).reshape(hull.outputs, -1).T
    if float(np.abs(V - own).max()) > _SAME * float(np.abs(V).max()):
        return problem.assess(mixture, tuple(one.alpha for one in points)), problem.ceiling(points)
    cost = problem.outputs[0].bias_cost
    share = hull.total / float(point.w.sum())
    F = share * (system.seen.f.T - cost * V.sum(axis=0))
    known = Known(V, F, share * (system.seen.diagonal - cost))
    gram = Rowwise((Weighed(hull.features, np.zeros(hull.features.width)),), known)
    forms = [
        values / leaf.factor
        for leaf, values in zip(problem.leaves, _parted(problem, hull.values(point.c)), strict=True)
    ]
    response = problem.assess(mixture, tuple(one.alpha for one in points), gram)
    return response, problem.ceiling(points, forms=forms)


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
