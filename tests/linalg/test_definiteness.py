"""A matrix that cannot be a Gram is seen, whatever its size; one that can passes."""

import numpy as np
import pytest

from kernelopt._linalg._definiteness import defect, defect_of
from kernelopt._linalg._gram import Dense, LowRank
from kernelopt._linalg._wide import Term, Wide

SIZES = (1, 2, 60, 499, 700)


def gram_of(n, d=3):
    X = np.random.default_rng(n).normal(size=(n, d))
    return np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))


@pytest.mark.parametrize("n", SIZES)
def test_a_gram_passes(n):
    K = gram_of(n)
    for matrix in (K, 1e-30 * K, 1e30 * K, np.zeros((n, n)), np.ones((n, n))):
        assert defect(matrix) is None


@pytest.mark.parametrize("n", SIZES)
def test_a_negative_eigenvalue_is_seen(n):
    K = gram_of(n)
    v = np.random.default_rng(1).normal(size=n)
    v /= np.linalg.norm(v)
    K -= (float(v @ K @ v) + 0.1) * np.outer(v, v)
    assert "eigenvalue -" in defect(K)


@pytest.mark.parametrize("n", SIZES[1:])
def test_a_matrix_that_is_not_symmetric_is_seen(n):
    K = gram_of(n)
    K[:, 0] *= 1.01
    assert "not symmetric" in defect(K)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_entries_that_are_no_numbers_are_seen(value):
    K = gram_of(60)
    K[3, 5] = value
    assert "NaN or infinite" in defect(K)


def test_rounding_of_a_singular_gram_is_none():
    X = np.random.default_rng(0).normal(size=(300, 4)) * [1.0, 1e-3, 1e3, 1.0]
    assert defect(X @ X.T) is None
    assert defect((X @ X.T + 1.0) ** 4) is None


def test_a_gram_that_is_nowhere_formed_is_looked_at_in_part():
    class Odd:
        def cross(self, part, Z, X):
            return Z @ X.T - 2.0

        def apart(self, part, X):
            return np.zeros(len(X))

    X = np.random.default_rng(0).normal(size=(3000, 2))
    assert "eigenvalue -" in defect_of(Wide((Term(Odd(), None, X),)))
    assert defect_of(LowRank(X)) is None
    assert defect_of(Dense(X[:50] @ X[:50].T)) is None
