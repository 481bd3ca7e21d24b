"""The tangent saddle of the evidence at a kernel: each atom's price, and the lower bound that a dual point proves."""

import math
from collections.abc import Sequence

import attrs
import numpy as np

from kernelopt._base._budget import Budget
from kernelopt._base._typing import FloatArray
from kernelopt._criteria._dual_qp import DualPoint, side_by_side
from kernelopt._evidence._counting import factored_at, noise_of, rows_of, trace_of, volume, whole_noise
from kernelopt._evidence._factorisation import Factored
from kernelopt._evidence.lists._atom_search import Found, search
from kernelopt._evidence.lists._scoring_step import FAINTEST
from kernelopt._families._contract import LinearFamily
from kernelopt._families._mixture import BestAtoms, Mixture, Query
from kernelopt._families.dictionary._streamed import Streamed
from kernelopt._families.penalties._composite_penalty import tilted
from kernelopt._families.penalties._penalty_conjugate import Tangent as Touching
from kernelopt._families.penalties._penalty_conjugate import dearest, excess_of, steep
from kernelopt._linalg._gram import Gram
from kernelopt._saddle._lower_bound import Ceiling
from kernelopt._saddle._problem import Problem


@attrs.frozen
class Level:
    """What the tangent is at its own kernel K_t.

    An Omega within rounding of the inverse gives a tangent within the square of that, if the prices are its own.

    Attributes:
        volume: c/2 (log det K_t + n log 2 pi), what it touches there.
        paid: c tr(Omega K_t), twice the price of the kernel, the least noise left out.
    """

    volume: float
    paid: float

    @classmethod
    def of(cls, problem: Problem, log_determinant: float, paid: float) -> "Level":
        """From log det K_t and what is paid."""
        return cls(len(problem.outputs) * volume(log_determinant, rows_of(problem)), paid)

    @property
    def offset(self) -> float:
        """What the tangent adds up to besides the price: c/2 (log det K_t + n log 2 pi + noise tr Omega - n)."""
        return self.volume - 0.5 * self.paid


@attrs.frozen(eq=False)
class Tangent:
    """The price 1/2 c tr(Omega K_theta) + offset, Omega = K_t^-1: above c/2 (log det K + n log 2 pi), equal at K_t.

    Attributes:
        omega: the inverse of K_t, noise included.
        level: what it is at K_t.
        outputs: c.
    """

    omega: Gram
    level: Level
    outputs: int

    @classmethod
    def at(cls, problem: Problem, mixture: Mixture) -> "Tangent | None":
        """At a mixture; None where its Gram cannot be factored."""
        factor = factored_at(problem, mixture, problem.gram(mixture), keep=False)
        return None if factor is None else cls.of(problem, mixture, factor)

    @classmethod
    def of(cls, problem: Problem, mixture: Mixture, factor: Factored) -> "Tangent":
        """At a kernel whose Gram is factored, of which nothing more is asked."""
        c, log_determinant, omega = len(problem.outputs), factor.log_determinant, factor.inverse(last=True)
        noise = noise_of(problem) * trace_of(problem, omega, whole_noise(problem, mixture))
        return cls(omega, Level.of(problem, log_determinant, c * (rows_of(problem) - noise)), c)

    def price(self, problem: Problem, k: int) -> FloatArray:
        """1/2 c tr(Omega K_a) of one linear leaf, in the shape of its parameters."""
        leaf = problem.leaves[k]
        return 0.5 * self.outputs * leaf.factor * leaf.linear.traces(problem.data[k], self.omega)

    def worth(self, problem: Problem, k: int, V: FloatArray) -> tuple[FloatArray, FloatArray]:
        """1/2 sum_c V_c'K_a V_c and the price of one linear leaf, in the shape of its parameters."""
        leaf, data = problem.leaves[k], problem.data[k]
        if isinstance(leaf.family, Streamed):
            images, traces = data.surveyed(V, self.omega)
            return 0.5 * leaf.factor * np.einsum("anc,nc->a", images, V), 0.5 * self.outputs * leaf.factor * traces
        return 0.5 * leaf.values(data, V), self.price(problem, k)


def tangent_ceiling(
    problem: Problem, duals: tuple[DualPoint, ...], query: Query, at: Mixture, tangent: Tangent, budget: Budget
) -> Ceiling:
    """The lower bound that this dual point proves for the tangent saddle at a mixture; searched atoms climb as long as
    there is time.
    """
    V = side_by_side(duals)
    answers = {
        k: tangent.worth(problem, k, V)
        for k, leaf in enumerate(problem.leaves)
        if isinstance(leaf.family, LinearFamily)
    }
    found = {
        k: search(leaf, problem.data[k], V, tangent.omega, query, at.parts[k], budget)
        for k, leaf in enumerate(problem.leaves)
        if k not in answers
    }
    return ceiling_of(problem, duals, tangent.level, at, answers, found, query.k)


