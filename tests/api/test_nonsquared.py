"""The machine whose block norm is not squared, beside its dual as the paper prints it."""

import numpy as np
import pytest

import kernelopt
from kernelopt.plugin import InvalidOption
from kernelopt.testing import small_task

WIDTHS = [("rbf", {"gamma": gamma}) for gamma in (0.05, 0.4, 3.0)]
LISTED = kernelopt.Dictionary([*WIDTHS, "linear"], normalize=None)
C = 2.0


def dual(X, y, d):
    """max e'alpha, 0 <= alpha <= C, alpha'y = 0, |sum_i alpha_i y_i Phi_j(x_i)| <= d_j (section 2.4)."""
    import cvxpy  # here, because with it come libraries that would be loaded while the tests are collected

    alpha, ones = cvxpy.Variable(len(y)), np.ones(1)
    family = LISTED.prepare(X, np.ones(len(y)))
    limits = []
    for atom, size in zip(family.dictionary().atoms, d, strict=True):
        K = family.cross(kernelopt.Part(atom[None], ones), X, X)
        values, vectors = np.linalg.eigh(K)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        limits.append(cvxpy.norm((root * y[:, None]).T @ alpha) <= size)
    constraints = [alpha >= 0.0, alpha <= C, y @ alpha == 0.0, *limits]
    return cvxpy.Problem(cvxpy.Maximize(cvxpy.sum(alpha)), constraints).solve(solver=cvxpy.CLARABEL)


@pytest.mark.parametrize("solver", ["ipm", "smo"])
def test_its_value_is_that_of_the_dual_that_the_paper_prints(solver):
    X, y = small_task("classification", 30)
    y = np.where(y == y.max(), 1.0, -1.0)
    for d in (np.ones(4), np.array([1.0, 0.5, 2.0, 3.0])):
        family = kernelopt.nonsquared(LISTED, d)
        s = kernelopt.solve(X, y, family=family, criterion=kernelopt.SVC(C), solver=solver, scale="paper")
        assert s.status.converged, s
        value = dual(X, y, d)
        assert s.certificate.lower <= value * (1.0 + 1e-6)
        assert s.certificate.upper >= value * (1.0 - 1e-6)


def test_it_has_a_spelling_and_d_must_be_above_0():
    X, y = small_task("classification", 30)
    options = {"criterion": "svc", "scale": "paper"}
    mapping = {"name": "nonsquared", "family": LISTED, "d": 2.0}
    by_name, by_call = (
        kernelopt.solve(X, y, family=one, **options) for one in (mapping, kernelopt.nonsquared(LISTED, 2.0))
    )
    assert by_name.objective == by_call.objective
    for d in (0.0, [1.0, -1.0], np.eye(2), np.nan):
        with pytest.raises(InvalidOption, match="nonsquared: d must be a number above 0"):
            kernelopt.nonsquared(LISTED, d)
