"""What every Gram says of itself agrees with the matrix that it stands for."""

import numpy as np
import pytest

from kernelopt._evidence._inverse import Inverse
from kernelopt._linalg._gram import Dense, LowRank
from kernelopt._linalg._gram_sum import Sum
from kernelopt._linalg._woodbury import Resolvent

ROWS = 40


def matrix():
    X = np.random.default_rng(0).normal(size=(ROWS, 3))
    return np.exp(-0.3 * ((X[:, None] - X) ** 2).sum(axis=2)) + 0.1 * np.eye(ROWS)


def inverse():
    """Of the matrix, with entries of 7 digits."""
    lower = np.asfortranarray(np.linalg.cholesky(matrix()))
    return Inverse(lower, np.linalg.inv(matrix()).astype(np.float32))


def features():
    return np.random.default_rng(1).normal(size=(ROWS, 4))


GRAMS = {
    "dense": lambda: Dense(matrix()),
    "in the order of LAPACK": lambda: Dense(np.asfortranarray(matrix())),
    "features": lambda: LowRank(features(), 0.3),
    "resolvent": lambda: Resolvent(0.1 * features(), 0.5),
    "sum": lambda: Sum((Dense(matrix()), LowRank(features())), np.array([0.5, 2.0])),
    "inverse": inverse,
}


@pytest.mark.parametrize("name", GRAMS)
@pytest.mark.parametrize("order", ["C", "F"])
def test_every_gram_agrees_with_its_matrix(name, order):
    gram, digits = GRAMS[name](), 1e-5 if name == "inverse" else 1e-11
    rng, whole = np.random.default_rng(2), gram.dense()
    F, rows, columns = np.array(rng.normal(size=(ROWS, 7)), order=order), np.array([3, 1, 20]), np.array([0, 3])
    np.testing.assert_allclose(gram.form(F), F.T @ whole @ F, rtol=digits, atol=digits)
    np.testing.assert_allclose(gram.squares(F), np.diagonal(F.T @ whole @ F), rtol=digits, atol=digits)
    np.testing.assert_allclose(gram.apply(F), whole @ F, rtol=digits, atol=digits)
    np.testing.assert_allclose(gram.diag(), np.diagonal(whole), rtol=digits)
    np.testing.assert_allclose(gram.rows(rows), whole[rows], rtol=digits, atol=digits)
    np.testing.assert_allclose(gram.block(rows, columns), whole[np.ix_(rows, columns)], rtol=digits, atol=digits)
    np.testing.assert_allclose(gram.only(rows).dense(), whole[np.ix_(rows, rows)], rtol=digits, atol=digits)
    larger = 4.0 * (whole @ F)
    np.testing.assert_allclose(gram.scaled(4.0).apply(F), larger, rtol=digits, atol=4.0 * digits)


def test_low_rank_knows_when_it_is_thin():
    assert LowRank(np.zeros((5, 2))).thin
    assert not LowRank(np.zeros((4, 2))).thin
