"""Local adaptation: the weights and the atoms of a kernel move downhill together."""

from contextlib import suppress

import attrs
import numpy as np
from scipy.optimize import minimize

from kernelopt._coordinates import Coordinates, coordinates
from kernelopt._family import MatrixFamily, SmoothFamily
from kernelopt._mixture import Mixture, Part
from kernelopt._problem import Problem, Response
from kernelopt._solver import Budget
from kernelopt._typing import FloatArray

_MEMORY = 20


def adaptable(problem: Problem, *, matrices: bool = True) -> bool:
    """Whether any leaf has atoms that can move."""
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
    P = L L' where it is a matrix family.

    Ghiasi-Shirazi, Safabakhsh and Shamsi (2010), section 5.4.

    Args:
        problem: the saddle.
        response: where to start, and what is returned where nothing better is found.
        budget: looked at before every evaluation.
        steps: of L-BFGS, at most.
        least: it ends where a step gains less.
        drop: atoms of no more weight are left behind.
        matrices: whether the P of matrix families move, or only grow and shrink.
    """
    descent = _Descent.of(problem, response, budget, drop, matrices)
    gains = _Gains(least)
    low, high = descent.bounds
    with suppress(_Cancelled):
        minimize(
            descent,
            descent.start,
            jac=True,
            method="L-BFGS-B",
            bounds=np.column_stack([low, high]),
            callback=gains,
            options={"maxiter": steps, "maxcor": _MEMORY, "ftol": 1e-15, "gtol": 0.0},
        )
    return descent.best[0]


class _Cancelled(Exception):
    """The budget is spent."""


@attrs.frozen(eq=False)
class _Descent:
    """The value of the saddle and its gradient in the coordinates of all leaves, one after the other.

    Attributes:
        best: the best response so far, in a list of one.
    """

    problem: Problem
    budget: Budget
    moves: tuple[Coordinates, ...]
    start: FloatArray
    cuts: tuple[int, ...]
    best: list[Response]

    @classmethod
    def of(cls, problem: Problem, response: Response, budget: Budget, drop: float, matrices: bool) -> "_Descent":
        parts = tuple(part.kept(drop) for part in response.mixture.parts)
        moves = tuple(coordinates(problem, k, part, matrices=matrices) for k, part in enumerate(parts))
        packed = [move.pack(part) for move, part in zip(moves, parts, strict=True)]
        cuts = tuple(np.cumsum([len(x) for x in packed])[:-1].tolist())
        return cls(problem, budget, moves, np.concatenate(packed), cuts, [response])

    def pieces(self, x: FloatArray) -> list[FloatArray]:
        return np.split(x, self.cuts)

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        pairs = [move.bounds(len(x)) for move, x in zip(self.moves, self.pieces(self.start), strict=True)]
        return np.concatenate([low for low, _ in pairs]), np.concatenate([high for _, high in pairs])

    def __call__(self, x: FloatArray) -> tuple[float, FloatArray]:
        if self.budget.cancelled():
            raise _Cancelled
        pieces = self.pieces(x)
        raw = Mixture(tuple(move.part(piece) for move, piece in zip(self.moves, pieces, strict=True)))
        total = raw.mass
        mixture = Mixture(tuple(part.scaled(1.0 / total) for part in raw.parts))
        response = self.problem.respond(mixture, self.best[0], self.budget)
        if response.upper < self.best[0].upper:
            self.best[0] = response
        V, mean = response.V, sum(dual.quad for dual in response.duals)
        gradient = [
            move.gradient(self.problem, k, piece, total, V, mean)
            for k, (move, piece) in enumerate(zip(self.moves, pieces, strict=True))
        ]
        return sum(dual.objective for dual in response.duals), np.concatenate(gradient)


class _Gains:
    """Stops a descent whose steps gain too little."""

    def __init__(self, least: float) -> None:
        self._least = least
        self._last: float | None = None

    def __call__(self, intermediate_result: object) -> None:
        value = float(intermediate_result.fun)  # type: ignore[attr-defined]
        if self._last is not None and self._last - value < self._least:
            raise StopIteration
        self._last = value


def merged(mixture: Mixture, distance: float = 1e-6) -> Mixture:
    """The mixture with atoms that nearly coincide listed once, at the place of the heaviest.

    Args:
        mixture: any.
        distance: numbers of an atom count as equal where they differ by this share of 1 + their size. Where the atoms
            are adapted, the objective feels its square.
    """
    return Mixture(tuple(_merged(part, distance) for part in mixture.parts))


def _merged(part: Part, distance: float) -> Part:
    order = np.argsort(-part.weights, kind="stable")
    atoms, weights = part.atoms[order], part.weights[order]
    left = np.ones(len(part), dtype=bool)
    places, sums = [], []
    for a in range(len(part)):
        if not left[a]:
            continue
        near = np.all(np.abs(atoms[a:] - atoms[a]) <= distance * (1.0 + np.abs(atoms[a])), axis=1) & left[a:]
        left[a:] &= ~near
        places.append(a)
        sums.append(float(weights[a:][near].sum()))
    return Part(atoms[places], np.array(sums))
