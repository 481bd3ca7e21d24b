"""The same answer with fewer kernels: one more than support vectors and rows that are about to be one, at most."""

import numpy as np

from kernelopt._base._budget import Budget
from kernelopt._base._memory import fits
from kernelopt._base._typing import BoolArray, FloatArray
from kernelopt._criteria._dual_qp import Dual, DualQP
from kernelopt._criteria._kkt import multipliers
from kernelopt._families._contract import LinearFamily
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._families._mixture import Mixture, Part
from kernelopt._families.features._feature_lists import Factors
from kernelopt._linalg._gram import Gram
from kernelopt._linalg._tall import Rowwise
from kernelopt._linalg._wide import Wide
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response

_NOTHING = 1e-12
"""A weight below this share of the total is 0 but for rounding."""
_FEASIBLE = 1e-6
"""What a linear programme may miss of an inequality, in units of the largest |K v|."""
_ASIDE = 1.0
"""How much the mean slope of rows that are no support vector counts beside v'Kv: so few of them become one."""
_AGAIN = 4
"""So often at most: the machine of fewer kernels may have fewer support vectors, and needs still fewer kernels then."""
_ROUNDS = 8
"""So often rows that a vertex makes wrong join the inequalities."""


def pruned(problem: Problem, response: Response, gram: Gram, budget: Budget) -> Response:
    """The response to a kernel of fewer atoms that leaves it as good; itself where there is none.

    The atoms of searched families take other weights w >= 0 of the same sum, at which alpha stays optimal:

        maximise v' K_w v   over w,   where every variable's slope stays what it is inside its box,
                                      and on the side that holds it at a bound

    The answer of a linear programme at a vertex has no more atoms than there are equations and inequalities that hold
    with equality. Rows that are no support vector ask for nothing until a vertex makes them wrong (Ghiasi-Shirazi,
    Safabakhsh and Shamsi (2010), theorem 2 and section 5.5: at most one atom more than support vectors), and the part
    of the objective that is theirs keeps them away from that.

    Args:
        problem: the saddle.
        response: the answer.
        gram: of its kernel.
        budget: of the answer to the kernel that is found.
    """
    most = response.upper + problem.accuracy * _size(response)
    known: Gram | None = gram
    for _ in range(_AGAIN):
        if not _many(problem, response):
            break
        fewer = _once(problem, response, problem.gram(response.mixture) if known is None else known, budget, most)
        if fewer is response:
            break
        response, known = fewer, None
    return response


def _places(problem: Problem) -> list[int]:
    """The leaves whose atoms may be left out."""
    return [k for k, leaf in enumerate(problem.leaves) if leaf.penalty is None and _searched(problem, k)]


def _atoms(problem: Problem, response: Response) -> int:
    """How many atoms those leaves have."""
    return sum(len(response.mixture.parts[k]) for k in _places(problem))


def _many(problem: Problem, response: Response) -> bool:
    """Whether there are more of them than a vertex has."""
    return _atoms(problem, response) > 1 + _inside(problem, response)


def _once(problem: Problem, response: Response, gram: Gram, budget: Budget, most: float) -> Response:
    """One vertex, and the machine on its kernel; the response itself where there is none with fewer atoms and an upper
    bound of at most `most`.
    """
    parts, places = response.mixture.parts, _places(problem)
    small = 3 * 8 * problem.n * len(problem.outputs) * _atoms(problem, response)
    if isinstance(gram, Wide | Rowwise) or not fits(small):
        return response
    images = [np.hstack([_images(problem, k, parts[k], dual.v) for k in places]) for dual in response.duals]
    weights = _vertex(problem, response, gram, images, np.concatenate([parts[k].weights for k in places]))
    if weights is None or budget.cancelled():
        return response
    mixture = _weighed(response.mixture, places, weights)
    if len(mixture) >= len(response.mixture):
        return response
    trial = problem.respond(mixture, response, budget)
    return trial if trial.upper <= most else response


def _size(response: Response) -> float:
    """What the accuracy of an answer is relative to."""
    return max(abs(response.upper), abs(response.h))


def _searched(problem: Problem, k: int) -> bool:
    """Whether a leaf's atoms come from a search, so that there may be any number of them."""
    return not isinstance(problem.leaves[k].family, LinearFamily)


def _inside(problem: Problem, response: Response) -> int:
    """How many dual variables are inside their box."""
    return sum(
        int(np.count_nonzero(~(_at_lower(qp, dual) | _at_upper(qp, dual))))
        for qp, dual in zip(problem.outputs, response.duals, strict=True)
    )


