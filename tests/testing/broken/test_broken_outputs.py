"""The kit must reject a criterion whose columns meddle with each other, or whose options or bias say what is not so."""

from typing import ClassVar

import attrs
import numpy as np
import pytest

from kernelopt import SVC
from kernelopt.plugin import Criterion, DualQP, Primal, positive
from kernelopt.testing import CriterionSuite, broken_laws, judge


@attrs.frozen
class Medians(Criterion):
    """Median regression: min over f, b of 1/2 |f|^2 + C sum_i s_i |y_i - f(x_i) - b|."""

    name: ClassVar[str] = "medians"
    task: ClassVar[str] = "regression"

    C: float = attrs.field(default=2.0, validator=positive)

    def outputs(self, y, weight):
        return tuple(self.output(y[:, c], weight[:, c]) for c in range(y.shape[1]))

    def output(self, y, weight):
        n = len(y)
        return DualQP(
            n=n,
            linear=y,
            curvature=np.zeros(n),
            lower=-self.C * weight,
            upper=self.C * weight,
            sample=np.arange(n),
            sign=np.ones(n),
            group=np.zeros(n, dtype=np.int64),
            coefficient=np.ones(n),
            target=np.zeros(1),
        )

    def primal(self, qp, gram, v, f):
        biases = qp.linear - f
        losses = [qp.upper @ np.abs(biases - b) for b in biases]
        best = int(np.argmin(losses))
        return Primal(0.5 * float(v @ f) + float(losses[best]), biases[best : best + 1])


class WeightsOfTheFirst(Medians):
    def outputs(self, y, weight):
        return tuple(self.output(y[:, c], weight[:, 0]) for c in range(y.shape[1]))


class SharedPrice(Medians):
    def outputs(self, y, weight):
        return super().outputs(y, weight / y.shape[1])


class OneColumn(Medians):
    def outputs(self, y, weight):
        return (self.output(y[:, 0], weight[:, 0]),)


class BesideTheBias(Medians):
    def primal(self, qp, gram, v, f):
        found = super().primal(qp, gram, v, f)
        return attrs.evolve(found, multipliers=found.multipliers + 1e-3)


class BiasOfNobody(Medians):
    """No equality, hence no bias, and yet one is returned."""

    def output(self, y, weight):
        return attrs.evolve(super().output(y, weight), group=np.full(len(y), -1, dtype=np.int64), target=np.zeros(0))

    def primal(self, qp, gram, v, f):
        return Primal(0.5 * float(v @ f) + float(qp.upper @ np.abs(qp.linear - f)), np.full(1, 0.3))


class IdleOption(Medians):
    def output(self, y, weight):
        return attrs.evolve(super().output(y, weight), lower=-2.0 * weight, upper=2.0 * weight)


class Floating(Medians):
    def output(self, y, weight):
        return attrs.evolve(super().output(y, weight), sample=np.arange(float(len(y))))


@attrs.frozen
class Remembers(Medians):
    seen: ClassVar[list] = []

    def primal(self, qp, gram, v, f):
        self.seen.append(gram.dense().copy())
        return super().primal(qp, gram, v, f)


class Sized(Medians):
    sized = True


class Opposite(SVC):
    """Each class is taken for the other."""

    def outputs(self, y, weight):
        return super().outputs(-y, weight)


@pytest.mark.parametrize(
    ("criterion", "law", "words"),
    [
        (WeightsOfTheFirst, "outputs-columns", "column 1 of y"),
        (SharedPrice, "outputs-columns", "column 0 is the only column"),
        (OneColumn, "outputs-count", "each of the 10 columns"),
        (BesideTheBias, "bias", "the first multiplier must be the b that attains the value"),
        (BiasOfNobody, "bias", r"return Primal(value, np.zeros(0))"),
        (IdleOption, "option-effect", "the option C has no effect"),
        (Floating, "outputs-integers", "sample of a DualQP must hold integers, got float64"),
        (Remembers, "keeps", "each call of primal keeps"),
        (Opposite, "targets-followed", "look at the signs of linear"),
        (Sized, "declared", "`sized` is True"),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_a_wrong_output_is_seen(criterion, law, words, rejected):
    rejected(judge(criterion), law, words)


def test_a_sound_criterion_passes():
    assert broken_laws(judge(Medians)) == {}


def test_an_option_may_be_declared_idle():
    class Laws(CriterionSuite):
        idle_options = ("C",)

        def criterion(self):
            return IdleOption()

    assert "option-effect" not in broken_laws(Laws())
