"""Laws of a criterion's outputs: sound dual problems, one of each column, with options that do something."""

from collections.abc import Iterator
from typing import Any, cast

import attrs
import numpy as np

from kernelopt._criteria._declared import undeclared
from kernelopt.dual import repair
from kernelopt.plugin import Criterion, Dense, DualQP, FloatArray, Gram, KerneloptError, Primal
from kernelopt.testing._criterion_case import Asked, CriterionCase, random_feasible, random_kernel
from kernelopt.testing._laws import LawBroken, arrays_in, demand, demand_doubles, untouched
from kernelopt.testing._skip import skip

_BESIDE = (0.5, 2.0)
"""Factors of an option, whose values are tried until the criterion takes one."""
_ADDED = (1.0, -1.0)
_COLUMNS = 10
"""So many times the targets of a sample, which have one column or two."""
_SIZES = (1e-6, 1e6)
"""Targets of these sizes have a bias of theirs, which no rounding to some digits after the point gives."""
_LARGE = 10.0
"""What a kernel has on its diagonal beyond an ordinary one, so that each row can have the value that suits it."""


class OutputLaws(CriterionCase):
    """Laws of `outputs`, of the options of a criterion, and of the multipliers of `primal`."""

    def test_outputs_are_dual_problems(self) -> None:
        """outputs has a DualQP for each column of y, with arrays of the right shapes and disjoint equalities."""
        rng = np.random.default_rng(self.seed)
        y = self.targets(rng, self.n)
        outputs = self.criterion().outputs(y, self.weights(rng, y.shape))
        detail = f"outputs must return one DualQP for each of the {y.shape[1]} columns of y"
        demand(isinstance(outputs, tuple) and len(outputs) == y.shape[1], "outputs-count", detail)
        for qp in outputs:
            _demand_shapes(qp, len(y))
            _demand_sets(qp)

    def test_outputs_are_what_is_declared(self) -> None:
        """`bounded` and `sized` say of the dual problems what is so, for several targets and weights."""
        criterion = self.criterion()
        pair = criterion.bounded
        right = isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(side, bool) for side in pair)
        demand(right, "declared", f"bounded must return a pair of True and False, got {pair!r}")
        demand(isinstance(criterion.sized, bool), "declared", f"sized must be True or False, got {criterion.sized!r}")
        for draw in range(2):
            fault = undeclared(criterion, [one.qp for one in self.asked(draw)])
            demand(fault is None, "declared", f"{fault}; make the two agree")
            fixed = any(bool(one.qp.target.any()) for one in self.asked(draw))
            detail = "its property `sized` is True, and all equalities of its outputs have the target 0"
            demand(fixed or not criterion.sized, "declared", f"{detail}; make the two agree")

    def test_outputs_are_repeatable(self) -> None:
        """outputs returns the same arrays for the same targets, and writes into neither targets nor weights."""
        rng = np.random.default_rng(self.seed)
        y = self.targets(rng, self.n)
        weight = self.weights(rng, y.shape)
        with untouched("criterion-untouched", "outputs", y=y, weight=weight):
            first, second = (self.criterion().outputs(y, weight) for _ in range(2))
        same = all(np.array_equal(a, b) for a, b in zip(arrays_in(first), arrays_in(second), strict=True))
        demand(same, "outputs-repeatable", "the same targets and weights must give the same dual problems")

    def test_few_samples_and_equal_targets_are_enough(self) -> None:
        """Two samples, or in regression equal targets, have a finite primal above the Lagrangian, or an error."""
        rng = np.random.default_rng([self.seed, 11])
        few, many = self.targets(rng, 2), self.targets(rng, self.n)
        cases = {"two samples": few}
        if self.criterion().task == "regression":
            cases |= {"equal targets": np.ones_like(many), "targets that are all 0": np.zeros_like(many)}
        for where, y in cases.items():
            try:
                self._demand_finite(where, y)
            except KerneloptError:
                continue
            except LawBroken:
                raise
            except Exception as error:
                words = "there must be a finite primal objective, or an error such as InvalidData; got"
                raise LawBroken("few-samples", f"with {where} {words} {type(error).__name__}: {error}") from error

    def _demand_finite(self, where: str, y: FloatArray) -> None:
        """The primal objective for these targets (n, c) is finite, and not below the Lagrangian where that is judged.

        Raises:
            KerneloptError: the criterion refuses the targets.
        """
        gram = Dense(random_kernel(np.random.default_rng(self.seed), len(y)))
        for qp in self.criterion().outputs(y, np.ones_like(y)):
            alpha = repair(qp, np.zeros(qp.size))
            v = qp.embed(alpha)
            f = gram.apply(v)
            bound = Asked(self.criterion(), qp, gram).primal(v).value
            terms = np.array([0.5 * float(v @ f), qp.h(alpha), -float(v @ f)])
            room = 1e-9 * (float(np.abs(terms).sum() + np.abs(qp.linear) @ np.abs(alpha)) + abs(bound))
            detail = f"with {where} the primal objective is {bound:.10g}, and the Lagrangian {terms.sum():.10g}"
            right = np.isfinite(bound) and (not self.lagrangian or bound >= terms.sum() - room)
            demand(right, "few-samples", detail)

    def test_an_output_is_that_of_its_column(self) -> None:
        """The DualQP of a column of targets and weights is the same alone and among other columns."""
        rng = np.random.default_rng([self.seed, 9])
        y = np.column_stack([self.targets(rng, self.n) for _ in range(_COLUMNS)])
        weight = self.weights(rng, y.shape)
        try:
            together = self.criterion().outputs(y.copy(), weight.copy())
        except KerneloptError as error:
            skip(f"several columns of targets are refused: {error}")
        detail = f"outputs must return one DualQP for each of the {y.shape[1]} columns of y"
        demand(isinstance(together, tuple) and len(together) == y.shape[1], "outputs-count", detail)
        for c, qp in enumerate(together):
            (alone,) = self.criterion().outputs(y[:, [c]], weight[:, [c]])
            name = next((one for one in _ARRAYS if not np.array_equal(getattr(qp, one), getattr(alone, one))), None)
            detail = (
                f"{name} of the DualQP of column {c} of y is another one where column {c} is the only column; let "
                f"outputs compute it from y[:, {c}] and weight[:, {c}] alone"
            )
            demand(name is None, "outputs-columns", detail)

    def test_decision_values_follow_the_targets(self) -> None:
        """With a large kernel, decision values of the training rows are larger where targets are larger."""
        if self.criterion().task == "novelty":
            skip("there are no targets to follow")
        rng = np.random.default_rng([self.seed, 21])
        y = self.targets(rng, self.n)
        gram = Dense(_LARGE * np.eye(len(y)) + random_kernel(rng, len(y)))
        for c, qp in enumerate(self.criterion().outputs(y, self.weights(rng, y.shape))):
            one = Asked(self.criterion(), qp, gram)
            decision = one.decision(one.answer())
            rise = float((y[:, c] - y[:, c].mean()) @ decision)
            detail = (
                "with a large kernel the decision values of the training rows must be larger where their targets are, "
                f"and sum_i (y_i - mean y) (f + b)_i must be above 0, got {rise:.3g}; look at the signs of linear, and "
                "at sign, by which v = E alpha: the machine does not learn what it is told"
            )
            demand(rise > 0.0, "targets-followed", detail)

    def test_every_option_has_an_effect(self) -> None:
        """Another value of an option gives another dual problem, another primal objective or another declaration."""
        criterion = self.criterion()
        asked = [(one.gram, one.answer().v) for one in self.asked()]
        own = self._said(criterion, asked)
        for name in options_of(criterion):
            others = [(other, self._said(other, asked)) for other in _beside(criterion, name)]
            found = [(other, said) for other, said in others if said is not None]
            idle = own is not None and bool(found) and all(_same(own, said) for _, said in found)
            values = " and ".join(dict.fromkeys(repr(getattr(other, name)) for other, _ in found))
            detail = (
                f"the option {name} has no effect: outputs, primal, bounded and sized are the same for the values "
                f"{getattr(criterion, name)!r} and {values}; use self.{name} in outputs or in primal, or remove the "
                f"option; if the option only controls a search within primal, name it in idle_options of the suite"
            )
            demand(not idle or name in self.idle_options, "option-effect", detail)

    def test_bias_has_the_value_of_primal(self) -> None:
        """If sum v is the only equality, the first multiplier is a b at which primal is the maximum over the box."""
        if not (self.tight and self.lagrangian):
            skip("the primal value is not the maximum at v itself: tight or lagrangian is False")
        rng = np.random.default_rng([self.seed, 10])
        for one in (*self.asked(0), *self.asked(1)):
            if not _has_one_multiplier(one.qp):
                skip("there are several equalities, or one that is not the sum of v")
            for v in (np.zeros(one.qp.n), one.qp.embed(random_feasible(one.qp, rng)), rng.normal(size=one.qp.n)):
                self._demand_bias(one, v)
        for size in _SIZES if self.criterion().task == "regression" else ():
            y = size * self.targets(rng, self.n)
            for qp in self.criterion().outputs(y, self.weights(rng, y.shape)):
                one = Asked(self.criterion(), qp, Dense(random_kernel(rng, self.n)))
                self._demand_bias(one, size * rng.normal(size=self.n))

    def _demand_bias(self, one: Asked, v: FloatArray) -> None:
        """The bias that comes with the primal objective at v (n,) is one at which it has its value."""
        f, found = one.gram.apply(v), one.primal(v)
        free = len(one.qp.target) > 0 or one.qp.bias_cost > 0.0
        b = float(found.multipliers[0]) if len(found.multipliers) else 0.0
        detail = f"the machine has no bias, and primal returns the bias {b:.10g}; return Primal(value, np.zeros(0))"
        demand(free or b == 0.0, "bias", detail)
        quad = 0.5 * float(v @ f)
        at, scale = quad + _at_bias(one.qp, f, b), abs(quad) + abs(found.value - quad) + 1e-9
        detail = (
            f"primal returns the value {found.value:.10g} and the first multiplier {_first(found)}, and with this "
            f"number as the bias b the objective is {at:.10g}; the first multiplier must be the b that attains the "
            "value, because predictions are f + b"
        )
        demand(at <= found.value + self.tolerance * scale, "bias", detail)

    def _said(self, criterion: Criterion, asked: list[tuple[Gram, FloatArray]]) -> list[Any] | None:
        """What outputs, primal at these v and beside them, and the declarations say; None for refused targets."""
        rng = np.random.default_rng([self.seed, 0])
        y = self.targets(rng, self.n)
        try:
            outputs = criterion.outputs(y, self.weights(rng, y.shape))
        except KerneloptError:
            return None
        said: list[Any] = [criterion.bounded, criterion.sized]
        for qp, (gram, best) in zip(outputs, asked, strict=False):
            said += [*arrays_in(qp), qp.bias_cost]
            for v in (best, best + rng.normal(size=self.n)):
                primal = criterion.primal(qp, gram, v, gram.apply(v))
                said += [primal.value, *primal.multipliers]
        return said


