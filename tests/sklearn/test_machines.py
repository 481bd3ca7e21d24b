"""scikit-learn's own machines with a learned kernel decide as the solution does."""

import pickle

import numpy as np
import pytest
from sklearn import svm
from sklearn.base import clone
from sklearn.kernel_ridge import KernelRidge
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputRegressor

import kernelopt
from kernelopt.testing import every_criterion, small_task

MACHINES = {
    "svc": svm.SVC,
    "nu-svc": svm.NuSVC,
    "svr": svm.SVR,
    "nu-svr": svm.NuSVR,
    "one-class": svm.OneClassSVM,
    "ridge": KernelRidge,
}
FAMILIES = {"Gram": "tk", "features": "gpk", "union": ["gaussian", "delta"]}


def solved(name, family):
    criterion = every_criterion()[name]
    X, y = small_task(criterion.task)
    family = kernelopt.fixed("rbf") if criterion.task == "novelty" else FAMILIES[family]
    return kernelopt.solve(X, y, family=family, criterion=criterion, max_steps=5)


@pytest.mark.filterwarnings("ignore::kernelopt.OutsideBounds")
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", MACHINES)
def test_the_decisions_are_the_same(name, family):
    s = solved(name, family)
    machine = s.to_sklearn()
    assert type(machine) is MACHINES[name]
    Z = np.random.default_rng(0).normal(size=(30, 2))
    wanted = s.decision_function(Z)
    for one in (machine, pickle.loads(pickle.dumps(machine))):
        decide = getattr(one, "decision_function", one.predict)
        assert decide(Z) == pytest.approx(wanted, abs=1e-11 * np.abs(wanted).max())
        if s.classes is not None:
            assert np.array_equal(one.predict(Z), s.predict(Z))


def test_what_a_machine_says_of_itself_is_consistent():
    s = solved("svc", "Gram")
    machine = s.to_sklearn()
    assert machine.n_support_.sum() == len(s.support) == len(machine.support_)
    assert ((machine.dual_coef_[0] > 0.0) == (np.arange(len(s.support)) >= machine.n_support_[0])).all()
    assert np.sort(machine.dual_coef_[0]) == pytest.approx(np.sort(s.dual_coef[:, 0]))
    assert machine.intercept_ == s.predictor.intercept
    assert machine.get_params()["C"] == s.criterion.C
    detector = solved("one-class", "Gram").to_sklearn()
    X, _ = small_task("novelty")
    assert detector.score_samples(X) - detector.offset_ == pytest.approx(detector.decision_function(X))


@pytest.mark.parametrize("name", ["svc", "ridge", "svr"])
def test_fitting_again_keeps_the_kernel_and_finds_the_machine(name):
    criterion = every_criterion()[name]
    X, y = small_task(criterion.task)
    s = kernelopt.solve(X, y, family="tk", criterion=criterion, tol=1e-6)
    again = clone(s.to_sklearn()).fit(X, y)
    wanted = s.decision_function(X)
    decide = getattr(again, "decision_function", again.predict)
    assert decide(X) == pytest.approx(wanted, abs=2e-2 * np.abs(wanted).max())


def test_several_classes_are_one_against_the_rest(three):
    X, y = three
    s = kernelopt.solve(X, np.array(["a", "b", "c"])[y], family="tk", criterion="svc")
    machine = s.to_sklearn()
    assert isinstance(machine, OneVsRestClassifier)
    assert machine.decision_function(X) == pytest.approx(s.decision_function(X), abs=1e-10)
    assert np.array_equal(machine.predict(X), s.predict(X))


def test_several_targets_are_several_machines(numbers):
    X, y = numbers
    targets = np.column_stack([y, X[:, 0]])
    for criterion, kind in (("svr", MultiOutputRegressor), ("ridge", KernelRidge)):
        s = kernelopt.solve(X, targets, family="gpk", criterion=criterion)
        machine = s.to_sklearn()
        assert isinstance(machine, kind)
        assert machine.predict(X) == pytest.approx(s.predict(X), abs=1e-10)


@pytest.mark.parametrize("name", sorted(every_criterion().keys() - MACHINES.keys()))
def test_a_loss_that_scikit_learn_has_not_is_refused(name):
    s = solved(name, "union")
    with pytest.raises(kernelopt.Refused, match=f"scikit-learn has no machine for {name}"):
        s.to_sklearn()


def test_dates_that_scikit_learn_does_not_read_are_refused():
    days = np.arange("2020-01-01", "2020-02-10", dtype="datetime64[D]")[:, None]
    s = kernelopt.solve(days, np.sin(np.arange(40.0)), family="gpk", criterion="ridge")
    with pytest.raises(kernelopt.Refused, match="learned from columns with categories, dates, units or missing values"):
        s.to_sklearn()
