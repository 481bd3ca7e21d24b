"""The interior point keeps the laws of the conformance kit, to a tolerance that first-order methods do not see."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernelopt_ipm import InteriorPoint
from kernelopt_ipm._ipm import _resumed
from sklearn.datasets import load_diabetes

import kernelopt
from kernelopt import Status
from kernelopt.testing import SolverSuite, every_criterion, every_price, small_task


class TestInteriorPoint(SolverSuite):
    tolerance = 1e-7

    def solver(self):
        return InteriorPoint()


def small_problem(seed, n, d, log_c, kind):
    """Rows and labels of some kind: separable, noise, duplicates, tiny or huge columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.sign(X[:, 0] + 1e-9) if kind == "separable" else rng.choice([-1.0, 1.0], size=n)
    if kind == "duplicates":
        X = X[rng.integers(0, max(n // 3, 1), size=n)]
    if kind == "scales":
        X = X * 10.0 ** rng.uniform(-9, 9, size=d)
    y[0], y[-1] = 1.0, -1.0
    return X, y, 10.0**log_c


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 2**31),
    n=st.integers(2, 40),
    d=st.integers(1, 4),
    log_c=st.floats(-3, 6),
    kind=st.sampled_from(["separable", "noise", "duplicates", "scales"]),
)
def test_small_problems_end_certified(seed, n, d, log_c, kind):
    X, y, C = small_problem(seed, n, d, log_c, kind)
    if not (X.max(axis=0) > X.min(axis=0)).any():
        return
    s = kernelopt.solve(X, y, family="tk", solver="ipm", criterion={"name": "svc", "C": C}, tol=1e-6)
    assert s.status in (Status.CONVERGED, Status.STALLED)
    assert s.certificate.lower <= s.certificate.upper + 1e-9 * abs(s.certificate.upper)
    assert s.certificate.relative_gap <= 1e-4


def test_the_answer_is_feasible_and_positive():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    y = np.sign(X[:, 0] * X[:, 1])
    s = kernelopt.solve(X, y, family="tk", solver="ipm", criterion={"name": "svc", "C": 10.0}, tol=1e-7)
    (part,), (dual,) = s.mixture.parts, s.response.duals
    assert part.weights.sum() == pytest.approx(1.0, abs=1e-14)
    assert (part.weights >= 0).all()
    assert (dual.alpha >= 0).all()
    assert (dual.alpha <= 10.0).all()
    assert abs(dual.v.sum()) <= 1e-12 * np.abs(dual.v).sum()
    assert 0 < len(s.support) < 50


@pytest.mark.parametrize("family", ["tk", "dictionary"])
def test_the_trace_ends_with_the_support_of_the_answer(family):
    """Every alpha and every weight on the path is positive; what counts is what they are about to be."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = np.sign(X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=80))
    s = kernelopt.solve(X, y, family=family, solver="ipm", criterion="svc", tol=1e-4)
    assert len(s.support) < 70
    assert s.trace[-1].support == pytest.approx(len(s.support), abs=3)
    assert s.trace[-1].atoms == s.mixture.count < len(s.mixture)


@pytest.mark.parametrize(
    "criterion",
    [kernelopt.SVR(0.1, 0.0), kernelopt.SVR(1e3, 0.0), kernelopt.SVR(10.0, 0.1), kernelopt.NuSVR(1.0, 0.3)],
    ids=repr,
)
def test_regression_is_as_quick_as_classification(criterion):
    """In the middle of the box v = 0: the start must not take its scale from the kernel's part of the objective."""
    X, y = load_diabetes(return_X_y=True)
    s = kernelopt.solve(X, (y - y.mean()) / y.std(), family="tk", solver="ipm", criterion=criterion, tol=1e-6)
    assert s.status is Status.CONVERGED
    assert s.steps <= 20


def _on_a_list(rng):
    X = rng.normal(size=(90, 3))
    y = np.sign(np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=90))
    return kernelopt.solve(X, y, family="dictionary", solver="ipm", criterion={"name": "svc", "C": 100.0}, tol=1e-6)


