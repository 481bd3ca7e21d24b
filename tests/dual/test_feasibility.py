import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelopt._base._errors import InvalidOption
from kernelopt._criteria._dual_qp import DualQP
from kernelopt.dual import repair


def dual_set(lower, upper, coefficient, group, target):
    n = len(lower)
    return DualQP(
        n=n,
        linear=np.ones(n),
        curvature=np.zeros(n),
        lower=np.asarray(lower, dtype=float),
        upper=np.asarray(upper, dtype=float),
        sample=np.arange(n),
        sign=np.ones(n),
        group=np.asarray(group),
        coefficient=np.asarray(coefficient, dtype=float),
        target=np.asarray(target, dtype=float),
    )


@st.composite
def problems(draw):
    """A dual set with a point in it, and a vector that need not be."""
    n = draw(st.integers(2, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    scale = 10.0 ** draw(st.integers(-8, 8))
    lower = scale * draw(st.sampled_from([0.0, -1.0])) * rng.random(n)
    upper = np.where(rng.random(n) < draw(st.sampled_from([0.0, 0.3])), np.inf, lower + scale * rng.random(n))
    inside = np.clip(lower + scale * rng.random(n) * rng.integers(0, 2, n), lower, upper)
    coefficient = rng.choice([-1.0, 1.0], n)
    group = rng.integers(-1, 2, n)
    target = [float(coefficient[group == g] @ inside[group == g]) for g in range(2)]
    start = scale * draw(st.sampled_from([0.0, 1e-3, 1.0, 1e3])) * rng.normal(size=n)
    return dual_set(lower, upper, coefficient, group, target), start


@given(problems())
def test_feasible_and_idempotent(problem):
    qp, start = problem
    alpha = repair(qp, start)
    assert (alpha >= qp.lower).all()
    assert (alpha <= qp.upper).all()
    assert qp.violation(alpha) <= 1e-13 * (np.abs(alpha).sum() + np.abs(qp.target).sum()) + 1e-300
    np.testing.assert_array_equal(repair(qp, alpha), alpha)


def test_svc_scales_the_larger_class_down():
    y = np.array([1.0, 1.0, 1.0, -1.0, -1.0])
    qp = dual_set(np.zeros(5), np.full(5, 2.0), y, np.zeros(5, dtype=int), [0.0])
    np.testing.assert_allclose(repair(qp, np.array([1.0, 5.0, -1.0, 0.5, 1.0])), [0.5, 1.0, 0.0, 0.5, 1.0])


def test_rounding_leaves_the_bounds_alone():
    y = np.array([1.0, 1.0, -1.0, -1.0])
    qp = dual_set(np.zeros(4), np.ones(4), y, np.zeros(4, dtype=int), [0.0])
    alpha = repair(qp, np.array([1.0, 0.5 + 1e-12, 1.0, 0.5]))
    assert alpha[0] == alpha[2] == 1.0
    assert qp.violation(alpha) <= 1e-15


def test_zeros_are_filled_last():
    qp = dual_set(np.zeros(4), np.ones(4), np.ones(4), np.zeros(4, dtype=int), [1.5])
    np.testing.assert_allclose(repair(qp, np.array([0.6, 0.3, 0.0, 0.0])), [1.0, 0.5, 0.0, 0.0])
    np.testing.assert_allclose(repair(qp, np.zeros(4)), np.full(4, 0.375))


def test_not_a_number_and_infinity():
    y = np.array([1.0, -1.0, 1.0])
    qp = dual_set(np.zeros(3), np.full(3, np.inf), y, np.zeros(3, dtype=int), [0.0])
    alpha = repair(qp, np.array([np.nan, np.inf, 3.0]))
    assert np.isfinite(alpha).all()
    assert qp.violation(alpha) == 0.0


def test_impossible_sum_is_refused():
    qp = dual_set(np.zeros(2), np.ones(2), np.ones(2), np.zeros(2, dtype=int), [3.0])
    with pytest.raises(InvalidOption, match="wants the sum 3"):
        repair(qp, np.zeros(2))
