"""The sorts and prefix sums behind the primal objectives, against general solvers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize_scalar

from kernelopt._criteria._multipliers import best_multiple, fill, median_interval, squared_hinge_bias

SEEDS = st.integers(0, 10**6)


def draw(seed, n):
    """Values with ties, and weights."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=n).round(1), rng.uniform(0.1, 2.0, n), rng


@given(SEEDS, st.integers(1, 12), st.floats(0.01, 1.0))
@settings(max_examples=60)
def test_fill_is_the_linear_programme(seed, n, share):
    t, cap, rng = draw(seed, n)
    mass = share * cap.sum()
    cap[rng.random(n) < 0.2] = np.inf
    found = linprog(t, A_eq=np.ones((1, n)), b_eq=[mass], bounds=np.column_stack([np.zeros(n), cap]))
    got = fill(t, cap, mass)
    assert got.value == pytest.approx(found.fun, rel=1e-9, abs=1e-9)
    assert cap[t < got.threshold - 1e-12].sum() <= mass * (1.0 + 1e-9)
    assert cap[t <= got.threshold + 1e-12].sum() >= mass * (1.0 - 1e-9)


def test_a_fill_that_meets_a_sum_takes_the_middle():
    t = np.array([3.0, 1.0, 2.0])
    assert fill(t, np.ones(3), 1.0).threshold == 1.5
    assert fill(t, np.ones(3), 1.5).threshold == 2.0
    assert fill(t, np.ones(3), 3.0).threshold == 3.0
    assert fill(t, np.full(3, np.inf), 1.0).threshold == 1.0
    assert fill(t, np.full(3, np.inf), 1.0).value == 1.0


@given(SEEDS, st.integers(1, 15), st.sampled_from([0.0, 0.5, 20.0]))
@settings(max_examples=60)
def test_squared_hinge_bias_is_a_minimum(seed, n, cost):
    t, weight, rng = draw(seed, n)
    plus = rng.random(n) < rng.uniform(0.0, 1.0)
    y = np.where(plus, 1.0, -1.0)

    def loss(b):
        return 0.5 * cost * b * b + 0.5 * weight @ np.maximum(0.0, y * (t - b)) ** 2

    b = squared_hinge_bias(t, plus, weight, cost)
    best = minimize_scalar(loss, bounds=(-10.0, 10.0), method="bounded", options={"xatol": 1e-12})
    assert loss(b) <= best.fun + 1e-12
    for step in (-1e-3, 1e-3):
        assert loss(b) <= loss(b + step) + 1e-15


def test_squared_hinge_bias_of_separated_values_is_the_middle():
    plus = np.array([True, True, False, False])
    assert squared_hinge_bias(np.array([-2.0, -1.0, 3.0, 5.0]), plus, np.ones(4)) == 1.0


def test_what_is_no_number_stays_none():
    nan = np.array([0.0, np.nan])
    assert np.isnan(squared_hinge_bias(nan, np.array([True, True]), np.ones(2)))
    assert np.isnan(median_interval(nan, np.ones(2), 1.5))


def test_median_interval():
    t, ones = np.array([4.0, 1.0, 3.0, 2.0]), np.ones(4)
    assert median_interval(t, ones, 2.0) == 2.5
    assert median_interval(t, ones, 1.5) == 2.0
    assert median_interval(t, ones, 4.0) == 4.0


@given(st.floats(0.0, 1e3), st.floats(-1e3, 1e3))
def test_best_multiple_is_no_worse_than_v_and_than_nothing(quad, reach):
    value = best_multiple(quad, reach)
    assert value <= min(0.5 * quad - reach, 0.0) + 1e-9
    for t in np.linspace(0.0, 1.0, 11):
        assert value <= 0.5 * t * t * quad - t * reach + 1e-9 * (1.0 + quad + abs(reach))


def test_a_norm_that_rounding_made_negative():
    assert best_multiple(-1e-20, 1e-12) == pytest.approx(-1e-12)
    assert best_multiple(-1e-20, -1.0) == 0.0
