"""Triangles, with the routines of LAPACK and BLAS that take them."""

import numpy as np
import pytest

from kernelopt._linalg._lapack import lower_root, small_inverse, solve_lower, times_lower


@pytest.fixture(name="L")
def lower():
    F = np.random.default_rng(0).normal(size=(6, 6))
    return lower_root(F @ F.T + np.eye(6))


def test_a_system_is_solved_from_its_root(L):
    r = np.arange(6.0)
    np.testing.assert_allclose(L @ (L.T @ solve_lower(L, r)), r, atol=1e-12)
    np.testing.assert_array_equal(r, np.arange(6.0))


def test_what_stands_above_the_diagonal_is_not_read(L):
    r, R = np.arange(6.0), np.random.default_rng(1).normal(size=(9, 6))
    filled = np.asfortranarray(L + np.triu(np.full((6, 6), 7.0), 1))
    np.testing.assert_array_equal(solve_lower(filled, r), solve_lower(L, r))
    np.testing.assert_allclose(times_lower(R, filled), R @ L)


def test_small_matrices_are_inverted_or_refused(L):
    A = L + np.eye(6)[::-1]
    np.testing.assert_allclose(small_inverse(A) @ A, np.eye(6), atol=1e-12)
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        small_inverse(np.ones((2, 2)))
