"""The kit must reject a broken criterion of regression, and for its reason."""

import attrs
import numpy as np
import pytest

from kernelopt.plugin import Criterion, DualQP, Primal, positive
from kernelopt.testing import CriterionSuite, broken_laws, judge


@attrs.frozen
class Tube(Criterion):
    """epsilon-support-vector regression, written again, slowly."""

    name = "tube"
    task = "regression"

    C: float = attrs.field(default=2.0, validator=positive)
    epsilon: float = attrs.field(default=0.1, validator=positive)

    def outputs(self, y, weight):
        return tuple(self.output(y[:, c], weight[:, c]) for c in range(y.shape[1]))

    def output(self, y, weight):
        n, sign = len(y), np.repeat([1.0, -1.0], len(y))
        return DualQP(
            n=n,
            linear=sign * np.tile(y, 2) - self.epsilon,
            curvature=np.zeros(2 * n),
            lower=np.zeros(2 * n),
            upper=self.C * np.tile(weight, 2),
            sample=np.tile(np.arange(n), 2),
            sign=sign,
            group=np.zeros(2 * n, dtype=np.int64),
            coefficient=sign,
            target=np.zeros(1),
        )

    def slack(self, qp, f, bias):
        return np.maximum(0.0, qp.linear - qp.sign * (f[qp.sample] + bias))

    def primal(self, qp, gram, v, f):
        biases = qp.sign * qp.linear - f[qp.sample]
        losses = [qp.upper @ self.slack(qp, f, bias) for bias in biases]
        best = int(np.argmin(losses))
        return Primal(0.5 * float(v @ f) + float(losses[best]), biases[best : best + 1])


class Unbiased(Tube):
    """A sound criterion, without a bias."""

    def output(self, y, weight):
        return attrs.evolve(super().output(y, weight), group=np.full(2 * len(y), -1), target=np.zeros(0))

    def primal(self, qp, gram, v, f):
        return Primal(0.5 * float(v @ f) + float(qp.upper @ self.slack(qp, f, 0.0)), np.zeros(0))


class RelativeTube(Tube):
    """A sound criterion, whose tube is a share of the target."""

    def output(self, y, weight):
        qp = super().output(y, weight)
        return attrs.evolve(qp, linear=qp.linear + self.epsilon * (1.0 - np.tile(np.abs(y), 2)))


class HalfBias(Tube):
    def primal(self, qp, gram, v, f):
        bound = super().primal(qp, gram, v, f)
        return attrs.evolve(bound, multipliers=0.5 * bound.multipliers)


class HighBias(Tube):
    def primal(self, qp, gram, v, f):
        bound = super().primal(qp, gram, v, f)
        return attrs.evolve(bound, multipliers=0.1 + bound.multipliers)


class MeanBias(Tube):
    """A true bound, whose bias is the mean residual of the rows, whatever their weights."""

    def primal(self, qp, gram, v, f):
        bias = np.mean(qp.sign * qp.linear - f[qp.sample], keepdims=True)
        return attrs.evolve(super().primal(qp, gram, v, f), multipliers=bias)


class SpreadBox(Tube):
    """C times the spread of the targets, and nobody says so."""

    def output(self, y, weight):
        qp = super().output(y, weight)
        return attrs.evolve(qp, upper=qp.upper * y.std())


class FixedTube(Tube):
    def output(self, y, weight):
        qp = super().output(y, weight)
        return attrs.evolve(qp, linear=qp.linear + self.epsilon - 0.1)


class ShortBracket(Tube):
    """Looks for the bias where it is for small targets, and nowhere else."""

    def primal(self, qp, gram, v, f):
        if np.abs(qp.linear).max() > 1e3:
            raise ValueError("f(a) and f(b) must have different signs")
        return super().primal(qp, gram, v, f)


class NarrowBracket(Tube):
    """The same, with the bias at the end of the bracket: no bound."""

    def primal(self, qp, gram, v, f):
        bias = float(np.clip(super().primal(qp, gram, v, f).multipliers[0], -1e3, 1e3))
        slack = np.minimum(self.slack(qp, f, bias), 1e3)
        return Primal(0.5 * float(v @ f) + float(qp.upper @ slack), np.array([bias]))


class SingleValue(Tube):
    def primal(self, qp, gram, v, f):
        bound = super().primal(qp, gram, v, f)
        return attrs.evolve(bound, value=np.float32(bound.value))


def laws_of(make, *, moves=True):
    class Laws(CriterionSuite):
        shifts = moves

        def criterion(self):
            return make()

        def rescaled(self, kernel, targets):
            return make(C=2.0 * targets / kernel, epsilon=0.1 * targets), targets

    return Laws()


def broken_of(make, *, moves=True):
    return broken_laws(laws_of(make, moves=moves))


BROKEN = (
    (Unbiased, "shift"),
    (RelativeTube, "shift"),
    (HalfBias, "shift"),
    (HighBias, "units"),
    (SpreadBox, "units"),
    (FixedTube, "units"),
    (MeanBias, "weights-are-copies"),
    (ShortBracket, "targets-size"),
    (NarrowBracket, "targets-size"),
    (SingleValue, "primal-float64"),
)
STATED = {Unbiased, FixedTube}
"""What is wrong with these is that their author claims a bias, or units, that they have not."""


@pytest.mark.parametrize(("criterion", "law"), BROKEN, ids=lambda x: getattr(x, "__name__", None))
def test_broken_criterion_is_rejected_without_its_author(criterion, law, fails):
    assert fails(judge(criterion), law) == (criterion not in STATED)


@pytest.mark.parametrize(("criterion", "law"), BROKEN, ids=lambda x: getattr(x, "__name__", None))
def test_broken_criterion_is_rejected_for_its_reason(criterion, law, rejected):
    rejected(laws_of(criterion), law)


@attrs.frozen
class RoundedBias(Tube):
    """Six digits after the point are none where all targets are about a millionth."""

    epsilon: float = attrs.field(default=1e-9, validator=positive)

    def primal(self, qp, gram, v, f):
        found = super().primal(qp, gram, v, f)
        return attrs.evolve(found, multipliers=np.round(found.multipliers, 6))


def test_a_bias_that_is_wrong_for_small_targets_is_rejected(rejected):
    rejected(judge(RoundedBias), "bias", "the first multiplier must be the b that attains the value")


def test_sound_criterion_passes():
    assert broken_of(Tube) == {}


def test_criterion_without_a_bias_says_so():
    assert broken_of(Unbiased, moves=False) == {}


def test_units_are_judged_by_the_criterion_that_is_stated():
    class Laws(CriterionSuite):
        def criterion(self):
            return Tube()

        def rescaled(self, kernel, targets):
            return Tube(C=2.0 * targets * kernel, epsilon=0.1 * targets), targets

    assert set(broken_laws(Laws())) == {"units"}


def test_criterion_may_have_no_units():
    class Laws(CriterionSuite):
        def criterion(self):
            return FixedTube()

    assert broken_laws(Laws()) == {}
