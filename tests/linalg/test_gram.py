"""What every Gram says of itself agrees with the matrix that it stands for."""

import numpy as np
import pytest

from kernelopt._evidence._inverse import Inverse
from kernelopt._linalg._gram import FEW, Dense, LowRank, add, mirrored
from kernelopt._linalg._gram_sum import Sum
from kernelopt._linalg._tall import Held, Known, Rowwise, Weighed, WithConstant
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


def rowwise():
    """Of four features that count unevenly, and a constant."""
    terms = (
        Weighed(Held(features(), 7), np.arange(4.0)),
        Weighed(WithConstant(Held(features()[:, :1], 3), 0.7), np.ones(2)),
    )
    return Rowwise(terms)


GRAMS = {
    "dense": lambda: Dense(matrix()),
    "in the order of LAPACK": lambda: Dense(np.asfortranarray(matrix())),
    "features": lambda: LowRank(features(), 0.3),
    "resolvent": lambda: Resolvent(0.1 * features(), 0.5),
    "sum": lambda: Sum((Dense(matrix()), LowRank(features())), np.array([0.5, 2.0])),
    "inverse": inverse,
    "features by rows": rowwise,
}


@pytest.mark.parametrize("name", GRAMS)
@pytest.mark.parametrize("order", ["C", "F"])
def test_every_gram_agrees_with_its_matrix(name, order):
    gram, digits = GRAMS[name](), 1e-5 if name == "inverse" else 1e-11
    rng, whole = np.random.default_rng(2), gram.dense()
    F, rows, columns = np.array(rng.normal(size=(ROWS, 7)), order=order), np.array([3, 1, 20]), np.array([0, 3])
    np.testing.assert_allclose(gram.form(F), F.T @ whole @ F, rtol=digits, atol=digits)
    np.testing.assert_allclose(gram.squares(F), np.diagonal(F.T @ whole @ F), rtol=digits, atol=digits)
    stacked = np.ascontiguousarray(rng.normal(size=(5, 2, ROWS)))
    wanted = sum(F_c @ whole @ F_c.T for F_c in stacked.transpose(1, 0, 2))
    np.testing.assert_allclose(gram.forms(stacked), wanted, rtol=digits, atol=digits)
    np.testing.assert_allclose(gram.apply(F), whole @ F, rtol=digits, atol=digits)
    np.testing.assert_allclose(gram.diag(), np.diagonal(whole), rtol=digits)
    np.testing.assert_allclose(gram.rows(rows), whole[rows], rtol=digits, atol=digits)
    np.testing.assert_allclose(gram.block(rows, columns), whole[np.ix_(rows, columns)], rtol=digits, atol=digits)
    np.testing.assert_allclose(gram.only(rows).dense(), whole[np.ix_(rows, rows)], rtol=digits, atol=digits)
    H = np.array(F @ F.T, order=order)
    gram.add_to(H)
    np.testing.assert_allclose(H, F @ F.T + whole, rtol=digits, atol=digits)
    np.testing.assert_allclose(H, H.T, rtol=digits, atol=digits)
    larger = 4.0 * (whole @ F)
    np.testing.assert_allclose(gram.scaled(4.0).apply(F), larger, rtol=digits, atol=4.0 * digits)


def test_low_rank_knows_when_it_is_thin():
    assert LowRank(np.zeros((5, 2))).thin
    assert not LowRank(np.zeros((4, 2))).thin


@pytest.mark.parametrize("ridge", [0.3, np.linspace(0.1, 0.5, ROWS)], ids=["one", "by rows"])
def test_a_block_of_features_has_the_ridge_wherever_a_row_meets_itself(ridge):
    gram = LowRank(features(), ridge)
    whole = gram.dense()
    rows, columns = np.array([7, 3, 7, 20, 0]), np.array([20, 7, 1, 7])
    np.testing.assert_allclose(gram.block(rows, columns), whole[np.ix_(rows, columns)], rtol=1e-12)
    np.testing.assert_allclose(gram.block(rows, rows), whole[np.ix_(rows, rows)], rtol=1e-12)
    np.testing.assert_array_equal(gram.block(rows, rows[:0]), np.zeros((5, 0)))


def test_features_by_rows_are_what_they_stand_for():
    F, one = features(), np.column_stack([features()[:, 0], np.full(ROWS, 0.7)])
    np.testing.assert_allclose(rowwise().dense(), (F * np.arange(4.0)) @ F.T + one @ one.T, atol=1e-13)
    np.testing.assert_allclose(add(rowwise(), rowwise()).dense(), 2.0 * rowwise().dense(), atol=1e-13)


def test_what_is_known_of_a_gram_by_rows_needs_no_pass():
    V = np.random.default_rng(3).normal(size=(ROWS, 2))
    known = Rowwise(rowwise().terms, Known(V, 3.0 * V, np.ones(ROWS)))
    assert (known.apply(V[:, 1]) == 3.0 * V[:, 1]).all()
    assert (known.diag() == 1.0).all()
    np.testing.assert_allclose(known.apply(V[:, 0] + 1.0), rowwise().apply(V[:, 0] + 1.0))
    np.testing.assert_allclose(known.scaled(2.0).diag(), 2.0 * rowwise().diag())


@pytest.mark.parametrize("n", [FEW, FEW + 1])
def test_a_product_of_a_dense_gram_is_that_of_the_rows_that_count(n):
    F = np.random.default_rng(0).normal(size=(n, 3))
    v = np.zeros(n)
    v[::7] = np.arange(len(v[::7])) - 20.0
    np.testing.assert_allclose(Dense(F @ F.T).apply(v), F @ (F.T @ v), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("n", [1, 63, 64, 65, 130])
@pytest.mark.parametrize("order", ["C", "F"])
def test_mirrored_keeps_the_lower_triangle_and_copies_it(n, order):
    given = np.array(np.random.default_rng(n).normal(size=(n, n)), order=order)
    below = np.tril(given)
    np.testing.assert_array_equal(mirrored(given), below + np.tril(below, -1).T)
