"""Laws of what a criterion's answer becomes when samples, targets or the kernel change in a known way."""

import math
from collections.abc import Iterator

import attrs
import numpy as np

from kernelopt.plugin import Criterion, Dense, Dual, DualQP, FloatArray, IntArray
from kernelopt.testing._criterion_case import Asked, CriterionCase, random_kernel, size_of
from kernelopt.testing._laws import demand, demand_close
from kernelopt.testing._skip import skip

_ACCURACY = 1e-12
"""Of the answers whose decision values are compared: these are known to the root of the gap only."""

_INSIDE = 1e-4
"""How far from its bounds a dual variable is surely inside them, relative to the largest."""

_UNITS = ((0.25, 1.0), (4.0, 1.0), (1.0, 7.0), (1.0, 0.1), (0.3, 3.0))
"""Factors of the kernel and of the targets."""


@attrs.frozen(eq=False)
class Samples:
    """What a criterion is asked about.

    Attributes:
        y: targets, shape (n, c).
        weight: shape (n, c).
        K: the kernel, shape (n, n).
    """

    y: FloatArray
    weight: FloatArray
    K: FloatArray

    def take(self, index: IntArray) -> "Samples":
        """The samples of these numbers, which may repeat."""
        return Samples(self.y[index], self.weight[index], self.K[np.ix_(index, index)])

    def asked(self, criterion: Criterion) -> Iterator[Asked]:
        """Each output's dual problem with the kernel."""
        for qp in criterion.outputs(self.y.copy(), self.weight.copy()):
            yield Asked(criterion, qp, Dense(self.K.copy()))


@attrs.frozen
class Change:
    """What a law says of the changed machine.

    Attributes:
        law: its name.
        detail: in words.
        optimum: the factor of the optimum.
        factor: of the decision values.
        shift: what is then added to them.
    """

    law: str
    detail: str
    optimum: float = 1.0
    factor: float = 1.0
    shift: float = 0.0


