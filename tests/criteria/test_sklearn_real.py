"""The machines of scikit-learn on Grams of real data: the same objective, decision values and predictions.

Four fifths of the rows train, and all of them are predicted. libsvm keeps its matrix in single precision, so that is
the matrix that both get; scikit-learn's dual variables are judged by the objective in double precision.
"""

import os
from functools import cache

import attrs
import numpy as np
import pytest
from sklearn import datasets as bundled
from sklearn import svm
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler

from kernelopt import SVC, SVR, NuSVC, NuSVR, OneClass, Ridge, datasets

OPTIONS = {"kernel": "precomputed", "tol": 1e-10}
DECISION = 1e-6


@attrs.frozen(eq=False)
class Data:
    """Targets y (n,) of the training rows, their Gram K (n, n), and the kernel of all rows with them, (m, n)."""

    y: np.ndarray
    K: np.ndarray
    cross: np.ndarray


def wdbc():
    X, y = bundled.load_breast_cancer(return_X_y=True)
    return X, np.where(y == 1, 1.0, -1.0)


def digits():
    """3 against 8."""
    X, y = bundled.load_digits(return_X_y=True)
    chosen = np.isin(y, (3, 8))
    return X[chosen], np.where(y[chosen] == 8, 1.0, -1.0)


def diabetes():
    return bundled.load_diabetes(return_X_y=True)


def kin40k():
    if "KERNELOPT_DATA" not in os.environ:
        pytest.skip("KERNELOPT_DATA names no folder")
    data = datasets.load("kin40k")
    return data.X[:1000], np.asarray(data.y[:1000], dtype=np.float64)


@cache
def gram_of(load):
    """Standardised columns, the Gaussian kernel of width sqrt(d / 2); targets in regression standardised too."""
    X, y = load()
    order = np.random.default_rng(0).permutation(len(X))
    X, y = StandardScaler().fit_transform(X)[order], y[order]
    y = y if set(y) == {-1.0, 1.0} else (y - y.mean()) / y.std()
    kernel = rbf_kernel(X, gamma=1.0 / X.shape[1]).astype(np.float32).astype(np.float64)
    train = slice(len(X) * 4 // 5)
    return Data(y[train], kernel[train, train], kernel[:, train])


@pytest.fixture(params=[wdbc, digits], ids=lambda load: load.__name__)
def classes(request):
    return gram_of(request.param)


@pytest.fixture(params=[diabetes, kin40k], ids=lambda load: load.__name__)
def numbers(request):
    return gram_of(request.param)


@pytest.fixture(params=[wdbc, digits, diabetes, kin40k], ids=lambda load: load.__name__)
def rows(request):
    return gram_of(request.param)


def expansion(machine, n):
    """The coefficients of a fitted libsvm machine, shape (n,)."""
    v = np.zeros(n)
    v[machine.support_] = machine.dual_coef_[0]
    return v


def agree(ours, h, v, data):
    """Objectives agree; h is that of scikit-learn's v (n,)."""
    assert ours.objective == pytest.approx(h - 0.5 * v @ data.K @ v, rel=1e-6)


def values(ours, data, rho=1.0):
    """Decision values on all rows, shape (m,)."""
    bias = ours.multipliers[0] if len(ours.multipliers) else 0.0
    return (data.cross @ ours.v + bias) / rho


def close(decision, theirs):
    np.testing.assert_allclose(decision, theirs, rtol=0.0, atol=DECISION)


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_svc(classes, answer, C):
    theirs = svm.SVC(C=C, **OPTIONS).fit(classes.K, classes.y)
    ours = answer(SVC(C), classes.K, classes.y)
    v = expansion(theirs, len(classes.y))
    agree(ours, np.abs(v).sum(), v, classes)
    close(values(ours, classes), theirs.decision_function(classes.cross))
    np.testing.assert_array_equal(np.sign(values(ours, classes)), theirs.predict(classes.cross))


@pytest.mark.parametrize("nu", [0.1, 0.4])
def test_nu_svc(classes, answer, nu):
    theirs = svm.NuSVC(nu=nu, **OPTIONS).fit(classes.K, classes.y)
    ours = answer(NuSVC(nu), classes.K, classes.y)
    v = expansion(theirs, len(classes.y))
    agree(ours, 0.0, v * (nu * len(v) / np.abs(v).sum()), classes)  # libsvm divides by rho
    decision = values(ours, classes, rho=ours.multipliers[1])
    close(decision, theirs.decision_function(classes.cross))
    np.testing.assert_array_equal(np.sign(decision), theirs.predict(classes.cross))


@pytest.mark.parametrize(("C", "epsilon"), [(0.1, 0.1), (1.0, 0.1), (10.0, 0.3)])
def test_svr(numbers, answer, C, epsilon):
    theirs = svm.SVR(C=C, epsilon=epsilon, **OPTIONS).fit(numbers.K, numbers.y)
    ours = answer(SVR(C, epsilon), numbers.K, numbers.y)
    v = expansion(theirs, len(numbers.y))
    agree(ours, numbers.y @ v - epsilon * np.abs(v).sum(), v, numbers)
    close(values(ours, numbers), theirs.predict(numbers.cross))


@pytest.mark.parametrize(("C", "nu"), [(1.0, 0.3), (1.0, 0.7), (10.0, 0.3)])
def test_nu_svr(numbers, answer, C, nu):
    theirs = svm.NuSVR(C=C, nu=nu, **OPTIONS).fit(numbers.K, numbers.y)
    ours = answer(NuSVR(C, nu), numbers.K, numbers.y, accuracy=1e-10)
    v = expansion(theirs, len(numbers.y))
    agree(ours, numbers.y @ v, v, numbers)
    close(values(ours, numbers), theirs.predict(numbers.cross))


@pytest.mark.parametrize("lam", [1e-4, 1e-2])
def test_ridge(numbers, answer, lam):
    n = len(numbers.y)
    theirs = KernelRidge(alpha=lam * n, kernel="precomputed").fit(numbers.K, numbers.y)
    ours, v = answer(Ridge(lam), numbers.K, numbers.y), theirs.dual_coef_
    agree(ours, numbers.y @ v - 0.5 * lam * n * v @ v, v, numbers)
    close(values(ours, numbers), theirs.predict(numbers.cross))


@pytest.mark.parametrize("nu", [0.1, 0.5])
def test_one_class(rows, answer, nu):
    theirs = svm.OneClassSVM(nu=nu, **OPTIONS).fit(rows.K)
    ours = answer(OneClass(nu), rows.K, np.ones(len(rows.y)))
    agree(ours, 0.0, expansion(theirs, len(rows.y)), rows)
    decision = values(ours, rows)
    close(decision, theirs.decision_function(rows.cross))
    clear = np.abs(decision) > DECISION  # free support vectors lie on the boundary
    np.testing.assert_array_equal(np.sign(decision)[clear], theirs.predict(rows.cross)[clear])
