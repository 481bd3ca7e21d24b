"""The kit must reject a broken criterion, and for its reason."""

from typing import ClassVar

import attrs
import numpy as np
import pytest
from sklearn.svm import SVC as LibSVM

import kernelopt
from kernelopt import Ridge
from kernelopt.plugin import Criterion, DualQP, Primal, positive
from kernelopt.testing import CriterionSuite, broken_laws, judge, verdicts


def value_of(primal):
    return primal.value


@attrs.frozen
class Hinge(Criterion):
    """C-support-vector classification, written again, slowly."""

    name = "hinge"
    task = "classification"

    C: float = attrs.field(default=2.0, validator=positive)

    def outputs(self, y, weight):
        return tuple(self.output(y[:, c], weight[:, c]) for c in range(y.shape[1]))

    def output(self, y, weight):
        n = len(y)
        return DualQP(
            n=n,
            linear=np.ones(n),
            curvature=np.zeros(n),
            lower=np.zeros(n),
            upper=self.C * weight,
            sample=np.arange(n),
            sign=y.copy(),
            group=np.zeros(n, dtype=np.int64),
            coefficient=y.copy(),
            target=np.zeros(1),
        )

    def primal(self, qp, gram, v, f):
        biases = qp.sign - f
        losses = [qp.upper @ np.maximum(0.0, 1.0 - qp.sign * (f + bias)) for bias in biases]
        best = int(np.argmin(losses))
        return Primal(0.5 * float(v @ f) + float(losses[best]), biases[best : best + 1])


class LowPrimal(Hinge):
    def primal(self, qp, gram, v, f):
        bound = super().primal(qp, gram, v, f)
        return attrs.evolve(bound, value=bound.value - 1e-3 * abs(bound.value))


class NoNumberFarAway(Hinge):
    def primal(self, qp, gram, v, f):
        bound = super().primal(qp, gram, v, f)
        return attrs.evolve(bound, value=bound.value if np.abs(v).max() < 1e6 else np.nan)


class LoosePrimal(Hinge):
    def primal(self, qp, gram, v, f):
        bound = super().primal(qp, gram, v, f)
        return attrs.evolve(bound, value=1.001 * bound.value + 1e-3)


class NoBias(Hinge):
    """Forgets that the bias is free: a bound, but a loose one."""

    def primal(self, qp, gram, v, f):
        return Primal(0.5 * float(v @ f) + float(qp.upper @ np.maximum(0.0, 1.0 - qp.sign * f)), np.zeros(1))


class ForgetsNorm(Hinge):
    def primal(self, qp, gram, v, f):
        bound = super().primal(qp, gram, v, f)
        return attrs.evolve(bound, value=bound.value - 0.5 * float(v @ f))


class ShrunkenLoss(Hinge):
    """Takes the better of v and v/2: a true bound on the optimum, and not one on the Lagrangian at v."""

    def primal(self, qp, gram, v, f):
        return min((super(ShrunkenLoss, self).primal(qp, gram, t * v, t * f) for t in (0.5, 1.0)), key=value_of)


class WideBox(Hinge):
    """The box goes to 2 C, the loss counts C."""

    def output(self, y, weight):
        qp = super().output(y, weight)
        return attrs.evolve(qp, upper=2.0 * qp.upper)

    def primal(self, qp, gram, v, f):
        return super().primal(attrs.evolve(qp, upper=0.5 * qp.upper), gram, v, f)


class OtherC(Hinge):
    """Consistent in itself, but another problem than the author's."""

    def output(self, y, weight):
        qp = super().output(y, weight)
        return attrs.evolve(qp, upper=2.0 * qp.upper)


class UpsideDownBox(Hinge):
    def output(self, y, weight):
        qp = super().output(y, weight)
        return attrs.evolve(qp, lower=qp.upper, upper=qp.lower)


class IgnoresWeights(Hinge):
    def output(self, y, weight):
        return super().output(y, np.ones_like(weight))


class WholeWeights(Hinge):
    """Takes a weight for a count of copies."""

    def output(self, y, weight):
        return super().output(y, np.maximum(1.0, np.round(weight)))


