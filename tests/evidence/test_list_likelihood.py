"""The derivatives of the evidence, by Gram and by factors, against differences and definitions."""

import attrs
import numpy as np
import pytest

from kernelopt._base._budget import Budget
from kernelopt._evidence._factorisation import factored
from kernelopt._evidence.lists import _list_likelihood
from kernelopt._evidence.lists._feature_likelihood import ByFactors
from kernelopt._evidence.lists._likelihood import lists_of
from kernelopt._evidence.lists._list_likelihood import ByGram, weighted
from kernelopt._evidence.lists._scoring_step import descend, multiplied, scored
from kernelopt._linalg._gram import Dense, LowRank

CASES = pytest.mark.parametrize(("name", "outputs"), [("list", 1), ("list", 2), ("features", 1), ("features", 2)])


def weights_of(problem, seed=0):
    m = sum(len(leaf.family.dictionary()) for leaf in problem.leaves)
    return np.random.default_rng(seed).uniform(0.1, 1.0, size=m)


@CASES
def test_slopes_are_the_derivatives(name, outputs, posed):
    problem = posed(name, outputs)
    lists, w = lists_of(problem), weights_of(problem)
    point = lists.at(w)
    gradient = lists.slopes(point).gradient
    for a in range(len(w)):
        step = np.zeros(len(w))
        step[a] = 1e-5
        difference = (lists.at(w + step).value - lists.at(w - step).value) / 2e-5
        assert gradient[a] == pytest.approx(difference, rel=1e-5, abs=1e-5)


@CASES
@pytest.mark.parametrize("together", [1, 1 << 22], ids=["one output after the other", "all outputs"])
def test_information_is_the_average_of_both_second_derivatives(name, outputs, together, posed, monkeypatch):
    monkeypatch.setattr(_list_likelihood, "_TOGETHER", together)
    problem = posed(name, outputs)
    lists, w = lists_of(problem), weights_of(problem)
    slopes, omega, Y = lists.slopes(lists.at(w)), inverse_of(problem, w), targets(problem)
    V = omega @ Y
    unit = np.eye(len(w))
    grams = [problem.gram(weighted(problem, unit[a])).dense() for a in range(len(w))]
    wanted = [[0.5 * np.sum((A @ V) * (omega @ B @ V)) for B in grams] for A in grams]
    np.testing.assert_allclose(slopes.information, wanted, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(slopes.trace, np.trace(omega), rtol=1e-9)
    np.testing.assert_allclose(lists.solution(lists.at(w)), V, rtol=1e-8)


def targets(problem):
    return np.column_stack([qp.linear for qp in problem.outputs])


def inverse_of(problem, w):
    noise = problem.outputs[0].curvature[0]
    return np.linalg.inv(problem.gram(weighted(problem, w)).dense() + noise * np.eye(problem.n))


def test_factors_and_grams_say_the_same(posed):
    problem = posed("features")
    w = weights_of(problem)
    thin = lists_of(problem)
    assert isinstance(thin, ByFactors)
    whole = ByGram(problem, thin.Y, thin.noise)
    first, second = thin.at(w), whole.at(w)
    assert first.value == pytest.approx(second.value, rel=1e-10)
    one, two = thin.slopes(first), whole.slopes(second)
    for name in ("values", "prices", "information", "trace"):
        np.testing.assert_allclose(getattr(one, name), getattr(two, name), rtol=1e-7)


def test_more_features_than_half_the_rows_go_by_gram(posed):
    assert isinstance(lists_of(posed("many features")), ByGram)


@CASES
@pytest.mark.parametrize("seed", range(3))
def test_every_step_descends(name, outputs, seed, posed):
    problem = posed(name, outputs)
    lists = lists_of(problem)
    point, damping = lists.at(weights_of(problem, seed) * 10.0 ** (seed - 1)), 1e-3
    for _ in range(6):
        slopes = lists.slopes(point)
        after = lists.at(multiplied(point.w, slopes))
        assert after.value <= point.value + 1e-9
        found = descend(lists, point, slopes, damping, Budget())
        assert found is not None
        assert found.point.value < point.value
        assert (found.point.w >= 0.0).all()
        point, damping = found.point, found.damping


def test_a_scored_step_is_the_minimum_of_its_model(posed):
    problem = posed("list")
    lists, w = lists_of(problem), weights_of(problem)
    slopes = lists.slopes(lists.at(w))
    best, fall = scored(w, slopes, 1e-3)
    u = slopes.prices
    A = slopes.information + np.diag(1e-3 * np.diagonal(slopes.information))

    def model(x):
        return slopes.gradient @ (x - w) + 0.5 * (x - w) @ A @ (x - w)

    assert fall == pytest.approx(-model(best), rel=1e-6)
    rng = np.random.default_rng(0)
    for _ in range(50):
        assert model(np.maximum(best + rng.normal(size=len(w)) / u, 0.0)) >= model(best) - 1e-9


@pytest.mark.parametrize("damping", [1e-9, 1e-3, 1e6])
def test_a_step_is_the_same_in_whatever_units_the_atoms_in_play_are(posed, damping):
    """Without noise one atom's price may be a quadrillionth of another's."""
    problem = posed("list")
    lists, w = lists_of(problem), weights_of(problem)
    slopes = lists.slopes(lists.at(w))
    best, fall = scored(w, slopes, damping)
    units = 10.0 ** np.linspace(0.0, -15.0, len(w))
    again, same = scored(w / units, in_units(slopes, units), damping)
    np.testing.assert_allclose(again * units, best, rtol=1e-6, atol=1e-9)
    assert same == pytest.approx(fall, rel=1e-6)


def in_units(slopes, units):
    """The slopes where each atom is so many times as large."""
    values, prices = units * slopes.values, units * slopes.prices
    return attrs.evolve(slopes, values=values, prices=prices, information=slopes.information * np.outer(units, units))


@pytest.mark.parametrize("thin", [True, False])
def test_a_factored_gram_solves_inverts_and_has_a_determinant(thin):
    rng = np.random.default_rng(0)
    F = rng.normal(size=(300, 3 if thin else 200))
    gram = LowRank(F, 0.2) if thin else Dense(F @ F.T + 0.2 * np.eye(300))
    whole = F @ F.T + 0.5 * np.eye(300)
    factor = factored(gram, 0.3)
    B = rng.normal(size=(300, 2))
    assert factor.log_determinant == pytest.approx(np.linalg.slogdet(whole)[1], rel=1e-10)
    np.testing.assert_allclose(factor.solve(B), np.linalg.solve(whole, B), rtol=1e-8, atol=1e-10)
    omega = factor.inverse()
    np.testing.assert_allclose(omega.dense(), np.linalg.inv(whole), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(omega.diag(), np.diagonal(np.linalg.inv(whole)), rtol=1e-8)
    np.testing.assert_allclose(omega.apply(B), np.linalg.solve(whole, B), rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(omega.rows(np.array([3, 1])), np.linalg.inv(whole)[[3, 1]], rtol=1e-7, atol=1e-9)
    twice = 2.0 * omega.dense()
    np.testing.assert_allclose(omega.scaled(2.0).dense(), twice)


def test_what_rounding_leaves_nothing_positive_of_is_not_factored():
    assert factored(Dense(-np.eye(4)), 0.5) is None
    assert factored(LowRank(np.full((9, 1), np.inf), 0.1), 0.1) is None
