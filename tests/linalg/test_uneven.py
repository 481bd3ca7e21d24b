"""A ridge for each row, and a Gram between two diagonal matrices: all that is asked of them, as of dense matrices."""

import numpy as np
import pytest

from kernelopt._evidence._factorisation import factored
from kernelopt._linalg._gram import Dense, LowRank, add
from kernelopt._linalg._sided import Sided
from kernelopt._linalg._trace_product import trace_of_product

RNG = np.random.default_rng(0)
F, RIDGE, SIDES = RNG.normal(size=(12, 3)), RNG.uniform(0.1, 2.0, 12), RNG.uniform(0.5, 2.0, 12)
OMEGA = Dense(RNG.normal(size=(12, 12)))
GRAMS = {
    "ridges": (LowRank(F, RIDGE), F @ F.T + np.diag(RIDGE)),
    "sided": (Sided(Dense(F @ F.T), SIDES), np.diag(SIDES) @ F @ F.T @ np.diag(SIDES)),
    "sum": (add(Dense(F @ F.T), LowRank(np.zeros((12, 0)), RIDGE)), F @ F.T + np.diag(RIDGE)),
    "thin sum": (add(LowRank(F), LowRank(np.zeros((12, 0)), RIDGE)), F @ F.T + np.diag(RIDGE)),
}


@pytest.mark.parametrize("name", GRAMS)
def test_it_is_the_dense_matrix(name):
    gram, wanted = GRAMS[name]
    rows, columns, V = np.array([7, 1, 1]), np.array([1, 4, 7]), RNG.normal(size=(12, 2))
    assert gram.dense() == pytest.approx(wanted)
    assert gram.diag() == pytest.approx(np.diagonal(wanted))
    assert gram.rows(rows) == pytest.approx(wanted[rows])
    assert gram.block(rows, columns) == pytest.approx(wanted[np.ix_(rows, columns)])
    assert gram.apply(V) == pytest.approx(wanted @ V)
    assert gram.apply(V[:, 0]) == pytest.approx(wanted @ V[:, 0])
    assert gram.form(V) == pytest.approx(V.T @ wanted @ V)
    assert gram.squares(V) == pytest.approx(np.diagonal(V.T @ wanted @ V))
    assert gram.forms(np.stack([V.T, 2.0 * V.T], axis=1)) == pytest.approx(5.0 * V.T @ wanted @ V)
    assert gram.only(columns).dense() == pytest.approx(wanted[np.ix_(columns, columns)])
    assert trace_of_product(gram, OMEGA) == pytest.approx(np.sum(wanted * OMEGA.matrix))


@pytest.mark.parametrize("name", GRAMS)
def test_it_is_factored_with_a_noise_for_each_row(name):
    gram, K = GRAMS[name]
    factor, wanted = factored(gram, RIDGE), K + np.diag(RIDGE)
    assert factor.log_determinant == pytest.approx(np.linalg.slogdet(wanted)[1])
    assert factor.solve(F) == pytest.approx(np.linalg.solve(wanted, F))
    assert factor.solve(F[:, 0]) == pytest.approx(np.linalg.solve(wanted, F[:, 0]))
    assert factor.inverse().dense() == pytest.approx(np.linalg.inv(wanted))
    assert factored(LowRank(F), 1.5 * np.ones(12)).solve(F) == pytest.approx(
        factored(LowRank(F), 1.5).solve(F), rel=1e-12
    )
