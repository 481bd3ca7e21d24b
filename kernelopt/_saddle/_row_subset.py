"""Which samples matter, and the problem on them alone."""

from collections.abc import Sequence
from typing import ClassVar

import attrs
import numpy as np

from kernelopt._base._memory import available_bytes
from kernelopt._base._typing import BoolArray, FloatArray, IntArray
from kernelopt._criteria._contract import Criterion, Primal, Task
from kernelopt._criteria._dual_qp import DualPoint, DualQP
from kernelopt._criteria._kkt import held_variables, pushed, width
from kernelopt._families._binding import of_a_set
from kernelopt._families._contract import KernelFamily
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._linalg._gram import Gram
from kernelopt._saddle._contract import State
from kernelopt._saddle._held_rows import beside, mergeable, with_held
from kernelopt._saddle._lower_bound import Ceiling
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response

_APART = 0.01
"""A variable has another value where it differs by more than this share of what it can be."""


@attrs.frozen(eq=False)
class Chosen:
    """A set of samples, and what each of their variables does.

    Attributes:
        rows: the samples, sorted, shape (m,).
        variables: for each output, the variables of those samples, in order.
        held: for each output, the value at which each of these variables is held, NaN where it moves.
        aside: the variables of further rows, which are held and bound as one row: over all variables of the one output,
            shape (N,), 0 elsewhere; None where there are no such rows.
    """

    rows: IntArray
    variables: tuple[IntArray, ...]
    held: tuple[FloatArray, ...]
    aside: FloatArray | None = None

    @property
    def moving(self) -> int:
        """How many variables move."""
        return sum(int(np.isnan(values).sum()) for values in self.held)

    def taken(self, duals: tuple[DualPoint, ...]) -> tuple[FloatArray, ...]:
        """The chosen variables of each output's alpha; where rows are held as one, its 1 comes last."""
        last = [] if self.aside is None else [1.0]
        return tuple(np.append(dual.alpha[part], last) for dual, part in zip(duals, self.variables, strict=True))

    def spread(self, outputs: tuple[DualQP, ...], alphas: Sequence[FloatArray]) -> tuple[FloatArray, ...]:
        """Each output's alpha over all samples, 0 outside the chosen ones, from that of the chosen variables."""
        wide = []
        for qp, part, alpha in zip(outputs, self.variables, alphas, strict=True):
            full = np.zeros(qp.size) if self.aside is None else self.aside.copy()
            full[part] = alpha[: len(part)]
            wide.append(full)
        return tuple(wide)

    def same(self, other: "Chosen") -> bool:
        """Whether both hold the same variables at the same values."""
        ours, others = ((*one.held, np.zeros(0) if one.aside is None else one.aside) for one in (self, other))
        return np.array_equal(self.rows, other.rows) and all(
            np.array_equal(mine, theirs, equal_nan=True) for mine, theirs in zip(ours, others, strict=True)
        )


@attrs.frozen
class Restricted(Criterion):
    """A criterion on some of its variables, the others held: its primal is that of any dual set."""

    name: ClassVar[str] = "restricted"
    task: ClassVar[Task] = "classification"

    def outputs(self, y: FloatArray, weight: FloatArray) -> tuple[DualQP, ...]:
        raise NotImplementedError("a restricted criterion is made from a problem, not from targets")

    def primal(self, qp: DualQP, gram: Gram, v: FloatArray, f: FloatArray) -> Primal:  # noqa: ARG002
        from kernelopt.dual import generic_primal

        return generic_primal(qp, v, f)


def capacity(problem: Problem, grams: int = 2) -> int:
    """How many rows fit into most of the memory there is: what each family binds of them, and so many Grams."""
    have, n = available_bytes(), problem.n
    bound = sum(leaf.family.bind_bytes(n, leaf.width) for leaf in of_a_set(problem.leaves, n))
    return n if have is None else int(np.sqrt(0.7 * have / (8.0 * grams + bound / n**2)))


def sampled(problem: Problem, size: int, seed: int, unbound: bool = False) -> tuple[Chosen, Problem]:
    """Some samples drawn at random, their share from either side of an equality, with boxes that stand for all.

    With `unbound` the problem on them binds nothing n x n either.
    """
    rng = np.random.default_rng(seed)
    qp = problem.outputs[0]
    side = np.zeros(problem.n)
    side[qp.sample] = qp.coefficient * (qp.group >= 0)
    rows = []
    for value in np.unique(side):
        member = np.flatnonzero(side == value)
        share = max(round(size * len(member) / problem.n), 1)
        rows.append(rng.permutation(member)[:share])
    chosen = free(problem, np.sort(np.concatenate(rows)))
    return chosen, subset(problem, chosen, widen=problem.n / len(chosen.rows), unbound=unbound)


def free(problem: Problem, rows: IntArray) -> Chosen:
    """These rows (m,), sorted, with every variable moving."""
    variables = tuple(_variables(qp, rows) for qp in problem.outputs)
    return Chosen(rows, variables, tuple(np.full(len(part), np.nan) for part in variables))


