"""Every criterion and several outputs: the interior point and Frank-Wolfe certify the same optimum."""

import numpy as np
import pytest

import kernelopt
from kernelopt import Status
from kernelopt._plugins._registry import resolve
from kernelopt._saddle._bounds import Limits
from kernelopt._saddle._loop import run
from kernelopt.plugin import Refused
from kernelopt.testing import Affine, Columns, every_criterion, make_problem, meet, small_task, three_classes

CRITERIA = every_criterion()
FAMILIES = {"tk": "tk", "tk and delta": ["tk", "delta"]}
TOL = 1e-6


@pytest.mark.parametrize("family", list(FAMILIES))
@pytest.mark.parametrize("name", list(CRITERIA))
def test_two_solvers_certify_one_optimum(name, family):
    criterion = CRITERIA[name]
    X, y = small_task(criterion.task)
    found = {
        solver: kernelopt.solve(X, y, family=FAMILIES[family], criterion=criterion, solver=solver, tol=TOL)
        for solver in ("ipm", "fw")
    }
    ours, theirs = found["ipm"].certificate, found["fw"].certificate
    for one in (ours, theirs):
        assert one.lower <= one.upper + 1e-12 * abs(one.upper)
    assert meet(ours, theirs)
    assert found["ipm"].status is Status.CONVERGED, found["ipm"]
    assert ours.relative_gap <= TOL


def certified(problem, name):
    solver = resolve("solver", name)
    start = problem.respond(problem.center())
    return run(problem, solver, start, Limits(TOL, None, solver.default_steps, None)).bounds


@pytest.mark.parametrize("kind", ["tk", "affine", "columns and delta"])
def test_one_kernel_for_three_classes(kind):
    families = {
        "tk": (resolve("family", "tk"),),
        "affine": (Affine(),),
        "columns and delta": (Columns(), kernelopt.Delta()),
    }
    X, Y = three_classes(3)
    problem = make_problem(families[kind], X, Y, kernelopt.SVC(C=5.0))
    assert len(problem.outputs) == 3
    ours, theirs = certified(problem, "ipm"), certified(problem, "fw")
    assert ours.certificate.relative_gap <= TOL, ours.certificate
    assert ours.certificate.upper == pytest.approx(theirs.certificate.upper, rel=1e-4)
    assert meet(ours.certificate, theirs.certificate)
    for qp, dual in zip(problem.outputs, ours.response.duals, strict=True):
        assert qp.violation(dual.alpha) <= 1e-9 * np.abs(dual.alpha).sum()


def test_a_shared_kernel_costs_at_least_what_three_own_kernels_cost():
    X, Y = three_classes(3)
    shared = certified(make_problem((Affine(),), X, Y, kernelopt.SVC(C=5.0)), "ipm").certificate
    own = [certified(make_problem((Affine(),), X, y[:, None], kernelopt.SVC(C=5.0)), "ipm").certificate for y in Y.T]
    assert shared.upper >= sum(one.lower for one in own) - 1e-9 * shared.upper


def test_equal_outputs_have_the_kernel_of_one_and_the_sum_of_their_values():
    X, Y = three_classes(3)
    one, both = (make_problem((Affine(),), X, Y[:, columns], kernelopt.SVC(C=5.0)) for columns in ([1], [1, 1]))
    single, double = certified(one, "ipm").certificate, certified(both, "ipm").certificate
    assert double.upper == pytest.approx(2.0 * single.upper, rel=1e-5)
    assert double.lower == pytest.approx(2.0 * single.lower, rel=1e-5)


def test_too_many_stacked_rows_are_refused(monkeypatch):
    X, Y = three_classes(3)
    problem = make_problem((Affine(),), X, Y, kernelopt.SVC(C=5.0))
    monkeypatch.setattr("kernelopt_ipm._ipm._MOST_STACKED", 100)
    assert certified(problem, "ipm").certificate.relative_gap <= TOL  # by parameters no system of all outputs is formed
    monkeypatch.setattr("kernelopt_ipm._ipm.cheaper_by_parameters", lambda *_: False)
    with pytest.raises(Refused, match="3 outputs of 50 rows"):
        certified(problem, "ipm")