def ceiling_of(
    problem: Problem,
    duals: tuple[DualPoint, ...],
    level: Level,
    at: Mixture,
    linear: dict[int, tuple[FloatArray, FloatArray]],
    found: dict[int, Found],
    k: int,
) -> Ceiling:
    """The dual point shrunk until no atom exceeds its price, with the lower bound that it then proves.

    A price of a leaf's own joins that of the tangent. Where it grows faster than the kernel, atoms may exceed it: its
    tangent at more kernel is what they meet.

    Args:
        problem: with the evidence for criterion.
        duals: one dual point for each output.
        level: of the tangent.
        at: the kernel where it touches.
        linear: for each linear leaf 1/2 v'K_a v and the price, in the shape of its parameters.
        found: the answers of the searched leaves.
        k: so many atoms of each leaf are wanted.
    """
    share, touching = _met(problem, linear, [one.ratio for one in found.values()])
    share = min(share, _afforded(problem, duals, level, at, linear))
    shrunk = []
    for qp, dual in zip(problem.outputs, duals, strict=True):
        alpha = share * dual.alpha
        shrunk.append(DualPoint(alpha, share * dual.v, qp.h(alpha)))
    atoms, values = [], []
    for i, leaf in enumerate(problem.leaves):
        if i in linear:
            excess = linear[i][0] - touching[i].slope
            best = leaf.linear.leading(2.0 / leaf.factor * excess, k)
        else:
            best = found[i].best
        atoms.append(best)
        values.append(leaf.factor * best.ceiling)
    offset = level.offset - sum(one.offset for one in touching.values())
    lower = sum(one.h for one in shrunk) + offset
    if any(leaf.penalty is not None for leaf in problem.leaves):
        lower = min(lower, at_itself(problem, shrunk, level, at))
    return Ceiling(tuple(shrunk), tuple(atoms), np.array(values), lower, not found, None, -offset, tangent=True)


def at_itself(problem: Problem, duals: Sequence[DualPoint], level: Level, at: Mixture) -> float:
    """The saddle of the tangent at K_t itself, which no bound on its least value over all kernels is above.

    With prices of their own no shrinking makes the sum of small differences right, as `_afforded` does without; what is
    paid for the whole kernel is known to all digits. So is v'K_t v, of which `_afforded` sees less where it adds up
    parameters that cancel.
    """
    value = _value_of(problem, side_by_side(duals), at)
    return sum(one.h for one in duals) + 0.5 * (level.paid - value) + problem.penalty(at) + level.offset


def _value_of(problem: Problem, V: FloatArray, at: Mixture) -> float:
    """The sum of v'K_t v over the outputs, V (n, c)."""
    triples = zip(problem.leaves, problem.data, at.parts, strict=True)
    return sum(
        leaf.factor * float(np.vdot(V, leaf.family.apply(part, data, V))) for leaf, data, part in triples if len(part)
    )


def _afforded(
    problem: Problem,
    duals: tuple[DualPoint, ...],
    level: Level,
    at: Mixture,
    linear: dict[int, tuple[FloatArray, FloatArray]],
) -> float:
    """How far the dual variables go without the kernel itself exceeding its price, as its atoms must not.

    The prices of single atoms are small differences of large numbers where the noise is small; what is paid for the
    whole kernel is not. With it no bound at K_t is above the objective there.
    """
    if any(leaf.penalty is not None for leaf in problem.leaves):
        return math.inf
    V, value = side_by_side(duals), 0.0
    for k, (leaf, data, part) in enumerate(zip(problem.leaves, problem.data, at.parts, strict=True)):
        if not len(part):
            continue
        if k in linear:
            value += 2.0 * float(np.vdot(linear[k][0], leaf.parameters(part)))
        else:
            value += leaf.factor * float(np.vdot(V, leaf.family.apply(part, data, V)))
    return _share(value / level.paid) if value > 0.0 and level.paid > 0.0 else math.inf


def _met(
    problem: Problem, linear: dict[int, tuple[FloatArray, FloatArray]], ratios: list[float]
) -> tuple[float, dict[int, Touching]]:
    """How far the dual variables go, where atoms that were searched have these ratios, and the tangents met there."""
    prices = {k: tilted(problem.leaves[k].penalty, _raised(p)) for k, (_, p) in linear.items()}
    met = {k: dearest(R, linear[k][0]) for k, R in prices.items() if R.homogeneous}
    share = _share(max([*ratios, *(ratio for ratio, _ in met.values())], default=1.0))
    touching = {k: tangent for k, (_, tangent) in met.items()}
    if len(met) < len(prices):
        share = min(share, 1.0)
        steepest = {k: steep(R, share * share * linear[k][0]) for k, R in prices.items() if k not in met}
        left = max(excess_of(share * share * linear[k][0], one.slope) for k, one in steepest.items())
        share *= min(_share(left), 1.0)
        touching |= steepest
    return share, touching


def _raised(price: FloatArray) -> FloatArray:
    """The price of a leaf's atoms, of those too that rounding leaves none."""
    least = FAINTEST * float(np.abs(price).max(initial=0.0))
    return price + (least if price.ndim == 1 else least * np.eye(len(price)))


def _share(ratio: float) -> float:
    """How far the dual variables go without any atom exceeding its price: the t with t^2 ratio = 1."""
    return math.sqrt((1.0 - _MARGIN) / ratio) if 0.0 < ratio < math.inf else 1.0 if ratio <= 0.0 else 0.0


_MARGIN = 1e-12
"""How much more than needed dual variables shrink, so that rounding does not undo it."""


def nothing(problem: Problem, duals: tuple[DualPoint, ...]) -> Ceiling:
    """What is known where a Gram cannot be factored."""
    atoms = tuple(BestAtoms(leaf.family.center().atoms[:1], np.zeros(1), 0.0, exact=True) for leaf in problem.leaves)
    return Ceiling(duals, atoms, np.zeros(len(atoms)), -math.inf, True, None, tangent=True)
