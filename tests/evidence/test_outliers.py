"""Targets far from all others are named in the user's own count of rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import TransformedTargetRegressor

import kernelopt
from kernelopt._evidence.noise._outliers import dominated, outlying

ROWS = np.arange(50)


def targets(seed=0):
    return np.random.default_rng(seed).normal(size=(50, 1))


def far(row, by=1000.0, seed=0):
    Y = targets(seed)
    Y[row] += by
    return Y


@given(st.integers(0, 49), st.sampled_from([-1.0, 1.0]), st.floats(-1e3, 1e3), st.floats(1e-3, 1e3))
def test_one_far_target_is_named_in_any_units(row, side, shift, unit):
    said = outlying(unit * far(row, side * 100.0) + shift, 2 * ROWS)
    assert said is not None
    assert f"row {2 * row} is" in said


def test_several_are_counted_and_the_farthest_are_named():
    Y = targets()
    Y[:7, 0] = 100.0 * np.arange(1.0, 8.0)
    said = outlying(np.hstack([Y, targets(1)]), ROWS)
    assert said is not None
    assert "the targets of 7 rows (farthest: 2, 3, 4, 5, 6) are" in said


@pytest.mark.parametrize(
    "Y",
    [
        targets(),
        np.ones((50, 1)),
        np.eye(50)[:, :1],
        np.where(ROWS % 2 == 0, 1.0, -1.0)[:, None],
        np.random.default_rng(0).exponential(size=(50, 1)),
        far(3, by=6.0),
    ],
    ids=["Gaussian", "one value", "nearly one value", "two values", "skewed", "not so far"],
)
def test_others_are_not(Y):
    assert outlying(Y, ROWS) is None


@given(st.integers(0, 2**32 - 1), st.floats(1e-6, 1e6))
def test_logarithms_are_advised_where_ratios_are_alike_in_any_unit(seed, unit):
    Y = unit * np.exp(3.0 * np.random.default_rng(seed).normal(size=(200, 1)))
    said = outlying(Y, np.arange(200))
    assert said is not None
    assert "learn the logarithms" in said
    for other in (Y - 2.0 * Y.min(), np.where(Y.max() == Y, unit * 1e30, Y)):
        said = outlying(other, np.arange(200))
        assert said is not None
        assert "learn the logarithms" not in said


def test_the_advised_logarithms_predict_ratios_better():
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(150, 3)), rng.normal(size=(2000, 3))
    logarithm = 2.0 * np.sin(2.0 * Z[:, 0]) + Z[:, 1]
    y = np.exp(2.0 * np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=150))
    plain = kernelopt.KernelRegressor(effort="quick")
    advised = TransformedTargetRegressor(kernelopt.KernelRegressor(effort="quick"), func=np.log, inverse_func=np.exp)
    off = [np.median(np.abs(one.fit(X, y).predict(Z) / np.exp(logarithm) - 1.0)) for one in (plain, advised)]
    assert any("learn the logarithms" in note for note in plain.solution_.notes)
    assert not any(note.startswith("y:") for note in advised.regressor_.solution_.notes)
    assert off[1] < 0.25 * off[0]


def test_a_solution_tells_of_them_and_labels_have_none(family, rows):
    X, y = rows()
    y[7] = 1000.0
    weight = np.ones(len(y))
    weight[3] = 0.0
    gaussian = kernelopt.Evidence(noise="gaussian")
    s = kernelopt.solve(X, y, family=family("list"), criterion=gaussian, sample_weight=weight)
    assert [note for note in s.notes if note.startswith("y: the target of row 7 is more than 10 robust deviations")]
    rare = kernelopt.solve(X, np.arange(60) == 7, family=family("list"), criterion="evidence")
    assert not [note for note in rare.notes if note.startswith("y:")]


@pytest.mark.parametrize(("n", "outputs", "wanted"), [(1000, 1, True), (1000, 2, False), (3000, 1, False)])
def test_two_fifths_of_the_squares_are_a_sign_of_few_rows_of_one_target_alone(n, outputs, wanted):
    left = np.random.default_rng(0).normal(size=(n, outputs))
    left[0] = np.sqrt(0.4 / 0.6 * np.sum(left[1:] ** 2, axis=0))
    assert dominated(left) is wanted
    left[0] *= 2.0
    assert dominated(left), "seven tenths are a sign everywhere"
