"""Slopes by differences: against those of closed forms, and only where rows may be."""

import numpy as np
import pytest

import kernelopt
from kernelopt._families.dictionary.growth._average_gradients import outer_product
from kernelopt._prediction._slopes import root_of_slopes


def learned(g, X):
    """A machine whose decision function is a multiple of g: its kernel is g(x) g(z)."""
    kernel = kernelopt.fixed(lambda A, B: np.outer(g(A), g(B)))
    return kernelopt.solve(X, g(X), family=kernel, criterion="ridge").predictor


def shares(machine, X):
    squares = np.sum(root_of_slopes(machine, X) ** 2, axis=0)
    return squares / squares.sum()


def test_differences_come_near_the_gradients_of_a_closed_form():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) * [1.0, 5.0, 0.2]
    y = np.sin(X[:, 0] + 0.3 * X[:, 1])
    kernel = ("rbf", {"gamma": 0.1})
    s = kernelopt.solve(X, y, family=kernelopt.fixed(kernel), criterion="ridge")
    root = outer_product([(kernel, 1.0)], X, s.coefficients).root
    exact = root @ root.T * np.outer(X.std(axis=0), X.std(axis=0))
    J = root_of_slopes(s.predictor, X)
    got = J.T @ J
    assert got / np.trace(got) == pytest.approx(exact / np.trace(exact), abs=0.01)


def test_columns_are_in_units_of_their_deviations():
    X = np.random.default_rng(1).uniform(size=(300, 3)) * [1.0, 10.0, 100.0]
    w = np.array([1.0, 0.1, 0.02])
    wanted = (w * X.std(axis=0)) ** 2
    assert shares(learned(lambda Z: Z @ w, X), X) == pytest.approx(wanted / wanted.sum())


def test_a_category_goes_each_way_by_itself():
    """|x| on -1, 0 and 1 is steep everywhere; a difference around 0 would miss that."""
    X = np.tile([[-1.0, -1.0], [0.0, 1.0], [1.0, -1.0], [0.0, -1.0]], (5, 1))
    J = root_of_slopes(learned(lambda Z: np.abs(Z[:, 0]), X), X)
    assert np.all(J[:, 1] == 0.0)
    slope = learned(lambda Z: np.abs(Z[:, 0]), X).decision_function([[1.0, 0.0]])[0] * X[:, 0].std()
    assert np.sum(J[:, 0] ** 2) == pytest.approx(len(X) * slope**2)


def test_turning_a_category_around_turns_its_slopes():
    X = np.random.default_rng(2).integers(0, 4, size=(60, 3)) * 1.0
    w, turned = np.array([1.0, -2.0, 0.5]), X * [1.0, -1.0, 1.0]
    first = root_of_slopes(learned(lambda Z: np.sin(Z @ w) + Z[:, 1] ** 2, X), X)
    other = root_of_slopes(learned(lambda Z: np.sin(Z @ (w * [1, -1, 1])) + Z[:, 1] ** 2, turned), turned)
    sign = np.array([1.0, -1.0, 1.0])
    assert other.T @ other == pytest.approx(np.outer(sign, sign) * (first.T @ first), rel=1e-6)


def test_categories_go_to_values_that_are_there_and_numbers_stay_in_their_range():
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.choice([0.0, 1.0, 5.0], size=80), rng.choice([-1.0, 1.0], size=80), rng.normal(size=80)])
    asked = []

    def sight(Z):
        asked.append(Z.copy())
        return Z.sum(axis=1)

    machine = learned(sight, X)
    asked.clear()
    root_of_slopes(machine, X)
    seen = np.concatenate(asked)
    assert {*seen[:, 0]} == {0.0, 1.0, 5.0}
    assert {*seen[:, 1]} == {-1.0, 1.0}
    assert (seen[:, 2].min(), seen[:, 2].max()) == (X[:, 2].min(), X[:, 2].max())


@pytest.mark.parametrize(("n", "d"), [(30000, 2), (3000, 40), (30, 2000)])
def test_the_price_is_limited(monkeypatch, n, d):
    machine = learned(lambda Z: Z[:, 0], np.random.default_rng(4).normal(size=(20, d)))
    count = []
    ask = type(machine).decision_function
    monkeypatch.setattr(type(machine), "decision_function", lambda self, Z: [count.append(len(Z)), ask(self, Z)][1])
    assert shares(machine, np.random.default_rng(5).normal(size=(n, d)))[0] == pytest.approx(1.0)
    assert sum(count) <= 20_000


def test_what_rounding_alone_changes_is_no_slope():
    """The sums of 700 terms of a million each differ in their last bits, from block to block."""
    X = np.random.default_rng(6).normal(size=(701, 7))
    y = np.sign(np.random.default_rng(7).normal(size=701))
    ones = kernelopt.fixed(lambda A, B: np.ones((len(A), len(B))))
    s = kernelopt.solve(X, y, family=ones, criterion={"name": "svc", "C": 1e6}, max_steps=2)
    assert np.all(root_of_slopes(s.predictor, X) == 0.0)