def _at_lower(qp: DualQP, dual: Dual) -> BoolArray:
    return np.asarray(dual.alpha <= qp.lower)


def _at_upper(qp: DualQP, dual: Dual) -> BoolArray:
    return np.asarray(dual.alpha >= qp.upper)


def _images(problem: Problem, k: int, part: Part, v: FloatArray) -> FloatArray:
    """factor K_a v of each atom of leaf k, shape (n, m)."""
    leaf, data = problem.leaves[k], problem.data[k]
    if isinstance(leaf.family, ExplicitFamily):
        return Factors.of(leaf.family, data, part.atoms, leaf.factor).images(v)
    one = np.ones(1)
    columns = [leaf.factor * leaf.family.apply(Part(atom[None], one), data, v[:, None])[:, 0] for atom in part.atoms]
    return np.column_stack(columns) if columns else np.zeros((problem.n, 0))


def _vertex(
    problem: Problem, response: Response, gram: Gram, images: list[FloatArray], weights: FloatArray
) -> FloatArray | None:
    """The weights at a vertex of the linear programme, in the order of the images; None where none was found."""
    from scipy.optimize import linprog  # it is imported where it is needed, as it takes a while

    gain = np.sum([image.T @ dual.v for image, dual in zip(images, response.duals, strict=True)], axis=0)
    equal, walled, spares, asks = [], [], [], []
    for qp, dual, image in zip(problem.outputs, response.duals, images, strict=True):
        wall, spare = _walls(qp, dual, gram)
        moves = qp.sign[:, None] * image[qp.sample]
        at_wall = wall != 0.0
        equal.append(moves[~at_wall])
        walled.append(wall[at_wall, None] * moves[at_wall])
        spares.append(spare[at_wall])
        asks.append(dual.alpha[at_wall] != 0.0)
    A, B, ask = np.vstack(equal), np.vstack(walled), np.concatenate(asks)
    unit = max(float(np.abs(A @ weights).max(initial=0.0)), float(np.abs(B @ weights).max(initial=0.0))) or 1.0
    cost = -gain / max(float(np.abs(gain).max()), 1e-300)
    A, B = np.vstack([A / unit, np.ones((1, len(weights)))]), np.vstack([B / unit, cost])
    upper = B @ weights + np.append(np.concatenate(spares) / unit, 0.0)
    ask = np.append(ask, True)
    for _ in range(_ROUNDS):
        aside = B[~ask].mean(axis=0) if not ask.all() else 0.0
        found = linprog(
            cost + _ASIDE * aside,
            A_ub=B[ask],
            b_ub=upper[ask],
            A_eq=A,
            b_eq=A @ weights,
            method="highs-ds",
            options={"presolve": False},  # of dense rows it finds nothing to leave out
        )
        if found.status != 0:
            return None
        wrong = B @ found.x > upper + _FEASIBLE
        if not (wrong & ~ask).any():
            return np.asarray(found.x, dtype=np.float64)
        ask |= wrong
    return None


def _walls(qp: DualQP, dual: Dual, gram: Gram) -> tuple[FloatArray, FloatArray]:
    """What each variable asks of sign * (K_w v)_sample, and what it leaves to spare of it, shapes (N,).

    0: that it stays as it is, inside its box; 1: that it rises by no more than the spare, where the slope h' - sign K v
    holds the variable at its upper bound; -1: that it falls by no more, at its lower bound.
    """
    slope = qp.gradient(dual.alpha) - qp.sign * gram.apply(dual.v)[qp.sample]
    slope -= qp.bias_cost * qp.sign * float(dual.v.sum())
    slope -= qp.equalities.T @ multipliers(qp, slope, dual.alpha)
    wall = np.where(_at_lower(qp, dual), -1.0, np.where(_at_upper(qp, dual), 1.0, 0.0))
    return wall, np.maximum(wall * slope, 0.0)


def _weighed(mixture: Mixture, places: list[int], weights: FloatArray) -> Mixture:
    """The mixture with these weights of the parts at some places, those that are 0 left out."""
    parts, least = list(mixture.parts), _NOTHING * float(weights.sum())
    cuts = np.cumsum([len(parts[k]) for k in places])[:-1]
    for k, mine in zip(places, np.split(weights, cuts), strict=True):
        parts[k] = Part(parts[k].atoms, np.maximum(mine, 0.0)).kept(least)
    share = sum(part.mass for part in mixture.parts) / sum(part.mass for part in parts)
    return Mixture(tuple(part.scaled(share) for part in parts))
