"""The simplest solver with a certificate: cutting planes on the weights of a finite list."""

from typing import ClassVar

import attrs
import numpy as np
from scipy.optimize import linprog

from kernelopt.plugin import (
    Budget,
    Criterion,
    FiniteFamily,
    FloatArray,
    Leaf,
    Mixture,
    Part,
    Problem,
    Response,
    Solver,
    State,
)


@attrs.frozen(eq=False)
class Cut:
    """A feasible dual point, and the plane that it puts under the optimum as a function of the weights.

        J(w) >= h - 1/2 q'w

    Attributes:
        alphas: one vector for each output.
        h: the sum of h(alpha) over the outputs.
        q: factor sum_c V_c'K_a V_c of every atom, leaf after leaf, shape (m,).
    """

    alphas: tuple[FloatArray, ...]
    h: float
    q: FloatArray


@attrs.frozen(eq=False)
class CutState(State):
    """The cuts so far."""

    cuts: tuple[Cut, ...] = attrs.field(kw_only=True)


@attrs.frozen
class CuttingPlanes(Solver):
    """Kelley's method on J(w) = max over alpha, w in the simplex: each step has one linear programme and one response.

        repeat  w = argmin of the largest plane;  alpha = respond(w), a new plane

    The multipliers of the planes mix the dual points of the planes into one dual point, whose lower bound is never
    below the value of the programme. The solver is for tests: it is simple, and slow for more than a handful of atoms.
    """

    name: ClassVar[str] = "cutting-planes"

    def refuses(self, leaves: tuple[Leaf, ...], criterion: Criterion) -> str | None:  # noqa: ARG002
        for leaf in leaves:
            if not isinstance(leaf.family, FiniteFamily) or leaf.penalty is not None:
                return f"cutting planes need a finite list without a penalty, and {leaf.family.name} is none"
        return None

    def init(self, problem: Problem, start: Response, seed: int, budget: Budget) -> CutState:  # noqa: ARG002
        return CutState(0, start, problem.ceiling(start.duals), cuts=(_cut(problem, start),))

    def step(self, problem: Problem, state: State, budget: Budget) -> CutState:
        assert isinstance(state, CutState)
        weights, shares, value = _master(state.cuts)
        mixture = _mixture(problem, weights)
        response = problem.respond(mixture, state.response, budget)
        ceiling = problem.ceiling(problem.points(_mixed(state.cuts, shares)))
        cuts = (*state.cuts, _cut(problem, response))
        stalled = value >= response.upper - 1e-12 * abs(response.upper)
        return CutState(state.step + 1, response, ceiling, stalled, f"{len(cuts)} planes", cuts=cuts)


def _cut(problem: Problem, response: Response) -> Cut:
    q = [problem.value_of(k, _atoms(problem, k), response.V) for k in range(len(problem.leaves))]
    return Cut(tuple(dual.alpha for dual in response.duals), response.h, np.concatenate(q))


def _atoms(problem: Problem, leaf: int) -> FloatArray:
    family = problem.leaves[leaf].family
    assert isinstance(family, FiniteFamily)
    return family.dictionary().atoms


def _mixture(problem: Problem, weights: FloatArray) -> Mixture:
    """The weights (m,) of all leaves' atoms, leaf after leaf, as a mixture."""
    parts, first = [], 0
    for k in range(len(problem.leaves)):
        atoms = _atoms(problem, k)
        parts.append(Part(atoms, weights[first : first + len(atoms)]))
        first += len(atoms)
    return Mixture(tuple(parts))


def _mixed(cuts: tuple[Cut, ...], shares: FloatArray) -> tuple[FloatArray, ...]:
    """The convex combination of the cuts' dual points: feasible, as the dual set is convex."""
    return tuple(np.asarray(shares @ np.stack([cut.alphas[c] for cut in cuts])) for c in range(len(cuts[0].alphas)))


def _master(cuts: tuple[Cut, ...]) -> tuple[FloatArray, FloatArray, float]:
    """min z with z >= h - 1/2 q'w, w in the simplex: the weights, the planes' multipliers and the value."""
    m = len(cuts[0].q)
    planes = np.column_stack([-0.5 * np.stack([cut.q for cut in cuts]), -np.ones(len(cuts))])
    found = linprog(
        np.append(np.zeros(m), 1.0),
        A_ub=planes,
        b_ub=-np.array([cut.h for cut in cuts]),
        A_eq=np.append(np.ones(m), 0.0)[None],
        b_eq=np.ones(1),
        bounds=[(0.0, None)] * m + [(None, None)],
    )
    weights, shares = np.maximum(found.x[:-1], 0.0), np.maximum(-found.ineqlin.marginals, 0.0)
    return weights / weights.sum(), shares / shares.sum(), float(found.fun)
