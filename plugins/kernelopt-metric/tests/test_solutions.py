"""Whole solutions: solvers and criteria, the columns that matter, and noise."""

import attrs
import numpy as np
import pytest
from kernelopt_metric import Metric, column_shares

import kernelopt
from kernelopt.testing import two_classes


def few_of_many(n=150, d=8, seed=0):
    """Three of d columns matter; the truth comes without noise."""
    X = np.random.default_rng(seed).normal(size=(n, d))
    f = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2]
    return X, f


@pytest.mark.parametrize("solver", ["fw", "ipm"])
@pytest.mark.parametrize("criterion", ["margin", {"name": "svr", "C": 1.0}, {"name": "ridge", "lam": 0.1}])
def test_solvers_agree_within_their_bounds(solver, criterion):
    X, y = two_classes(np.random.default_rng(0), 16, 2)
    s = kernelopt.solve(X, y[:, 0], family=Metric(diagonal=True, eta=0.1), solver=solver, criterion=criterion, tol=1e-3)
    assert s.status is kernelopt.Status.CONVERGED_ESTIMATED
    assert s.certificate.lower <= s.certificate.upper <= s.baseline
    assert any("metric: the best of" in row.note for row in s.trace)
    assert "metric" in str(s)


@pytest.mark.parametrize("seed", range(3))
def test_the_evidence_finds_the_columns_that_matter(seed):
    """A list of isotropic kernels and kernels of columns is far behind on new rows."""
    X, f = few_of_many(n=600, d=6, seed=seed)
    y = f + 0.1 * np.random.default_rng(100 + seed).normal(size=len(f))
    rows, new = slice(0, 50), slice(50, None)
    known = kernelopt.solve(
        X[rows], y[rows], family="auto", criterion=kernelopt.Evidence(targets="numbers", effort="quick"), tol=1e-2
    )
    found = kernelopt.solve(X[rows], y[rows], family=[Metric(diagonal=True), "delta"], criterion="evidence", tol=3e-2)
    error, before = (float(np.mean((s.predict(X[new]) - f[new]) ** 2) / f.var()) for s in (found, known))
    shares = column_shares(found.mixture.parts[0], found.kernel.leaves[0].family)
    assert shares.sum() == pytest.approx(1.0)
    assert shares[:3].sum() > 0.85
    assert error < 0.5 * before
    assert found.objective < known.objective


NUMBERS = kernelopt.Evidence(targets="numbers")


@pytest.mark.parametrize("diagonal", [False, True])
def test_under_the_evidence_rows_that_were_held_out_decide(diagonal):
    X = np.random.default_rng(0).normal(size=(40, 2))
    f, noise = np.sin(3.0 * X[:, 0]), np.random.default_rng(1).normal(size=40)
    signal, none, quick = (
        kernelopt.solve(X, y, family=Metric(diagonal=diagonal), criterion=criterion, tol=3e-2)
        for y, criterion in ((f + 0.1 * noise, NUMBERS), (noise, NUMBERS), (f, attrs.evolve(NUMBERS, effort="quick")))
    )
    assert not signal.kernel.leaves[0].family.grows
    assert any("1 round of learned metrics" in note for note in signal.notes)
    family, less = Metric(diagonal=diagonal), attrs.evolve(NUMBERS, effort="quick")
    again = kernelopt.solve(X, f + 0.1 * noise, family=family, criterion=less, tol=3e-2, start=signal)
    assert not again.kernel.leaves[0].family.grows  # the metrics of the start are no kernels of the restrained family
    assert again.objective <= signal.objective + 1e-9 * abs(signal.objective)
    for s in (none, quick):
        family, part = s.kernel.leaves[0].family, s.mixture.parts[0]
        centre = family.center().atoms
        assert family.grows
        assert any("metric learned no metrics" in note for note in s.notes)
        np.testing.assert_allclose(part.atoms @ centre.T @ centre, (centre @ centre.T) * part.atoms, atol=1e-12)


def test_other_criteria_have_the_whole_family():
    X, f = few_of_many(n=60)
    s = kernelopt.solve(X, f, family=Metric(diagonal=True), criterion="ridge", tol=1e-2)
    assert not s.kernel.leaves[0].family.grows


def test_a_gap_that_falls_is_progress_though_it_rises_beside_the_bounds():
    """With bounds of opposite signs the gap is more than each of them, and its share of them may rise as they fall."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 20))
    y = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2]
    s = kernelopt.solve(X, y, family=Metric(rank=2), criterion="svr", solver="fw", tol=1e-2, max_steps=9)
    shares = s.trace.columns()["relative_gap"]
    assert max(shares[1:9]) > shares[0]
    assert s.status is kernelopt.Status.MAX_STEPS
