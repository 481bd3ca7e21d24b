"""The Newton step on free variables, against the maximiser in a basis of what keeps every equality's sum."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import null_space

from kernelopt.dual import _newton
from kernelopt.dual._newton import towards


def problem(seed, counts, spread):
    """H, g and groups: so many variables of each equality, the last of none; H has eigenvalues from 1 to `spread`."""
    rng = np.random.default_rng(seed)
    n = sum(counts)
    Q = np.linalg.qr(rng.normal(size=(n, n)))[0]
    H = Q * np.geomspace(1.0, spread, n) @ Q.T
    return 0.5 * (H + H.T), rng.normal(size=n), rng.permutation(np.repeat(np.arange(len(counts)), counts))


def by_hand(H, g, group, groups):
    """The maximiser of g's - 1/2 s'Hs with each equality's sum 0."""
    member = (group == np.arange(groups - 1)[:, None]).astype(float)
    N = null_space(member[member.any(axis=1)]) if member.any() else np.eye(len(g))
    return N @ np.linalg.solve(N.T @ H @ N, N.T @ g)


@settings(max_examples=60)
@given(
    st.integers(0, 10_000),
    st.sampled_from([(3, 4, 0), (5, 2, 2), (1, 6, 1), (0, 5, 2), (4, 0, 0), (0, 0, 4), (6, 3), (0, 3)]),
    st.sampled_from([1.0, 1e3, 1e6]),
)
def test_without_bounds_the_step_is_the_maximiser_that_keeps_every_sum(seed, counts, spread):
    """Two equalities are solved for by Cholesky, and where one has no variable that is free the other's still holds."""
    H, g, group = problem(seed, counts, spread)
    far = np.full(len(g), 1e6)
    step = towards(H, g, group, len(counts), -far, far)
    wanted = by_hand(H, g, group, len(counts))
    assert step == pytest.approx(wanted, rel=1e-7, abs=1e-7 * np.abs(wanted).max() + 1e-12)
    for e in range(len(counts) - 1):
        assert abs(step[group == e].sum()) <= 1e-12 * max(np.abs(step).sum(), 1.0)


def test_two_equalities_are_solved_for_by_cholesky_and_only_a_singular_system_otherwise(monkeypatch):
    """Least squares take a hundred times as long as two numbers need."""
    asked = []

    def least_squares(A, b, **options):
        asked.append(A)
        return np.linalg.pinv(A) @ b, None, None, None

    monkeypatch.setattr(_newton.np.linalg, "lstsq", least_squares)
    A, b = np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([1.0, -2.0])
    assert _newton._solution(A, b) == pytest.approx(np.linalg.solve(A, b))
    assert not asked
    for singular in (np.ones((2, 2)), np.diag([0.0, 2.0]), np.array([[1.0, 1.0], [1.0, 1.0 + 1e-13]])):
        c = singular @ b
        assert singular @ _newton._solution(singular, c) == pytest.approx(c, abs=1e-9)
    assert len(asked) == 3