_ARRAYS = tuple(field.name for field in attrs.fields(DualQP))


def options_of(criterion: Criterion) -> Iterator[str]:
    """The names of the options of a criterion that are numbers or switches."""
    kind: type = type(criterion)
    for field in attrs.fields(kind) if attrs.has(kind) else ():
        public = field.init and not field.name.startswith("_")
        if public and isinstance(getattr(criterion, field.name), int | float):
            yield field.name


def _beside(criterion: Criterion, name: str) -> Iterator[Criterion]:
    """The criterion with other values of an option, as far as it takes them."""
    value = getattr(criterion, name)
    others = (not value,) if isinstance(value, bool) else (*(t * value for t in _BESIDE), *(value + t for t in _ADDED))
    for other in others:
        right = int(other) if isinstance(value, int) and not isinstance(value, bool) else other
        if right != value:
            try:
                yield attrs.evolve(cast(Any, criterion), **{name: right})
            except KerneloptError:
                continue


def _same(first: list[Any], second: list[Any]) -> bool:
    return len(first) == len(second) and all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def _has_one_multiplier(qp: DualQP) -> bool:
    """Whether there is no equality, or one, over all variables, which is the sum of v."""
    if len(qp.target) == 0:
        return True
    turned = qp.sign * qp.coefficient
    return len(qp.target) == 1 and qp.bias_cost == 0.0 and bool(np.all((qp.group == 0) & (turned == turned[0])))