class CappedBox(Hinge):
    """A box that does not follow C, so that C means something else in other units."""

    def output(self, y, weight):
        qp = super().output(y, weight)
        return attrs.evolve(qp, upper=np.minimum(qp.upper, 0.5))


class FirstBias(Hinge):
    """A true bound, whose bias is that of the first sample and not the best one."""

    def primal(self, qp, gram, v, f):
        return attrs.evolve(super().primal(qp, gram, v, f), multipliers=qp.sign[:1] - f[:1])


class FirstSampleCounts(Hinge):
    def output(self, y, weight):
        qp = super().output(y, weight)
        return attrs.evolve(qp, upper=qp.upper * np.where(np.arange(len(y)) == 0, 9.0, 1.0))


class LongSigns(Hinge):
    def output(self, y, weight):
        qp = super().output(y, weight)
        return attrs.evolve(qp, sign=2.0 * qp.sign)


class OneOutput(Hinge):
    def outputs(self, y, weight):
        return super().outputs(y[:, :1], weight[:, :1])


class ShortArrays(Hinge):
    def output(self, y, weight):
        return attrs.evolve(super().output(y, weight), linear=np.ones(len(y) - 1))


class Convex(Hinge):
    def output(self, y, weight):
        return attrs.evolve(super().output(y, weight), curvature=np.full(len(y), -1.0))


class ManyGroups(Hinge):
    def output(self, y, weight):
        return attrs.evolve(super().output(y, weight), group=np.arange(len(y)))


class Infeasible(Hinge):
    """An equality that no point of the box meets."""

    def output(self, y, weight):
        return attrs.evolve(super().output(y, weight), target=np.full(1, 1e6))


class Scribbler(Hinge):
    def primal(self, qp, gram, v, f):
        bound = super().primal(qp, gram, v, f)
        f += 1.0
        return bound


class ScribblesOnTargets(Hinge):
    def outputs(self, y, weight):
        weight *= self.C
        return super().outputs(y, weight)


class NoMultiplier(Hinge):
    def primal(self, qp, gram, v, f):
        return attrs.evolve(super().primal(qp, gram, v, f), multipliers=np.full(1, np.nan))


class Restless(Hinge):
    def primal(self, qp, gram, v, f):
        bound = super().primal(qp, gram, v, f)
        return attrs.evolve(bound, value=bound.value + 1e-9 * np.random.default_rng().uniform())


class DenseOnly(Hinge):
    """Takes the bound from a matrix that a low-rank Gram does not hold."""

    def primal(self, qp, gram, v, f):
        bound = super().primal(qp, gram, v, f)
        return bound if hasattr(gram, "matrix") else attrs.evolve(bound, value=bound.value + 1.0)


class OddTask(Hinge):
    task = "ranking"


class Thawed(Hinge):
    """Further attributes can be set: no attrs.frozen."""

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)


BROKEN = (
    (LowPrimal, "primal-bound"),
    (LowPrimal, "primal-lagrangian"),
    (LoosePrimal, "primal-tight"),
    (NoNumberFarAway, "primal-bound"),
    (NoBias, "primal-tight"),
    (ForgetsNorm, "primal-bound"),
    (WideBox, "primal-bound"),
    (ShrunkenLoss, "primal-lagrangian"),
    (OtherC, "optimum-naive"),
    (UpsideDownBox, "outputs-box"),
    (IgnoresWeights, "weights-are-copies"),
    (WholeWeights, "weights-are-copies"),
    (CappedBox, "units"),
    (FirstBias, "order"),
    (FirstSampleCounts, "order"),
    (LongSigns, "outputs-sign"),
    (OneOutput, "outputs-count"),
    (ShortArrays, "outputs-shape"),
    (Convex, "outputs-concave"),
    (ManyGroups, "outputs-group"),
    (Infeasible, "dual-set"),
    (Scribbler, "criterion-untouched"),
    (ScribblesOnTargets, "criterion-untouched"),
    (NoMultiplier, "multipliers"),
    (Restless, "primal-repeatable"),
    (DenseOnly, "low-rank"),
    (OddTask, "criterion-task"),
    (Thawed, "criterion-frozen"),
)