class InvarianceLaws(CriterionCase):
    """Laws of samples, targets and kernels that are changed, each with what the answer must then be."""

    def test_weights_are_copies(self) -> None:
        """If `weights_are_copies`, a row of weight s counts as copies of it whose weights sum to s."""
        self._copies(3)

    def _copies(self, draw: int, *, kernel: float = 1.0, larger: float = 1.0, share: float | None = None) -> None:
        """Some rows become two whose weights sum to that of the row.

        Args:
            draw: of the samples.
            kernel: a factor of the kernel.
            larger: a factor of all weights.
            share: of the copy; None for random ones.
        """
        if not self.weights_are_copies:
            skip("weights are no copies: weights_are_copies is False")
        samples, rng = self._samples(draw)
        samples = attrs.evolve(samples, weight=larger * samples.weight, K=kernel * samples.K)
        twice = np.arange(0, self.n, 3)
        index = np.append(np.arange(self.n), twice)
        copied = samples.take(index)
        shares = rng.uniform(0.2, 0.8, size=(len(twice), 1)) if share is None else np.full((len(twice), 1), share)
        copied.weight[self.n :] *= shares
        copied.weight[twice] *= 1.0 - shares
        change = Change("weights-are-copies", "a sample of weight s must count as copies whose weights sum to s")
        self._demand_changed(samples, copied, self.criterion(), index, change)

    def test_order_of_samples_does_not_matter(self) -> None:
        """If rows are permuted, the optimum and the decision values of the rows stay the same."""
        samples, rng = self._samples(4)
        order = rng.permutation(self.n)
        change = Change("order", "the order of the samples must not matter")
        self._demand_changed(samples, samples.take(order), self.criterion(), order, change)

    def test_constant_goes_to_the_bias(self) -> None:
        """If `shifts`, targets y + c have the optimum of y, and decision values that are larger by c."""
        if not self.shifts or self.criterion().task != "regression":
            skip("targets are no numbers, or no bias is free: shifts is False")
        samples, _ = self._samples(6)
        for shift in (-0.7, 30.0):
            detail = (
                f"targets + {shift:g} must have the same optimum and decision values + {shift:g}; set shifts = False "
                "if no bias is free, or if the loss depends on more than the residual"
            )
            shifted = attrs.evolve(samples, y=samples.y + shift)
            change = Change("shift", detail, shift=shift)
            self._demand_changed(samples, shifted, self.criterion(), np.arange(self.n), change)

    def test_units_do_not_matter(self) -> None:
        """The criterion of `rescaled` at s K and t y: r times the decision values, r^2/s times the optimum."""
        samples, _ = self._samples(7)
        regression = self.criterion().task == "regression"
        units = [pair for pair in _UNITS if regression or pair[1] == 1.0]
        for kernel, targets in units:
            found = self.rescaled(kernel, targets)
            if found is None:
                skip("it needs rescaled, which says how the options change with the units, and it is None")
            criterion, factor = found
            other = attrs.evolve(samples, K=kernel * samples.K, y=targets * samples.y)
            optimum = factor * factor / kernel
            detail = (
                f"with K times {kernel:g} and y times {targets:g}, the criterion that rescaled returns must have "
                f"{factor:g} times the decision values and {optimum:g} times the optimum"
            )
            change = Change("units", detail, optimum, factor)
            self._demand_changed(samples, other, criterion, np.arange(self.n), change)

    def test_larger_kernel_has_no_larger_optimum(self) -> None:
        """The optimum J(t K) is convex in t and falls: J(t K) >= h(alpha) - t/2 v'Kv at the best alpha for K."""
        for one in self.asked():
            dual = one.answer()
            for t in (0.25, 4.0):
                other = attrs.evolve(one, gram=Dense(t * one.gram.dense())).answer()
                plane = dual.h - 0.5 * t * dual.quad
                room = self.tolerance * (size_of(dual) + size_of(other))
                detail = f"the optimum for {t:g} K is {other.upper:.10g}, below {plane:.10g} of a feasible alpha"
                demand(other.upper >= plane - room, "kernel-scale", detail)
                falls = (other.objective - dual.upper) * (t - 1.0) <= room
                detail = (
                    f"the optimum must fall as the kernel grows: {dual.upper:.10g} at K, {other.upper:.10g} at {t:g} K"
                )
                demand(falls, "kernel-scale", detail)

    def _samples(self, draw: int) -> tuple[Samples, np.random.Generator]:
        """Random targets and weights with a positive definite kernel, and the generator that made them."""
        rng = np.random.default_rng([self.seed, draw])
        y = self.targets(rng, self.n)
        return Samples(y, self.weights(rng, y.shape), random_kernel(rng, self.n)), rng

    def _demand_changed(
        self, before: Samples, after: Samples, criterion: Criterion, index: IntArray, change: Change
    ) -> None:
        """Sample k after the change is sample index_k before it; `criterion` is asked after it."""
        for one, two in zip(before.asked(self.criterion()), after.asked(criterion), strict=True):
            first, second = one.answer(_ACCURACY), two.answer(_ACCURACY)
            size = max(change.optimum * size_of(first), size_of(second))
            for got, old in ((second.upper, first.upper), (second.objective, first.objective)):
                wanted = change.optimum * old
                demand_close(got, wanted, change.law, change.detail, tolerance=self.tolerance, scale=size)
            settled = _settled(one.qp, first.alpha) and _settled(two.qp, second.alpha)
            before_it, after_it = _values(one, first, settled), _values(two, second, settled)
            decision = change.factor * before_it[index] + settled * change.shift
            room = change.factor * _room(one, first) + _room(two, second)
            demand_close(
                after_it,
                decision,
                change.law,
                change.detail,
                scale=room + self.tolerance * float(np.abs(decision).max()),
                tolerance=1.0,
            )


def _settled(qp: DualQP, alpha: FloatArray) -> bool:
    """Whether a variable inside its box fixes the multiplier of each equality; else the best bias is one of many."""
    margin = _INSIDE * float(np.abs(alpha).max())
    free = (alpha > qp.lower + margin) & (alpha < qp.upper - margin)
    return all(bool(free[qp.group == g].any()) for g in range(len(qp.target)))


def _values(one: Asked, dual: Dual, settled: bool) -> FloatArray:
    """The decision values f + b, or f alone where b is not settled, shape (n,)."""
    return one.decision(dual) if settled else np.asarray(one.gram.apply(dual.v))


def _room(one: Asked, dual: Dual) -> float:
    """How far decision values may be from the best ones: 1/2 |f - f*|^2 <= gap, and the bias moves no further than f.

    Hence |f(x_i) - f*(x_i)| <= sqrt(2 gap K_ii), and as much again for the bias.
    """
    gap = max(dual.upper - dual.objective, 0.0)
    return 2.0 * math.sqrt(2.0 * gap * float(one.gram.diag().max()))
