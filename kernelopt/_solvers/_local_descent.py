"""Local adaptation: the weights and the atoms of a kernel move downhill together."""

import math
from contextlib import suppress
from operator import attrgetter

import attrs
import numpy as np
from scipy.optimize import OptimizeResult, minimize

from kernelopt._base._budget import Budget
from kernelopt._base._typing import FloatArray
from kernelopt._families._matrix import MatrixFamily
from kernelopt._families._mixture import Mixture, Part
from kernelopt._families._smooth import SmoothFamily
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response
from kernelopt._saddle._row_subset import Chosen, binds_rows, choose, subset, widened
from kernelopt._solvers._parametrisation import Coordinates, coordinates

_PATIENCE = 15
"""A descent ends where so many steps together gained too little: its first ones feel their way.
Worth: `constants.py descent.patience`."""
_BAND = 3.0
"""So many times the rows that matter at its start take part in a descent, and those where a round went wrong.
Worth: `constants.py descent.band`."""
_LEAST = 500
"""So many rows take part at least. Worth: `constants.py descent.least`."""
_MOST = 0.5
"""Only some take part where they are at most this share of all rows: else the saving is small.
Worth: `constants.py descent.most`."""


def adaptable(problem: Problem, *, matrices: bool = True) -> bool:
    """Whether any leaf has atoms that can be moved. The descent does not work with prices."""
    if any(leaf.penalty is not None for leaf in problem.leaves):
        return False
    kinds = SmoothFamily | MatrixFamily if matrices else SmoothFamily
    return any(isinstance(leaf.family, kinds) for leaf in problem.leaves)


def adapted(
    problem: Problem,
    response: Response,
    budget: Budget,
    *,
    steps: int = 30,
    least: float = 0.0,
    drop: float = 0.0,
    matrices: bool = True,
) -> Response:
    """The response to a kernel that is at least as good, found downhill from this one.

        minimise over x    max over alpha of h - 1/2 v'Kv,    K = sum_a w_a k_a / sum_a w_a

    by L-BFGS, value and gradient by one `respond` each: w = rho^2 and the atoms themselves where a family is smooth,
    P = L L' where it is a matrix family. Where all leaves have features of their rows, only the rows near the margin
    take part, and all of them answer the kernel that is found; where that is no better, all of them take part.

    Ghiasi-Shirazi, Safabakhsh and Shamsi (2010), section 5.4.

    Args:
        problem: the saddle.
        response: where to start, and what is returned where nothing better is found.
        budget: looked at before every evaluation.
        steps: of L-BFGS, at most.
        least: it ends where its last steps gained less, one with another.
        drop: atoms of no more weight are left behind.
        matrices: whether the P of matrix families move, or only grow and shrink.
    """
    chosen = _near_margin(problem, response)
    if chosen is not None:
        inner, after = _on_rows(problem, chosen, response, budget, steps, least, drop)
        if after.upper < response.upper or response.upper - inner.upper <= least:
            return min(after, response, key=attrgetter("upper"))
    return _descended(problem, response, budget, steps, least, drop, matrices=matrices)


def _near_margin(problem: Problem, response: Response) -> Chosen | None:
    """The rows that a descent from this kernel needs, None where that is most of them.

    A family with features that binds nothing but its rows serves some of them at the price of those alone.
    """
    if not binds_rows(problem):
        return None
    F = problem.gram(response.mixture).apply(response.V)
    count = max(math.ceil(_BAND * len(choose(problem, response, F, 1).rows)), _LEAST)
    chosen = choose(problem, response, F, count)
    return chosen if len(chosen.rows) <= _MOST * problem.n else None


def _on_rows(
    problem: Problem, chosen: Chosen, response: Response, budget: Budget, steps: int, least: float, drop: float
) -> tuple[Response, Response]:
    """What a descent on these rows finds, the answer on them and the answer on all."""
    few = subset(problem, chosen)
    start = few.assess(response.mixture, chosen.taken(response.duals))
    inner = _descended(few, start, budget, steps, least, drop, matrices=False)
    if inner is start:
        return inner, response
    points = zip(inner.duals, widened(problem, chosen, inner.duals), strict=True)
    warm = attrs.evolve(inner, duals=tuple(attrs.evolve(dual, alpha=alpha) for dual, alpha in points))
    return inner, problem.respond(inner.mixture, warm, budget)