def _at_bias(qp: DualQP, f: FloatArray, b: float) -> float:
    """The maximum over the box of h(alpha) - (E alpha)'(f + b), and what the bias itself costs."""
    slope = qp.linear - qp.sign * (f + b)[qp.sample]
    curved = qp.curvature > 0.0
    best = np.divide(slope, qp.curvature, out=np.where(slope > 0.0, qp.upper, qp.lower), where=curved)
    alpha = np.clip(np.where(slope == 0.0, 0.0, best), qp.lower, qp.upper)
    value = float(slope @ alpha) - 0.5 * float(qp.curvature[curved] @ alpha[curved] ** 2)
    if qp.bias_cost:
        return value + 0.5 * b * b / qp.bias_cost
    return value + b * float((qp.sign * qp.coefficient)[0] * qp.target[0]) if len(qp.target) else value


def _first(found: Primal) -> str:
    return f"{found.multipliers[0]:.10g}" if len(found.multipliers) else "(none)"


def _demand_shapes(qp: DualQP, n: int) -> None:
    demand(qp.n == n, "outputs-shape", f"n must be the number of samples {n}, got {qp.n}")
    fields = ("linear", "curvature", "lower", "upper", "sample", "sign", "group", "coefficient")
    shapes = {name: getattr(qp, name).shape for name in fields}
    detail = f"all arrays must have the shape (N,), N = n or 2 n, got {shapes}"
    demand(set(shapes.values()) == {(qp.size,)} and qp.size in (n, 2 * n), "outputs-shape", detail)
    for name in ("sample", "group"):
        kind = getattr(qp, name).dtype
        detail = f"{name} of a DualQP must hold integers, got {kind}; use an array such as np.arange(n)"
        demand(np.issubdtype(kind, np.integer), "outputs-integers", detail)
    counts = np.bincount(qp.sample, minlength=n)
    detail = "every sample must have as many dual variables as any other"
    demand(len(counts) == n and bool(np.all(counts == qp.size // n)), "outputs-sample", detail)


def _demand_sets(qp: DualQP) -> None:
    fields = ("linear", "curvature", "lower", "upper", "sign", "coefficient", "target")
    demand_doubles("outputs-float64", **{f"{name} of a DualQP": getattr(qp, name) for name in fields})
    finite = all(bool(np.isfinite(x).all()) for x in (qp.linear, qp.curvature, qp.target, qp.coefficient))
    demand(finite, "outputs-finite", "linear, curvature, coefficient and target must be finite")
    signs = bool(np.all(np.abs(qp.sign) == 1.0)) and bool(np.all(np.abs(qp.coefficient[qp.group >= 0]) == 1.0))
    demand(signs, "outputs-sign", "signs, and coefficients of equalities, must be +1 or -1")
    box = bool(np.all(qp.lower < qp.upper))
    demand(box, "outputs-box", "every lower bound must be below its upper bound; a sample's weight is positive")
    concave = bool(np.all(qp.curvature >= 0.0)) and qp.bias_cost >= 0.0
    demand(concave, "outputs-concave", "curvature and bias_cost must be >= 0: h is concave")
    groups = len(qp.target)
    known = bool(np.all((qp.group >= -1) & (qp.group < groups))) and groups <= 2
    demand(known, "outputs-group", f"group must be -1 to {groups - 1}, with two equalities at most")