def subset(problem: Problem, chosen: Chosen, widen: float = 1.0, unbound: bool = False) -> Problem:
    """The problem on the chosen samples, bound; every other sample has alpha = 0.

    With `widen` each sample stands for so many: its box is that much wider and its curvature less. Where none does and
    nothing is held, the problem is the criterion's own, on fewer samples. With `unbound` nothing n x n is bound.
    """
    outputs = tuple(
        _narrowed(qp, chosen.rows, part, held, widen)
        for qp, part, held in zip(problem.outputs, chosen.variables, chosen.held, strict=True)
    )
    if chosen.aside is not None:
        leaves, data = beside(problem, chosen.rows, chosen.aside)
        outputs = tuple(with_held(inner, qp, chosen.aside) for inner, qp in zip(outputs, problem.outputs, strict=True))
        return attrs.evolve(problem, leaves=leaves, data=data, outputs=outputs, criterion=Restricted())
    leaves = problem.leaves if unbound else of_a_set(problem.leaves, len(chosen.rows))
    data = tuple(leaf.family.bind(X[chosen.rows]) for leaf, X in zip(leaves, problem.data, strict=True))
    whole = widen == 1.0 and all(np.isnan(held).all() for held in chosen.held)
    criterion = problem.criterion if whole else Restricted()
    return attrs.evolve(problem, leaves=leaves, data=data, outputs=outputs, criterion=criterion)


def merged(problem: Problem, chosen: Chosen) -> Chosen:
    """The same variables, with all rows of which none moves held as one row, where the families allow it."""
    if not mergeable(problem):
        return chosen
    qp, part, held = problem.outputs[0], chosen.variables[0], chosen.held[0]
    rows = np.unique(qp.sample[part[np.isnan(held)]])
    moving = np.isin(qp.sample[part], rows)
    if moving.all():
        return chosen
    aside = np.zeros(qp.size)
    aside[part[~moving]] = held[~moving]
    return Chosen(rows, (part[moving],), (held[moving],), aside)


def binds_rows(problem: Problem) -> bool:
    """Whether any of the rows can be had alone at their own price: all families have features, and bind only rows."""
    families = [leaf.family for leaf in problem.leaves]
    return all(isinstance(one, ExplicitFamily) and type(one).bind is KernelFamily.bind for one in families)


def _variables(qp: DualQP, rows: IntArray) -> IntArray:
    return np.flatnonzero(np.isin(qp.sample, rows))


def _narrowed(qp: DualQP, rows: IntArray, part: IntArray, held: FloatArray, widen: float) -> DualQP:
    position = np.full(qp.n, -1)
    position[rows] = np.arange(len(rows))
    moves = np.isnan(held)
    fields = ("linear", "sign", "group", "coefficient")
    return attrs.evolve(
        qp,
        n=len(rows),
        sample=position[qp.sample[part]],
        curvature=qp.curvature[part] / widen,
        lower=np.where(moves, qp.lower[part] * widen, held),
        upper=np.where(moves, qp.upper[part] * widen, held),
        **{name: getattr(qp, name)[part] for name in fields},
    )


def widened(problem: Problem, chosen: Chosen, duals: tuple[DualPoint, ...]) -> tuple[FloatArray, ...]:
    """Alpha over all samples, 0 outside the chosen ones."""
    return chosen.spread(problem.outputs, [dual.alpha for dual in duals])


def widened_ceiling(problem: Problem, chosen: Chosen, ceiling: Ceiling) -> Ceiling:
    """The set's ceiling as one of all samples: v is the same, 0 outside, and so is every v'Kv."""
    points = problem.points(widened(problem, chosen, ceiling.duals))
    shift = sum(point.h for point in points) - sum(dual.h for dual in ceiling.duals)
    return attrs.evolve(ceiling, duals=points, lower=ceiling.lower + shift)


def guessed(problem: Problem, chosen: Chosen, inner: State) -> Response:
    """From a sample's kernel and machine, dual variables for all samples: at the bounds to which its margins push them.

    That proves nothing, and where many rows are near the margin it is far from the best for this kernel.
    """
    V = np.zeros((problem.n, len(problem.outputs)))
    V[chosen.rows] = inner.response.V
    mixture = inner.response.mixture
    F = problem.gram(mixture).apply(V)
    alphas = []
    for k, (qp, dual) in enumerate(zip(problem.outputs, inner.response.duals, strict=True)):
        slope = qp.linear - qp.sign * F[qp.sample, k] - qp.equalities.T @ dual.multipliers[: len(qp.target)]
        alphas.append(pushed(qp, slope))
    points = problem.points(tuple(alphas))
    duals = tuple(
        attrs.evolve(dual, alpha=point.alpha, v=point.v, h=point.h)
        for dual, point in zip(inner.response.duals, points, strict=True)
    )
    return Response(mixture, duals, np.inf)


def choose(
    problem: Problem, response: Response, F: FloatArray, band: int, near: tuple[DualPoint, ...] | None = None
) -> Chosen:
    """The samples that matter for this response with the function F (n, c) on all samples.

    Those move whose variables are strictly inside their box or on the wrong bound, and the `band` nearest the margin;
    of the others those held at 0 leave. Those move too that have another value at the dual point `near`.
    """
    pairs = [
        held_variables(qp, dual.alpha, F[:, k], band)
        for k, (qp, dual) in enumerate(zip(problem.outputs, response.duals, strict=True))
    ]
    if near is not None:
        triples = zip(problem.outputs, pairs, near, strict=True)
        pairs = [(moving | (np.abs(at - one.alpha) > _APART * width(qp, at)), at) for qp, (moving, at), one in triples]
    return _of_pairs(problem, pairs)


def _of_pairs(problem: Problem, pairs: list[tuple[BoolArray, FloatArray]]) -> Chosen:
    """The set of each output's moving variables, and of those that are held at another value than 0."""
    matter = [qp.sample[moving | (alpha != 0.0)] for qp, (moving, alpha) in zip(problem.outputs, pairs, strict=True)]
    rows = np.unique(np.concatenate(matter))
    variables = tuple(_variables(qp, rows) for qp in problem.outputs)
    held = tuple(
        np.where(moving[part], np.nan, alpha[part]) for part, (moving, alpha) in zip(variables, pairs, strict=True)
    )
    return Chosen(rows, variables, held)