def _descended(
    problem: Problem,
    response: Response,
    budget: Budget,
    steps: int,
    least: float,
    drop: float,
    *,
    matrices: bool,
) -> Response:
    """`adapted` on all rows of a problem."""
    parts = response.mixture.kept(drop).parts
    moves = tuple(coordinates(problem, k, part, response.V, matrices=matrices) for k, part in enumerate(parts))
    descent = _Descent(problem, moves, response, budget, least)
    start = descent.packed(parts)
    with suppress(_Ended):
        minimize(
            descent,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=descent.bounds(start),
            callback=descent.weigh,
            options={"maxiter": steps, "ftol": 1e-15, "gtol": 0.0},
        )
    return descent.best


class _Ended(Exception):
    """The budget is spent, or a trial point is no kernel: its weights are all 0, or beyond all numbers."""


class _Descent:
    """The value of the saddle and its gradient in the coordinates of all leaves, one after the other.

    Attributes:
        best: the best response so far.
    """

    def __init__(
        self, problem: Problem, moves: tuple[Coordinates, ...], start: Response, budget: Budget, least: float
    ) -> None:
        self.best = start
        self._problem, self._moves, self._budget, self._least = problem, moves, budget, least
        self._size = abs(start.upper) or 1.0
        self._cuts: list[int] = []
        self._course: list[float] = []

    def packed(self, parts: tuple[Part, ...]) -> FloatArray:
        """The coordinates of a mixture's parts."""
        pieces = [move.pack(part) for move, part in zip(self._moves, parts, strict=True)]
        self._cuts = np.cumsum([len(piece) for piece in pieces])[:-1].tolist()
        return np.concatenate(pieces)

    def bounds(self, x: FloatArray) -> FloatArray:
        """Lower and upper bounds on the coordinates, shape (len(x), 2)."""
        pieces = np.split(x, self._cuts)
        ends = [np.column_stack(move.bounds(len(piece))) for move, piece in zip(self._moves, pieces, strict=True)]
        return np.vstack(ends)

    def __call__(self, x: FloatArray) -> tuple[float, FloatArray]:
        if self._budget.cancelled():
            raise _Ended
        pieces = np.split(x, self._cuts)
        raw = Mixture(tuple(move.part(piece) for move, piece in zip(self._moves, pieces, strict=True)))
        total = raw.mass
        if not 0.0 < total < math.inf:
            raise _Ended
        mixture = Mixture(tuple(part.scaled(1.0 / total) for part in raw.parts))
        response = self._problem.respond(mixture, self.best, self._budget)
        if response.upper < self.best.upper:
            self.best = response
        V, mean = response.V, sum(dual.quad for dual in response.duals)
        gradient = [
            move.gradient(self._problem, k, piece, total, V, mean)
            for k, (move, piece) in enumerate(zip(self._moves, pieces, strict=True))
        ]
        # Divided by its size: the first step is as long as the gradient.
        return sum(dual.objective for dual in response.duals) / self._size, np.concatenate(gradient) / self._size

    def weigh(self, intermediate_result: OptimizeResult) -> None:
        """After a step: enough where the last few gained too little, one with another."""
        self._course.append(self._size * float(intermediate_result.fun))
        if len(self._course) > _PATIENCE and self._course[-1 - _PATIENCE] - self._course[-1] < _PATIENCE * self._least:
            raise StopIteration


def merged(mixture: Mixture, distance: float = 1e-6) -> Mixture:
    """The mixture with atoms that nearly coincide listed once, at the place of the heaviest.

    Args:
        mixture: any.
        distance: numbers of an atom count as equal where they differ by this share of 1 + their size, and atoms where
            they lie no farther apart than this share of the longest: numbers that are all small, as those of
            frequencies in many columns or of columns in a small unit, differ by little even where kernels differ much.
            Where the atoms are adapted, the objective feels its square.
    """
    return Mixture(tuple(_merged(part, distance) for part in mixture.parts))


def _merged(part: Part, distance: float) -> Part:
    order = np.argsort(-part.weights, kind="stable")
    atoms, weights = part.atoms[order], part.weights[order]
    reach = distance * float(np.linalg.norm(atoms, axis=1).max(initial=0.0))
    left = np.ones(len(part), dtype=bool)
    places, sums = [], []
    for a in range(len(part)):
        if not left[a]:
            continue
        apart = atoms[a:] - atoms[a]
        alike = np.all(np.abs(apart) <= distance * (1.0 + np.abs(atoms[a])), axis=1)
        near = alike & (np.linalg.norm(apart, axis=1) <= reach) & left[a:]
        left[a:] &= ~near
        places.append(a)
        sums.append(float(weights[a:][near].sum()))
    return Part(atoms[places], np.array(sums))