def laws_of(make):
    class Laws(CriterionSuite):
        def criterion(self):
            return make()

        def naive_value(self, y, weight, K):
            machine = LibSVM(C=2.0, kernel="precomputed", tol=1e-10).fit(K, y, sample_weight=weight)
            v = np.zeros(len(y))
            v[machine.support_] = machine.dual_coef_[0]
            return np.abs(v).sum() - 0.5 * v @ K @ v

        def rescaled(self, kernel, targets):
            return make(C=2.0 / kernel), 1.0

    return Laws()


def broken_of(make):
    return broken_laws(laws_of(make))


@pytest.mark.parametrize(("criterion", "law"), BROKEN, ids=lambda x: getattr(x, "__name__", None))
def test_broken_criterion_is_rejected_for_its_reason(criterion, law, rejected):
    rejected(laws_of(criterion), law)


def test_sound_criterion_passes():
    assert broken_of(Hinge) == {}


@pytest.mark.parametrize("C", [1e-3, 1e3])
def test_bias_is_judged_only_where_it_is_unique(C):
    """Hinge takes the first of the best biases in the order of the samples: one of many, where none is free."""

    class Laws(CriterionSuite):
        def criterion(self):
            return Hinge(C=C)

        def weights(self, rng, shape):
            return np.ones(shape)

        def rescaled(self, kernel, targets):
            return Hinge(C=C / kernel), 1.0

    assert broken_laws(Laws()) == {}


ABOVE = ["test_primal_is_an_upper_bound", "test_primal_bounds_the_lagrangian", "test_primal_is_tight"]
"""The tests of the kit that say how far above the optimum a bound may be."""


def test_loose_bound_may_be_declared():
    class Laws(CriterionSuite):
        tight = False

        def criterion(self):
            return NoBias()

    assert "primal-tight" not in {one.law for one in verdicts(Laws(), ABOVE)}


def test_bound_on_the_optimum_alone_may_be_declared():
    class Laws(CriterionSuite):
        lagrangian = False

        def criterion(self):
            return ShrunkenLoss()

    assert "primal-lagrangian" not in {one.law for one in verdicts(Laws(), ABOVE)}


@attrs.frozen
class Hulls(Criterion):
    """The nearest points of two convex hulls, written again: h = 0, and the best multiple of v is taken."""

    name = "hulls"
    task = "classification"
    power: ClassVar[float] = 2.0

    sized = True

    def outputs(self, y, weight):
        return tuple(self.output(y[:, c]) for c in range(y.shape[1]))

    def output(self, y):
        n = len(y)
        return DualQP(
            n=n,
            linear=np.zeros(n),
            curvature=np.zeros(n),
            lower=np.zeros(n),
            upper=np.ones(n),
            sample=np.arange(n),
            sign=y.copy(),
            group=(y < 0).astype(np.int64),
            coefficient=np.ones(n),
            target=np.ones(2),
        )

    def primal(self, qp, gram, v, f):
        quad, reach = float(v @ f), float(f[qp.sign > 0].min() - f[qp.sign < 0].max())
        if not 0.0 < reach < quad:
            return Primal(min(0.5 * quad - reach, 0.0), np.zeros(1))
        return Primal(-(reach**self.power) / (2.0 * quad ** (self.power - 1.0)), np.zeros(1))


class Flatter(Hulls):
    power = 1.9


class AtV(Hulls):
    """The objective at v itself: a bound, but a loose one."""

    def primal(self, qp, gram, v, f):
        reach = float(f[qp.sign > 0].min() - f[qp.sign < 0].max())
        return Primal(0.5 * float(v @ f) - reach, np.zeros(1))


class AtAnEnd(Hulls):
    """The better of the objectives at v and at 0: loose where a multiple between them is the best."""

    def primal(self, qp, gram, v, f):
        reach = float(f[qp.sign > 0].min() - f[qp.sign < 0].max())
        return Primal(min(0.5 * float(v @ f) - reach, 0.0), np.zeros(1))


