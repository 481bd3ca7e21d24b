"""The conformance suite of a criterion."""

import attrs
import numpy as np

from kernelopt.dual import repair
from kernelopt.plugin import Criterion, Dense, DualQP, FloatArray, KerneloptError, LowRank
from kernelopt.testing._criterion_case import Asked, random_feasible, random_kernel, size_of
from kernelopt.testing._laws import (
    LawBroken,
    demand,
    demand_close,
    demand_doubles,
    demand_frozen,
    demand_keeps_nothing,
    demand_kind,
    demand_name,
    demand_sentence,
    untouched,
)
from kernelopt.testing._naive import naive_best, naive_lagrangian, naive_maximum, naive_multiple
from kernelopt.testing._skip import skip
from kernelopt.testing._toys import Affine, Columns, Waves
from kernelopt.testing.laws._output_laws import OutputLaws
from kernelopt.testing.laws._rare_laws import RareLaws

_SIZES = (1.0, 1e6)
_LARGE = 1e8
"""v of this size are far from any optimum, and a bound is a number there too."""
_TINY = 1e-8
"""v of this size are no zero."""
_LEVEL = 3.0
"""What is added to all targets."""


class CriterionSuite(RareLaws, OutputLaws):
    """Every law of a criterion, as tests that a class inherits.

    You write the criterion, and a slow method that computes its value in another way:

        class TestMine(CriterionSuite):
            def criterion(self):
                return Mine(C=2.0)

            def naive_value(self, y, weight, K):
                return ...
    """

    def test_criterion_is_a_frozen_value_with_a_name(self) -> None:
        """The name is lower-case, the task is a known one, and attributes cannot be set."""
        criterion = self.criterion()
        right = isinstance(criterion, Criterion)
        demand(right, "criterion-type", f"criterion() must return a Criterion, got {criterion!r}")
        demand_name(criterion, "criterion-name")
        tasks = ("classification", "regression", "novelty")
        demand(criterion.task in tasks, "criterion-task", f"task must be one of {tasks}, got {criterion.task!r}")
        demand_frozen(criterion, "criterion-frozen")

    def test_suited_is_a_criterion(self) -> None:
        """suited returns a criterion for labels and one for numbers; to ask that one again changes nothing."""
        for labels in (True, False):
            found = self.criterion().suited(labels)
            demand_kind(found, Criterion, "suited", f"suited({labels})")
            again = found.suited(labels)
            detail = f"suited({labels}) of what it returned must return the same, got {again!r} of {found!r}"
            demand(type(again) is type(found) and again.task == found.task, "suited", detail)

    def test_observed_is_a_number_for_each_row(self) -> None:
        """observed returns a number > 0 for each row, all 1 where all weights are 1, and leaves the weights alone."""
        criterion, rng = self.criterion(), np.random.default_rng(self.seed)
        weights: tuple[FloatArray, ...] = (
            np.ones(7),
            np.full(1, 2.5),
            np.arange(1.0, 13.0),
            rng.uniform(1e-4, 1e-3, 9),
        )
        for weight in weights:
            with untouched("observed", "observed", weight=weight):
                found = criterion.observed(weight)
            demand_doubles("observed", **{"observed(weight)": found})
            right = found.shape == weight.shape and bool((np.isfinite(found) & (found > 0.0)).all())
            detail = f"observed(weight) must be finite numbers > 0 of shape {weight.shape}, got {found!r}"
            demand(right, "observed", detail)
            same = bool((weight != 1.0).any() or (found == 1.0).all())
            demand(same, "observed", f"rows of weight 1 were observed once each, got {found!r}")

    def test_refusal_of_families_is_a_sentence(self) -> None:
        """refuses returns None or one sentence for any families, the same each time."""
        for families in ((Columns(2),), (Affine(2),), (Waves(), Columns(2))):
            first, again = (self.criterion().refuses(families) for _ in range(2))
            demand_sentence(first, "refuses", "refuses")
            detail = f"refuses must give the same answer each time, got {first!r}, {again!r}"
            demand(first == again, "refuses", detail)

    def test_dual_set_is_not_empty(self) -> None:
        """Any vector can be repaired to a feasible point, and a second repair changes nothing."""
        rng = np.random.default_rng(self.seed)
        for one in self.asked():
            for start in (np.zeros(one.qp.size), rng.normal(size=one.qp.size), np.full(one.qp.size, 1e6)):
                try:
                    alpha = repair(one.qp, start)
                except KerneloptError as error:
                    raise LawBroken("dual-set", f"the dual set of random targets is empty: {error}") from error
                _demand_feasible(one.qp, alpha, "dual-set", "the repaired vector must lie in the dual set")
                detail = "a feasible vector must stay as it is"
                demand_close(repair(one.qp, alpha), alpha, "dual-set", detail, tolerance=1e-9, scale=_scale(alpha))

    def test_primal_is_an_upper_bound(self) -> None:
        """For any v, primal is at least the optimum over the dual set at this kernel, found by a slow method."""
        rng = np.random.default_rng(self.seed)
        for one in (*self.asked(0), *self.asked(1)):
            start = repair(one.qp, np.zeros(one.qp.size))
            alpha = repair(one.qp, naive_best(one.qp, one.gram.dense(), np.zeros(one.qp.n), start))
            best = one.qp.embed(alpha)
            h, quad = one.qp.h(alpha), float(best @ one.gram.apply(best))
            optimum, room = h - 0.5 * quad, self.tolerance * (abs(h) + 0.5 * quad + 1e-9)
            large = _LARGE * rng.normal(size=one.qp.n)
            for v in (*_vectors(one.qp, rng), *_vectors(one.qp, rng), *_near(best, rng), large):
                bound = one.primal(v).value
                demand(not np.isnan(bound), "primal-bound", "the primal objective is not a number")
                detail = f"the primal objective {bound:.10g} is below the optimum {optimum:.10g}: an untrue upper bound"
                demand(bound >= optimum - room, "primal-bound", detail)

    def test_primal_bounds_the_lagrangian(self) -> None:
        """If `lagrangian`, primal >= 1/2 v'Kv + h(alpha) - (E alpha)'f for any v and any feasible alpha."""
        if not self.lagrangian:
            skip("the primal value is not that of v itself: lagrangian is False")
        rng = np.random.default_rng(self.seed)
        for one in (*self.asked(0), *self.asked(1)):
            for v in _vectors(one.qp, rng):
                bound, f = one.primal(v).value, one.gram.apply(v)
                for _ in range(20):
                    alpha = random_feasible(one.qp, rng)
                    terms = np.array([0.5 * float(v @ f), one.qp.h(alpha), -float(one.qp.embed(alpha) @ f)])
                    room = 1e-9 * (float(np.abs(terms).sum()) + abs(bound))
                    demand(
                        bound >= terms.sum() - room,
                        "primal-lagrangian",
                        f"the primal objective {bound:.10g} is below {terms.sum():.10g}, the Lagrangian at a feasible "
                        "alpha; set lagrangian = False if it is that of another function than v",
                    )

    def test_primal_is_tight(self) -> None:
        """primal = 1/2 v'Kv + max over alpha in A of [h(alpha) - (E alpha)'f]; without `lagrangian` at the best t v."""
        if not self.tight:
            skip("the primal value is a bound and no maximum: tight is False")
        rng = np.random.default_rng(self.seed)
        for one in self.asked():
            for v in _vectors(one.qp, rng):
                f, got = one.gram.apply(v), one.primal(v).value
                quad = float(v @ f)
                if self.lagrangian:
                    wanted = naive_lagrangian(one.qp, quad, f)
                    scale = 0.5 * abs(quad) + abs(wanted - 0.5 * quad) + 1e-9
                    law = "primal-lagrangian" if got < wanted - self.tolerance * scale else "primal-tight"
                    detail = "the primal objective must be the maximum over the dual set, rounding apart"
                    demand_close(got, wanted, law, detail, tolerance=self.tolerance, scale=scale)
                    continue
                wanted = naive_multiple(one.qp, quad, f)
                detail = f"the primal objective {got:.10g} is above {wanted:.10g}, that of the best t v, 0 <= t <= 1"
                demand(got <= wanted + self.tolerance * (abs(wanted) + 1e-2 * abs(quad) + 1e-9), "primal-tight", detail)

    def test_primal_is_pure(self) -> None:
        """primal returns the same value for the same v, changes no array, and its multipliers are finite."""
        rng = np.random.default_rng(self.seed)
        for one in self.asked():
            for v in _vectors(one.qp, rng):
                f = one.gram.apply(v)
                with untouched("criterion-untouched", "primal", v=v, f=f, qp=one.qp, gram=one.gram):
                    first = one.criterion.primal(one.qp, one.gram, v, f)
                plain = isinstance(first.multipliers, np.ndarray)
                detail = f"multipliers must be a numpy array (k,), got {type(first.multipliers).__name__}"
                demand(plain, "multipliers", detail)
                finite = first.multipliers.ndim == 1 and bool(np.isfinite(first.multipliers).all())
                demand(finite, "multipliers", f"multipliers must be one finite array (k,), got {first.multipliers}")
                kind = first.multipliers.dtype
                demand(kind == np.float64, "multipliers", f"multipliers must hold float64, got {kind}")
                second = one.criterion.primal(one.qp, one.gram, v, f)
                same = first.value == second.value and np.array_equal(first.multipliers, second.multipliers)
                demand(same, "primal-repeatable", "the same v must have the same primal objective")

    def test_calls_keep_nothing(self) -> None:
        """outputs and primal, called again and again, keep no memory."""
        rng = np.random.default_rng(self.seed)
        y = self.targets(rng, self.n)
        weight, criterion = self.weights(rng, y.shape), self.criterion()
        one = self.asked()[0]
        v = rng.normal(size=one.qp.n)
        demand_keeps_nothing("keeps", "outputs", self.n, lambda _: criterion.outputs(y, weight))
        demand_keeps_nothing("keeps", "primal", self.n, lambda turn: one.primal((1.0 + turn / 64.0) * v))

    def test_targets_of_any_size(self) -> None:
        """In regression, for targets a million times larger or smaller, primal is a number above the Lagrangian."""
        if self.criterion().task != "regression":
            skip("targets are no numbers")
        rng = np.random.default_rng([self.seed, 8])
        y = self.targets(rng, self.n)
        weight, gram = self.weights(rng, y.shape), Dense(random_kernel(rng, self.n))
        for size in (1e6, 1e-6):
            for qp in self.criterion().outputs(size * y, weight):
                one = Asked(self.criterion(), qp, gram)
                for v in _vectors(qp, rng):
                    self._demand_bound(one, size * v, size)

    def _demand_bound(self, one: Asked, v: FloatArray, size: float) -> None:
        """The primal objective at v (n,) is no error and not NaN, and not below the Lagrangian where that is judged."""
        where = f"with targets {size:g} times as large"
        try:
            bound = one.primal(v).value
        except (LawBroken, KerneloptError):
            raise
        except Exception as error:
            raise LawBroken("targets-size", f"{where} primal ended with {type(error).__name__}: {error}") from error
        demand(not np.isnan(bound), "targets-size", f"{where} the primal objective is not a number")
        f = one.gram.apply(v)
        for alpha in (repair(one.qp, np.zeros(one.qp.size)), repair(one.qp, one.qp.linear)):
            terms = np.array([0.5 * float(v @ f), one.qp.h(alpha), -float(one.qp.embed(alpha) @ f)])
            low = self.lagrangian and bound < terms.sum() - 1e-9 * (float(np.abs(terms).sum()) + abs(bound))
            detail = (
                f"{where} the primal objective {bound:.10g} is below {terms.sum():.10g}, the Lagrangian at an alpha"
            )
            demand(not low, "targets-size", detail)

    def test_level_is_free_where_it_is_said_to_be(self) -> None:
        """If `levelled`, a number added to all targets moves the bias by it, and changes neither h nor primal."""
        criterion = self.criterion()
        if not criterion.levelled:
            skip(f"{type(criterion).__name__} is not levelled")
        rng = np.random.default_rng(self.seed)
        y = self.targets(rng, self.n)
        weight = self.weights(rng, y.shape)
        gram = Dense(random_kernel(rng, self.n))
        for qp, moved in zip(criterion.outputs(y, weight), criterion.outputs(y + _LEVEL, weight), strict=True):
            alpha = random_feasible(qp, rng)
            v = qp.embed(alpha)
            f = gram.apply(v)
            scale = float(np.abs(moved.linear) @ np.abs(alpha)) + 1e-9
            detail = "levelled: h must not change where a number is added to all targets"
            demand_close(moved.h(alpha), qp.h(alpha), "level", detail, tolerance=self.tolerance, scale=scale)
            first, second = criterion.primal(qp, gram, v, f), criterion.primal(moved, gram, v, f)
            detail = "levelled: the primal objective must not change where a number is added to all targets"
            demand_close(second.value, first.value, "level", detail, tolerance=self.tolerance, scale=scale)
            detail = "levelled: the bias must move by the number that is added to all targets"
            bias = float(second.multipliers[0] - first.multipliers[0])
            demand_close(bias, _LEVEL, "level", detail, tolerance=self.tolerance, scale=scale)

    def test_equal_rows_of_different_targets_have_no_answer_where_it_is_said(self) -> None:
        """If `interpolates`, two equal rows with different targets have dual objectives as large as one likes."""
        criterion = self.criterion()
        if not criterion.interpolates:
            skip(f"{type(criterion).__name__} does not interpolate")
        y, equal = np.array([[1.0], [-1.0]]), Dense(np.ones((2, 2)))
        for qp in criterion.outputs(y, np.ones((2, 1))):
            found = []
            for size in _SIZES:
                alpha = repair(qp, size * qp.linear)
                v = qp.embed(alpha)
                found.append(qp.h(alpha) - 0.5 * float(v @ equal.apply(v)))
            detail = (
                f"interpolates: with equal rows of different targets the dual objective must grow without end along "
                f"`linear`, got {found} at {_SIZES} times it"
            )
            demand(found[0] > 0.0 and found[1] >= 0.5 * _SIZES[1] * found[0], "interpolates", detail)

    def test_gap_closes_at_the_naive_optimum(self) -> None:
        """The core's answer is feasible, its gap closes, and both bounds meet the optimum of a slow method."""
        for draw in range(2):
            for one in self.asked(draw):
                dual = one.answer()
                _demand_feasible(one.qp, dual.alpha, "answer-feasible", "the answer must lie in the dual set")
                wanted = naive_maximum(one.qp, one.gram.dense(), np.zeros(one.qp.n), dual.alpha * 0.5)
                size = size_of(dual)
                detail = "the primal objective at the best alpha must meet the naive optimum"
                demand_close(dual.upper, wanted, "gap-closes", detail, tolerance=self.tolerance, scale=size)
                detail = "the dual objective at the best alpha must meet the naive optimum"
                demand_close(dual.objective, wanted, "gap-closes", detail, tolerance=self.tolerance, scale=size)

    def test_optimum_is_the_authors(self) -> None:
        """If the author wrote `naive_value`, both bounds meet it."""
        rng = np.random.default_rng([self.seed, 2])
        y = self.targets(rng, self.n)
        weight = self.weights(rng, y.shape)
        K = random_kernel(rng, self.n)
        for c, qp in enumerate(self.criterion().outputs(y, weight)):
            wanted = self.naive_value(y[:, c].copy(), weight[:, c].copy(), K.copy())
            if wanted is None:
                skip("it needs naive_value, a slow method that the criterion's author writes in a suite")
            dual = Asked(self.criterion(), qp, Dense(K)).answer()
            detail = "the optimum must be that of naive_value"
            for got in (dual.upper, dual.objective):
                demand_close(got, wanted, "optimum-naive", detail, tolerance=self.tolerance, scale=size_of(dual))

    def test_low_rank_is_the_same_kernel(self) -> None:
        """F F' + ridge I gives the same primal objective and the same optimum as the dense matrix."""
        rng = np.random.default_rng([self.seed, 5])
        factor = rng.normal(size=(self.n, 3))
        for one in self.asked():
            low = LowRank(factor, 0.3)
            left, right = attrs.evolve(one, gram=low), attrs.evolve(one, gram=Dense(low.dense().copy()))
            for v in _vectors(one.qp, rng):
                detail = "a low-rank Gram must have the primal objective of the dense one"
                got, wanted = left.primal(v).value, right.primal(v).value
                if np.isfinite(wanted):
                    demand_close(got, wanted, "low-rank", detail, tolerance=self.tolerance, scale=abs(wanted) + 1e-9)
            first, second = left.answer(), right.answer()
            detail = "a low-rank Gram must have the optimum of the dense one"
            demand_close(first.upper, second.upper, "low-rank", detail, tolerance=self.tolerance, scale=size_of(second))


