"""The same machines as scikit-learn's on the same Gram matrix: decision values, and objectives in the stated scale."""

import numpy as np
import pytest
from sklearn import svm
from sklearn.kernel_ridge import KernelRidge

from kernelopt import L2SVC, SVC, SVR, LagrangianSVC, Margin, NuSVC, NuSVR, OneClass, Ridge

# libsvm keeps its matrix in single precision, which is worth some 1e-7.
CLOSE = {"rel": 0.0, "abs": 1e-6}
OPTIONS = {"kernel": "precomputed", "tol": 1e-11}


@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
def test_svc(data, answer, decision, C):
    K, y, _, rng = data
    weight = rng.uniform(0.5, 2.0, len(y))
    theirs = svm.SVC(C=C, **OPTIONS).fit(K, y, sample_weight=weight)
    assert decision(answer(SVC(C), K, y, weight), K) == pytest.approx(theirs.decision_function(K), **CLOSE)


@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
def test_l2_svc(data, answer, decision, C):
    K, y, _, rng = data
    weight = rng.uniform(0.5, 2.0, len(y))
    theirs = svm.SVC(C=1e9, **OPTIONS).fit(K + np.diag(1.0 / (C * weight)), y)
    # No upper bounds: their support vectors give v and the bias in double precision.
    S = theirs.support_
    ones = np.ones((len(S), 1))
    system = np.block([[K[np.ix_(S, S)] + np.diag(1.0 / (C * weight[S])), ones], [ones.T, np.zeros((1, 1))]])
    *v, bias = np.linalg.solve(system, np.append(y[S], 0.0))
    ours = answer(L2SVC(C), K, y, weight, accuracy=1e-14)  # what a gap leaves of the decision values is its root
    assert decision(ours, K) == pytest.approx(K[:, S] @ v + bias, **CLOSE)


@pytest.mark.parametrize("c", [0.1, 1.0, 10.0])
def test_lagrangian_svc(data, answer, decision, c):
    K, y, _, rng = data
    weight = rng.uniform(0.5, 2.0, len(y))
    features = np.linalg.cholesky(K)
    theirs = svm.LinearSVC(C=0.5 / c, loss="squared_hinge", tol=1e-10, max_iter=10**6, random_state=0)
    theirs.fit(features, y, sample_weight=weight)
    assert decision(answer(LagrangianSVC(c), K, y, weight), K) == pytest.approx(
        theirs.decision_function(features), **CLOSE
    )


@pytest.mark.parametrize("nu", [0.2, 0.4])
def test_nu_svc_is_divided_by_rho_there(data, answer, decision, nu):
    K, y, _, _ = data
    theirs = svm.NuSVC(nu=nu, **OPTIONS).fit(K, y)
    ours = answer(NuSVC(nu), K, y)
    bias, rho = ours.multipliers
    assert rho > 0.0
    assert bias / rho == pytest.approx(theirs.intercept_[0], **CLOSE)
    assert decision(ours, K) / rho == pytest.approx(theirs.decision_function(K), **CLOSE)
    assert ours.v[theirs.support_] / rho == pytest.approx(theirs.dual_coef_[0], rel=0.0, abs=1e-4)


def test_margin_is_nu_svc_in_another_scale(data, answer, decision):
    K, y, _, _ = data
    nu, n = 0.3, len(y)
    ours, theirs = answer(Margin(C=2.0 / (nu * n)), K, y), answer(NuSVC(nu), K, y)
    ratio = 2.0 / (nu * n)
    assert ours.objective == pytest.approx(ratio**2 * theirs.objective, rel=1e-9)
    assert decision(ours, K) == pytest.approx(ratio * decision(theirs, K), rel=1e-6, abs=1e-8)
    assert ours.multipliers == pytest.approx(ratio * theirs.multipliers, rel=1e-6, abs=1e-8)


def test_hard_margin(data, answer, decision):
    K, y, _, _ = data
    theirs = svm.SVC(C=1e9, **OPTIONS).fit(K, y)
    ours = answer(Margin(), K, y)
    assert decision(ours, K) / ours.multipliers[1] == pytest.approx(theirs.decision_function(K), rel=1e-5, abs=1e-5)
    np.testing.assert_allclose(answer(Margin(C=1.0), K, y).alpha, ours.alpha, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize(("C", "epsilon"), [(0.3, 0.05), (1.0, 0.3), (20.0, 0.0)])
def test_svr(data, answer, decision, C, epsilon):
    K, _, target, rng = data
    weight = rng.uniform(0.5, 2.0, len(target))
    theirs = svm.SVR(C=C, epsilon=epsilon, **OPTIONS).fit(K, target, sample_weight=weight)
    ours = answer(SVR(C, epsilon), K, target, weight)
    assert decision(ours, K) == pytest.approx(theirs.predict(K), **CLOSE)


@pytest.mark.parametrize(("C", "nu"), [(0.3, 0.2), (1.0, 0.5), (10.0, 0.9)])
def test_nu_svr(data, answer, decision, C, nu):
    K, _, target, _ = data
    ours = answer(NuSVR(C, nu), K, target)
    theirs = svm.NuSVR(C=C, nu=nu, **OPTIONS).fit(K, target)
    assert decision(ours, K) == pytest.approx(theirs.predict(K), **CLOSE)
    # With the width that was found, it is the other machine.
    assert decision(answer(SVR(C, ours.multipliers[1]), K, target), K) == pytest.approx(decision(ours, K), **CLOSE)


@pytest.mark.parametrize("nu", [0.1, 0.4, 0.9])
def test_one_class(data, answer, decision, nu):
    K, y, _, _ = data
    theirs = svm.OneClassSVM(nu=nu, **OPTIONS).fit(K)
    ours = answer(OneClass(nu), K, np.ones_like(y))
    assert ours.multipliers == pytest.approx(theirs.intercept_, **CLOSE)
    assert decision(ours, K) == pytest.approx(theirs.decision_function(K), **CLOSE)


@pytest.mark.parametrize("lam", [1e-4, 1e-2, 1.0])
def test_ridge(data, answer, decision, lam):
    K, _, target, rng = data
    weight = rng.uniform(0.5, 2.0, len(target))
    theirs = KernelRidge(alpha=lam * weight.sum(), kernel="precomputed").fit(K, target, sample_weight=weight)
    assert decision(answer(Ridge(lam), K, target, weight), K) == pytest.approx(theirs.predict(K), rel=1e-9)