@pytest.mark.parametrize(
    ("criterion", "direct", "laws"),
    [
        (Hulls(), False, set()),
        (Hulls(), True, {"primal-lagrangian"}),
        (Flatter(), False, {"primal-bound"}),
        (AtV(), False, {"primal-tight"}),
        (AtAnEnd(), False, {"primal-tight"}),
        (AtV(), True, set()),
    ],
    ids=["best multiple", "undeclared", "too low", "v itself", "v or nothing", "v itself, undeclared"],
)
def test_best_multiple_of_v_is_declared(criterion, direct, laws, rejected):
    class Laws(CriterionSuite):
        lagrangian = direct
        weights_are_copies = False

        def criterion(self):
            return criterion

    for law in laws:
        rejected(Laws(), law)
    assert laws or not broken_laws(Laws())


def test_a_level_that_is_not_free_is_seen(rejected):
    @attrs.frozen
    class Claimed(Ridge):
        """Ridge regression has no bias: a number that is added to all targets changes the function."""

        levelled = True

    class Laws(CriterionSuite):
        def criterion(self):
            return Claimed()

    rejected(Laws(), "level")


@pytest.mark.parametrize("real", [kernelopt.NuSVC(), kernelopt.Margin()], ids=lambda one: one.name)
def test_what_is_declared_of_the_dual_set_must_be_so(real):
    """That the criteria keep all other laws is tested with everything else that is installed."""

    class Undeclared(type(real)):
        sized = False
        bounded = (True, True)

    law = ["test_outputs_are_what_is_declared"]
    assert [one.outcome for one in verdicts(judge(real), law)] == ["passed"]
    (said,) = verdicts(judge(Undeclared()), law)
    assert said.law == "declared"
    assert "make the two agree" in said.detail


def test_a_declaration_of_another_type_is_seen():
    class Once(Hinge):
        bounded = True

    class Numbered(Hinge):
        sized = 1

    assert {"declared"} == set(broken_of(Once)) == set(broken_of(Numbered))


def test_a_criterion_that_suits_nobody_is_seen():
    class Lost(Hinge):
        def suited(self, labels):
            return None if labels else self

    assert "suited(True) must return a Criterion, got None" in broken_of(Lost)["suited"]


@pytest.mark.parametrize("said", ["no", "two\nlines of it", True])
def test_a_refusal_that_is_no_sentence_is_seen(said):
    class Curt(Hinge):
        def refuses(self, families):
            return said

    assert "one sentence" in broken_of(Curt)["refuses"]


def test_an_error_where_none_is_said_to_be_is_seen(rejected):
    @attrs.frozen
    class Claimed(Ridge):
        """Ridge regression allows errors, so equal rows may have different targets."""

        interpolates = True

    class Laws(CriterionSuite):
        def criterion(self):
            return Claimed()

    rejected(Laws(), "interpolates")


STATED = {OtherC}
"""What is wrong with these, only their author can say: they are sound criteria of another price."""


@pytest.mark.parametrize(("criterion", "law"), dict(BROKEN).items(), ids=lambda x: getattr(x, "__name__", None))
def test_broken_criterion_is_rejected_without_its_author(criterion, law, fails):
    assert fails(judge(criterion), law) == (criterion not in STATED)


@pytest.mark.parametrize("criterion", [Hinge(), Hulls(), AtV()], ids=lambda x: type(x).__name__)
def test_what_a_sound_criterion_does_not_declare_is_seen(criterion):
    assert broken_laws(judge(criterion)) == {}


def test_a_criterion_without_doubles_is_named():
    class Single(Hinge):
        def output(self, y, weight):
            qp = super().output(y, weight)
            return attrs.evolve(qp, upper=qp.upper.astype(np.float32))

    told = broken_of(Single)["outputs-float64"]
    assert "upper of a DualQP must hold float64, got float32, which has seven digits" in told


@pytest.mark.parametrize(
    ("observed", "told"),
    [
        (lambda weight: weight[:-1], "finite numbers > 0 of shape (7,)"),
        (lambda weight: weight - 1.0, "finite numbers > 0 of shape (7,)"),
        (lambda weight: 2.0 * weight, "rows of weight 1 were observed once each"),
        (lambda weight: weight.astype(int), "must hold float64"),
        (lambda weight: np.divide(weight, weight.mean(), out=weight), "observed"),
    ],
)
def test_numbers_of_rows_that_are_none(observed, told):
    class Miscounting(Hinge):
        def observed(self, weight):
            return observed(weight)

    assert told in broken_of(Miscounting)["observed"]
