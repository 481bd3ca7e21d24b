"""The learned kernel and the function on it, away from the solver that found them."""

import numpy as np
import pytest
from sklearn.decomposition import KernelPCA
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import WhiteKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.svm import SVC

import kernelopt
from kernelopt._prediction import _predictor
from kernelopt._prediction._predictor import Predictor
from kernelopt.plugin import LowRank
from kernelopt.testing import Affine, Columns, two_classes

UNIONS = {
    "explicit": [Columns(), kernelopt.Delta()],
    "mixed": [Columns(), Affine(), kernelopt.Delta()],
    "implicit": [Affine()],
}


@pytest.fixture(name="rows")
def _rows():
    rng = np.random.default_rng(0)
    X, y = two_classes(rng, 24, 3)
    return X, y[:, 0], rng.normal(size=(15, 3))


def solved(X, y, union):
    return kernelopt.solve(X, y, family=UNIONS[union], solver="fw", criterion={"name": "svc", "C": 2.0})


@pytest.mark.parametrize("union", list(UNIONS))
def test_decisions_are_the_kernel_expansion(rows, union):
    X, y, Z = rows
    s = solved(X, y, union)
    v = s.response.V[:, 0]
    expansion = s.kernel(Z, X) @ v + s.predictor.intercept
    assert s.decision_function(Z) == pytest.approx(expansion, rel=1e-9, abs=1e-9 * np.abs(expansion).max())


def test_features_of_support_vectors_are_summed_some_at_a_time(rows, monkeypatch):
    X, y, Z = rows
    whole = solved(X, y, "explicit")
    monkeypatch.setattr(_predictor, "_AT_ONCE", 7)
    s = solved(X, y, "explicit")
    assert s.decision_function(Z) == pytest.approx(whole.decision_function(Z), rel=1e-9)


def test_a_model_of_explicit_families_holds_no_support_vectors(rows):
    X, y, _ = rows
    s = solved(X, y, "explicit")
    assert s.predictor.support_vectors.shape == (0, 3)
    assert len(s.support) == s.support_counts[0] > 0
    assert solved(X, y, "mixed").predictor.support_vectors.shape == (len(solved(X, y, "mixed").support), 3)


@pytest.mark.parametrize("union", list(UNIONS))
def test_scikit_learn_takes_the_kernel(rows, union):
    X, y, Z = rows
    kernel = solved(X, y, union).kernel
    assert kernel.diag(Z) == pytest.approx(np.diagonal(kernel(Z, Z)))
    K, cross = kernel(X, X), kernel(Z, X)
    given = SVC(kernel="precomputed").fit(K, y)
    assert SVC(kernel=kernel).fit(X, y).decision_function(Z) == pytest.approx(given.decision_function(cross), abs=1e-8)
    ridge = KernelRidge(kernel="precomputed").fit(K, y)
    assert KernelRidge(kernel=kernel).fit(X, y).predict(Z) == pytest.approx(ridge.predict(cross), abs=1e-8)
    scores = KernelPCA(2, kernel="precomputed").fit(K).transform(cross)
    assert KernelPCA(2, kernel=kernel).fit(X).transform(Z) == pytest.approx(scores, abs=1e-7)


@pytest.mark.parametrize("union", list(UNIONS))
def test_a_gaussian_process_takes_the_kernel(rows, union):
    X, y, Z = rows
    kernel = solved(X, y, union).kernel
    machine = GaussianProcessRegressor(kernel.for_gaussian_process() + WhiteKernel(0.1, "fixed")).fit(X, y)
    mean, std = machine.predict(Z, return_std=True)
    K, cross = kernel(X, X) + 0.1 * np.eye(len(X)), kernel(Z, X)
    assert mean == pytest.approx(cross @ np.linalg.solve(K, y), abs=1e-7)
    variance = kernel.diag(Z) + 0.1 - np.sum(cross * np.linalg.solve(K, cross.T).T, axis=1)
    assert std == pytest.approx(np.sqrt(variance), abs=1e-6)


def test_describe_has_a_line_for_each_family_with_weight(rows):
    X, y, _ = rows
    s = solved(X, y, "mixed")
    lines = s.kernel.describe().splitlines()
    parts = [part for part in s.mixture.parts if part.mass > 0.0]
    assert len(lines) == len(parts)
    for line, part in zip(lines, parts, strict=True):
        assert f"weight {part.mass:.3g}" in line
        assert "of 3 columns" in line


@pytest.mark.parametrize("solver", ["fw", "ipm"])
@pytest.mark.parametrize("criterion", ["svc", "margin", "ridge"])
def test_explicit_families_are_solved_without_a_square_matrix(monkeypatch, rows, solver, criterion):
    def never(*args):
        raise AssertionError("an n x n array was asked for")

    monkeypatch.setattr(LowRank, "dense", never)
    monkeypatch.setattr(LowRank, "rows", never)
    X, y, _ = rows
    s = kernelopt.solve(X, y, family=UNIONS["explicit"], solver=solver, criterion=criterion, tol=1e-6)
    assert s.status is kernelopt.Status.CONVERGED


def test_explicit_families_are_not_refused_for_a_matrix_that_nobody_forms(monkeypatch, rows):
    """Memory for a quarter of one n x n array: enough for features, and too little for any other family."""
    X, y, _ = rows
    for module in ("_api._build", "_linalg._gram"):
        monkeypatch.setattr(f"kernelopt.{module}.require", refusing_above(2 * len(X) ** 2))
    assert solved(X, y, "explicit").status is kernelopt.Status.CONVERGED
    with pytest.raises(kernelopt.NotEnoughMemory):
        solved(X, y, "implicit")
    with pytest.raises(kernelopt.NotEnoughMemory, match="features do not replace"):
        LowRank(np.zeros((len(X), len(X)))).dense()


def refusing_above(have):
    def require(need, what, instead=""):
        if need > have:
            raise kernelopt.NotEnoughMemory(f"{what} would take {need} bytes")

    return require


def test_a_machine_without_support_vectors_is_its_intercept():
    """As of a run that was stopped before its first answer; scikit-learn's kernels refuse empty arrays."""
    X = np.random.default_rng(0).normal(size=(20, 3))
    s = kernelopt.solve(X, X[:, 0] > 0.0, family="dictionary", criterion="svc", tol=1e-2)
    none = Predictor.of(s.kernel, X[:0], np.zeros((0, 1)), np.array([0.5]), np.array(["no", "yes"]))
    assert none.decision_function(X).tolist() == [0.5] * 20
    assert set(none.predict(X)) == {"yes"}