def _demand_feasible(qp: DualQP, alpha: FloatArray, law: str, detail: str) -> None:
    inside = bool(np.all((alpha >= qp.lower) & (alpha <= qp.upper)))
    violation = qp.violation(alpha)
    demand(inside and violation <= 1e-9 * _scale(alpha), law, f"{detail}; it is off by {violation:.1e}")


def _scale(alpha: FloatArray) -> float:
    return 1.0 + float(np.abs(alpha).sum())


def _vectors(qp: DualQP, rng: np.random.Generator) -> tuple[FloatArray, ...]:
    """Any v: zero, feasible, far from feasible, of one row alone, and tiny, each (n,)."""
    return (
        np.zeros(qp.n),
        qp.embed(random_feasible(qp, rng)),
        rng.normal(size=qp.n),
        100.0 * rng.normal(size=qp.n),
        np.where(np.arange(qp.n) % 2 == 0, rng.normal(size=qp.n), 0.0),
        np.where(np.arange(qp.n) == 1, 1.0, 0.0),
        _TINY * rng.normal(size=qp.n),
    )


def _near(v: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, ...]:
    """The best v (n,), multiples of it, and v a little off: where a bound has the least room."""
    size = float(np.abs(v).max())
    return (v, 0.5 * v, 0.99 * v, 1.01 * v, 2.0 * v, v + 1e-3 * size * rng.normal(size=len(v)))
