"""A lower bound above the upper one is an alarm: it never counts as an answer, and the suspect is named."""

from functools import cache
from typing import ClassVar

import attrs
import numpy as np
import pytest
from kernelopt_fw import FrankWolfe

import kernelopt
from kernelopt import Certificate, Status
from kernelopt.testing import Columns, Waves

RNG = np.random.default_rng(5)
X = RNG.normal(size=(40, 3))
Y = np.where(X[:, 0] - X[:, 1] + 0.3 * RNG.normal(size=40) > 0, 1, -1)


@attrs.frozen
class Modest(Columns):
    """An oracle that calls half of its best atom's value the most that there is."""

    name: ClassVar[str] = "modest"

    def prepare(self, X, weight):
        return Modest(X.shape[1])

    def leading(self, D, k):
        best = super().leading(D, k)
        return attrs.evolve(best, ceiling=0.5 * best.ceiling)


@attrs.frozen
class Blind(Waves):
    """A search that returns one and the same atom: an estimate, and a poor one."""

    name: ClassVar[str] = "blind"

    def best_atoms(self, data, V, query):
        best = super().best_atoms(data, V, query)
        return attrs.evolve(best, atoms=np.zeros((1, 1)), values=np.zeros(1), ceiling=0.0)


@attrs.frozen
class Cheap(kernelopt.SVC):
    """A primal objective that is half of what it should be."""

    name: ClassVar[str] = "cheap"

    def primal(self, qp, gram, v, f):
        primal = super().primal(qp, gram, v, f)
        return attrs.evolve(primal, value=0.5 * primal.value)


@attrs.frozen
class Boastful(FrankWolfe):
    """A solver that reports half of the upper bound that it found."""

    name: ClassVar[str] = "boastful"

    def step(self, problem, state, budget):
        state = super().step(problem, state, budget)
        return attrs.evolve(state, response=attrs.evolve(state.response, upper=0.5 * state.response.upper))


def solve(**options):
    return kernelopt.solve(X, Y, **({"family": Columns(), "solver": "ipm", "criterion": "svc", "tol": 1e-6} | options))


@pytest.mark.parametrize(
    ("options", "suspect"),
    [
        ({"family": Modest()}, "the family modest is probably wrong"),
        ({"criterion": Cheap()}, "the criterion cheap is probably wrong"),
        ({"solver": Boastful()}, "the solver boastful reported"),
    ],
    ids=["family", "criterion", "solver"],
)
def test_whoever_lies_is_named(options, suspect):
    s = solve(**options)
    assert s.status is Status.CONTRADICTION
    assert not s.status.converged
    (note,) = [note for note in s.notes if note.startswith("contradiction")]
    assert suspect in note


def test_nothing_is_near_where_bounds_contradict_each_other():
    certificate = Certificate(1.0, 2.0)
    assert certificate.crossed
    assert certificate.gap == certificate.relative_gap == np.inf
    assert not certificate.within(1.0, 10.0)
    assert "nothing is proved" in str(certificate)


def test_rounding_explains_a_little_and_proves_nothing_below_itself():
    certificate = Certificate(1.0, 1.0 + 1e-6, rounding=1e-5)
    assert not certificate.crossed
    assert certificate.within(1e-5, 0.0)
    assert not certificate.within(1e-7, 0.0)
    assert str(certificate).startswith("1 <= optimum <= 1.000001, ")


def test_bounds_that_are_no_numbers_prove_nothing():
    assert Certificate(np.nan, 1.0).crossed
    assert Certificate(1.0, np.nan).crossed


def test_atoms_of_the_answer_cap_a_search_that_missed_them():
    s = kernelopt.solve(X, Y, family=Blind(), solver="fw", criterion="svc", tol=1e-3, start=waves(2.0))
    assert not s.certificate.exact
    assert s.certificate.lower <= s.certificate.upper


def waves(a):
    return kernelopt.Mixture((kernelopt.Part(np.array([[a]]), np.ones(1)),))


def sine(criterion, shift):
    """Rows, and the solution of targets so far from 0."""
    x = np.linspace(0, 6, 40)[:, None]
    asked = {"family": "gaussian", "criterion": {"name": criterion, "C": 1e6}, "tol": 1e-4}
    return x, kernelopt.solve(x, shift + np.sin(x[:, 0]), **asked)


@pytest.fixture(scope="module")
def near():
    """From a criterion to the predictions of targets near 0, which are learned once."""

    @cache
    def predicted(criterion):
        x, s = sine(criterion, 0.0)
        return s.predict(x)

    return predicted


@pytest.mark.parametrize("shift", [0.0, 1e6, 1e10])
@pytest.mark.parametrize("criterion", ["svr", "nu-svr"])
def test_targets_far_from_0_are_no_contradiction(criterion, shift, near):
    x, far = sine(criterion, shift)
    assert far.status is not Status.CONTRADICTION
    assert far.certificate.lower <= far.certificate.upper + 1e-9 * abs(far.certificate.upper)
    np.testing.assert_allclose(far.predict(x) - shift, near(criterion), atol=1e-2 + 4e-16 * shift * 10)
