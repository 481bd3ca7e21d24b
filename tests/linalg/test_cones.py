"""The cones' arithmetic against eigenvalues."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelopt._linalg._cones import (
    half_inverse,
    identity,
    inside,
    inverse,
    largest,
    reach,
    root,
    sandwich,
    symmetric,
    whole_inverse,
)

CONES = pytest.mark.parametrize("shape", [(5,), (4, 4), (1, 1)])


def within(shape, rng):
    if len(shape) == 1:
        return rng.uniform(0.1, 2.0, size=shape)
    F = rng.normal(size=shape)
    return F @ F.T + 0.1 * np.eye(shape[0])


def full(S):
    """As a matrix, whichever cone it is from."""
    return np.diag(S) if S.ndim == 1 else S


def direction(shape, rng):
    return symmetric(rng.normal(size=shape))


@CONES
def test_one_cone_is_the_diagonal_of_the_other(shape):
    rng = np.random.default_rng(0)
    S, Z, T = within(shape, rng), within(shape, rng), direction(shape, rng)
    spelled = np.diagonal if len(shape) == 1 else np.asarray
    both = full(S) @ full(T) @ np.linalg.inv(full(Z))
    assert sandwich(S, T, inverse(Z)) == pytest.approx(spelled(0.5 * (both + both.T)))
    both = full(S) @ np.linalg.inv(full(Z))
    assert sandwich(S, identity(S), inverse(Z)) == pytest.approx(spelled(0.5 * (both + both.T)))
    assert largest(T) == pytest.approx(np.linalg.eigvalsh(full(T))[-1])
    assert full(identity(S)) == pytest.approx(np.eye(len(S)))
    assert full(inverse(Z)) @ full(Z) == pytest.approx(np.eye(len(S)), abs=1e-9)


@CONES
@settings(max_examples=30, derandomize=True)
@given(seed=st.integers(0, 2**31))
def test_reach_is_where_the_smallest_eigenvalue_vanishes(shape, seed):
    rng = np.random.default_rng(seed)
    S, dS = within(shape, rng), direction(shape, rng)
    t = reach(half_inverse(S), dS)
    lowest = np.linalg.eigvalsh(full(dS))[0]
    assert np.isinf(t) == (lowest >= 0.0)
    if np.isfinite(t):
        assert np.linalg.eigvalsh(full(S + t * dS))[0] == pytest.approx(0.0, abs=1e-9 * (1.0 + t) * np.abs(dS).max())
        assert np.linalg.eigvalsh(full(S + 0.99 * t * dS))[0] > 0.0


@CONES
@pytest.mark.parametrize("seed", range(5))
def test_what_is_inside_the_cone_is_so_up_to_its_wall(shape, seed):
    rng = np.random.default_rng(seed)
    S, dS = within(shape, rng), -within(shape, rng)
    t = reach(half_inverse(S), dS)
    assert inside(S + 0.999 * t * dS)
    assert not inside(S + 1.001 * t * dS)
    assert not inside(np.full_like(S, np.nan))


@CONES
def test_directions_into_the_cone_are_endless(shape):
    rng = np.random.default_rng(1)
    assert reach(half_inverse(within(shape, rng)), within(shape, rng)) == np.inf


@CONES
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_step_that_is_not_finite_is_refused(shape, value):
    step = np.zeros(shape)
    step[(0,) * len(shape)] = value
    with pytest.raises(np.linalg.LinAlgError, match="not finite"):
        reach(half_inverse(within(shape, np.random.default_rng(2))), step)


def test_root_takes_the_least_that_rounding_asks_for():
    rng = np.random.default_rng(2)
    F = rng.normal(size=(6, 2))
    for S in (within((6, 6), rng), F @ F.T):
        L = root(S)
        assert np.abs(L @ L.T - S).max() <= 1e-13 * np.trace(S)
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        root(np.diag([1.0, -1e-6]))
    with pytest.raises(np.linalg.LinAlgError, match="not positive"):
        inverse(np.array([1.0, 0.0]))


def test_the_root_of_nothing_is_nothing_and_it_has_no_inverse():
    assert not root(np.zeros((3, 3))).any()
    with pytest.raises(np.linalg.LinAlgError):
        inverse(np.zeros((3, 3)))


@CONES
def test_half_of_the_inverse_is_half_of_it(shape):
    S = within(shape, np.random.default_rng(2))
    R = half_inverse(S)
    assert whole_inverse(R) == pytest.approx(inverse(S))
    assert full(R) @ full(S) @ full(R).T == pytest.approx(np.eye(len(S)), abs=1e-12)
    with pytest.raises(np.linalg.LinAlgError):
        half_inverse(-S)