def test_a_list_begins_near_the_answer_to_its_even_weights_which_spares_steps(monkeypatch):
    near = [_on_a_list(np.random.default_rng(seed)) for seed in range(4)]
    monkeypatch.setattr("kernelopt.interior.Saddle.listed", False)
    far = [_on_a_list(np.random.default_rng(seed)) for seed in range(4)]
    assert all(s.status is Status.CONVERGED for s in (*near, *far))
    assert sum(s.steps for s in near) < sum(s.steps for s in far)
    for one, other in zip(near, far, strict=True):
        assert one.certificate.lower <= other.certificate.upper
        assert other.certificate.lower <= one.certificate.upper


def test_a_start_near_an_answer_that_leads_nowhere_is_left_for_the_middle(monkeypatch):
    from kernelopt_ipm import _ipm

    tried = []

    def stuck_at_first(*arguments, **options):
        tried.append(1)
        if len(tried) == 1:
            raise _ipm.Stuck("the step length fell to 0")
        return advance(*arguments, **options)

    advance = _ipm.advance
    monkeypatch.setattr(_ipm, "advance", stuck_at_first)
    s = _on_a_list(np.random.default_rng(0))
    assert s.status is Status.CONVERGED
    assert any("the step length fell to 0" in record.note for record in s.trace)


def test_a_union_of_a_matrix_family_and_a_list():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 2))
    y = np.sign(np.sin(2 * X[:, 0]) + 0.3 * rng.normal(size=40))
    gaussians = kernelopt.Dictionary([("rbf", {"gamma": g}) for g in (0.1, 1.0, 5.0)], normalize="trace")
    family = [{"name": "tk"}, gaussians, "delta"]
    values = {
        solver: kernelopt.solve(X, y, family=family, solver=solver, tol=1e-6).certificate for solver in ("ipm", "fw")
    }
    assert values["ipm"].relative_gap <= 1e-6
    assert values["ipm"].lower <= values["fw"].upper
    assert values["fw"].lower <= values["ipm"].upper


def test_other_families_come_through_the_exchange():
    from kernelopt.testing import Waves

    X = np.linspace(0, 6, 30)[:, None]
    y = np.sign(np.sin(2.5 * X[:, 0]) + 0.01)
    s = kernelopt.solve(X, y, family=Waves(), solver="ipm", criterion={"name": "svc", "C": 1.0}, tol=1e-3)
    assert any("exchange" in note for note in s.notes)
    assert s.status is Status.CONVERGED_ESTIMATED
    assert not s.certificate.exact


def test_a_step_that_the_walls_cut_short_is_taken_without_its_correction():
    """Its second-order terms point out of the cone here; with them alone the run ends at 1e-4."""
    X, y = small_task("regression")
    cone = every_price("tk")["a cone of a union"]
    s = kernelopt.solve(X, y, family=cone, criterion=every_criterion()["svr"], solver="ipm", tol=1e-6, scale="paper")
    assert s.status is kernelopt.Status.CONVERGED, s.certificate


@pytest.mark.parametrize("C", [1e4, 1e6])
@pytest.mark.parametrize("seed", range(4))
def test_an_upper_bound_that_lags_is_not_waited_for(seed, C):
    """With a large C the loss magnifies the last digits of alpha: the path's machine says little of its kernel."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3))
    y = X[:, 0] * X[:, 1] + rng.normal(size=40)
    s = kernelopt.solve(X, y, family="tk", solver="ipm", criterion={"name": "svr", "C": C}, tol=1e-7)
    assert s.status is Status.CONVERGED, s
    gaps = [record.relative_gap for record in s.trace]
    assert len(gaps) <= 3 or gaps[-1] < gaps[-4], gaps
    assert len(gaps) <= InteriorPoint.patience // 2, gaps


@pytest.mark.parametrize(("upper", "lower"), [(np.inf, 1.0), (np.inf, np.inf), (2.0, -np.inf)])
def test_a_start_that_proves_nothing_is_none(upper, lower):
    assert _resumed(None, None, upper - lower, max(upper, abs(lower))) is None
