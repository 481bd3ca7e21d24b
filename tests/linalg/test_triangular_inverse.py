"""Inverses of triangles, half by half: those of LAPACK, with what stands above the diagonal left alone."""

import numpy as np
import pytest
from scipy.linalg import lapack

from kernelopt._linalg import _triangular_inverse
from kernelopt._linalg._triangular_inverse import inverse_of_factored, triangular_inverse

LEAF, MOST = _triangular_inverse._LEAF, _triangular_inverse._MOST
SIZES = [0, 1, 7, LEAF, LEAF + 1, 2 * LEAF + 3, 300]
PRECISIONS = [(np.float64, 1e-12), (np.float32, 1e-4)]


def factor(n, kind=np.float64):
    F = np.random.default_rng(n).normal(size=(n, n))
    return np.asfortranarray(np.linalg.cholesky(F @ F.T + n * np.eye(n)), dtype=kind)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize(("kind", "near"), PRECISIONS)
def test_a_triangle_times_its_inverse_is_the_identity(n, kind, near):
    L = factor(n, kind)
    inverse = triangular_inverse(L)
    assert inverse.dtype == kind
    assert inverse.flags.f_contiguous
    np.testing.assert_allclose(np.tril(inverse).astype(float) @ L, np.eye(n), atol=near)


@pytest.mark.parametrize("n", SIZES[1:])
@pytest.mark.parametrize(("kind", "near"), PRECISIONS)
def test_the_inverse_of_what_was_factored_has_its_lower_triangle(n, kind, near):
    L = factor(n, kind)
    half = np.tril(inverse_of_factored(L)).astype(float)
    whole = half + np.tril(half, -1).T
    np.testing.assert_allclose(whole @ (L.astype(float) @ L.T), np.eye(n), atol=near)


@pytest.mark.parametrize("n", [LEAF, 300])
@pytest.mark.parametrize("inverted", [triangular_inverse, inverse_of_factored])
def test_what_stands_above_the_diagonal_is_not_read(n, inverted):
    L = factor(n)
    filled = L + np.triu(np.full((n, n), np.nan), 1)
    found = inverted(filled)
    np.testing.assert_array_equal(np.tril(found), np.tril(inverted(L)))
    assert np.isnan(found[np.triu_indices(n, 1)]).all()


@pytest.mark.parametrize("n", [LEAF, 300])
@pytest.mark.parametrize("inverted", [triangular_inverse, inverse_of_factored])
def test_the_factor_stays_unless_its_memory_may_be_used(n, inverted):
    L = factor(n)
    given = L.copy(order="F")
    apart = inverted(given)
    np.testing.assert_array_equal(given, L)
    by_rows = np.ascontiguousarray(L)
    np.testing.assert_array_equal(np.tril(inverted(by_rows, overwrite=True)), np.tril(apart))
    assert np.shares_memory(inverted(given, overwrite=True), given)
    np.testing.assert_array_equal(given, apart)


@pytest.mark.parametrize("n", [1, LEAF, 300])
def test_a_triangle_with_a_zero_on_its_diagonal_is_refused(n):
    L = factor(n)
    L[n // 2, n // 2] = 0.0
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        triangular_inverse(L)


def test_many_rows_are_left_to_lapack(monkeypatch):
    monkeypatch.setattr(_triangular_inverse, "_MOST", 100)
    L = factor(101)
    np.testing.assert_array_equal(triangular_inverse(L), lapack.dtrtri(L, lower=1)[0])
