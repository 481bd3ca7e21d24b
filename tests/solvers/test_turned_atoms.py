"""An exchange around a solver of lists ends at the optimum of quadratic forms in features too."""

import numpy as np
import pytest
from kernelopt_simplemkl import SimpleMKL

import kernelopt
from kernelopt import Status
from kernelopt._families._mixture import Part
from kernelopt._solvers._exchange import Exchange
from kernelopt._solvers._turned_atoms import turned
from kernelopt.testing import meet

QUICK = [("qcqp", "nu-svr"), ("qcqp", "svr"), ("smo", "nu-svr"), ("smo", "svc"), ("simplemkl", "svr")]


def few_rows(criterion):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(8, 3))
    y = np.sin(X[:, 0]) + 0.3 * X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=8)
    return X, np.sign(y - np.median(y)) if criterion == "svc" else y


@pytest.mark.parametrize(("solver", "criterion"), QUICK)
def test_a_form_in_features_is_solved_by_its_atoms(solver, criterion):
    """P has more directions than atoms come in, and the machines of a thin kernel are many."""
    X, y = few_rows(criterion)
    family = {"name": "gpk", "degree": 2}
    ours, theirs = (
        kernelopt.solve(X, y, family=family, criterion=criterion, solver=one, tol=1e-3, max_steps=150)
        for one in (solver, "ipm")
    )
    assert ours.status is Status.CONVERGED, ours
    assert meet(ours.certificate, theirs.certificate)


def test_the_oracle_is_asked_however_slow_the_master_is():
    """Between two exchanges the solver of lists takes few steps, so that it cannot creep on one list to the end."""
    X, y = few_rows("nu-svr")
    solver = Exchange(SimpleMKL(), adapt=0)
    s = kernelopt.solve(X, y, family="gpk", criterion="nu-svr", solver=solver, tol=1e-7, max_steps=40)
    asked = [record.step for record in s.trace if "exchange" in record.note]
    assert np.diff([0, *asked]).max() <= 20


@pytest.mark.parametrize("seed", range(5))
def test_atoms_are_turned_both_ways_by_the_angle_of_the_best_one_with_the_range(seed):
    rng = np.random.default_rng(seed)
    q, rank = 7, 1 + seed % 3
    basis, _ = np.linalg.qr(rng.normal(size=(q, q)))
    E, new = basis.T[:rank], basis.T[rank:].copy()
    new[0] = np.cos(0.2) * E[0] + np.sin(0.2) * new[0]
    around = turned(Part(E, np.arange(rank, 0.0, -1.0)), new)
    assert np.linalg.norm(around, axis=1) == pytest.approx(1.0, abs=1e-12)
    leads = np.vstack([new[:1], E])
    assert np.abs(around @ leads.T).max(axis=1).min() >= np.cos(0.2) - 1e-12
    for lead in leads:  # an atom and its negative are one kernel
        along = around @ lead
        mine = around * np.sign(along)[:, None] - np.cos(0.2) * lead
        mine = mine[np.isclose(np.abs(along), np.cos(0.2))]
        assert np.linalg.matrix_rank(mine, 1e-8) == q - 1
