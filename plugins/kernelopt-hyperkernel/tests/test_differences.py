"""Hyperkernels of differences of rows, theorem 9: their laws, a power series as one of them, and what is none."""

import math

import numpy as np
import pytest
from kernelopt_hyperkernel import Differences, GaussianBase, Hyperkernel, Series

import kernelopt
from kernelopt.plugin import InvalidData, InvalidOption, KerneloptError
from kernelopt.testing import FamilySuite, two_classes

X = np.random.default_rng(0).normal(size=(9, 2))
SIGMA = (0.7, 0.2)


def squares(T):
    return np.sum(T * T, axis=1)


def cauchy(T, S):
    """1 / (1 + |t|^2 + |s|^2), the mean of products of two Gaussians over all widths: no power series of one."""
    return 1.0 / (1.0 + np.add.outer(squares(T), squares(S)))


def gaussians(T, S):
    k = np.exp(-np.add.outer(squares(T), squares(S)))
    return 0.2 + 0.5 * k + 0.3 * k**3


class TestCauchy(FamilySuite):
    goes_into_files = False

    def family(self):
        return Hyperkernel(kind=Differences(cauchy), pivots=20)

    def naive_gram(self, family, part, X):
        sigma, d = family._frame.kernel.sigma, X.shape[1]

        def size(a, b):
            return math.fsum(s * (p - q) ** 2 for s, p, q in zip(sigma, a, b, strict=True))

        pairs = list(zip(part.atoms, part.weights, strict=True))
        return np.array([[sum(w / (1.0 + size(a[:d], a[d:]) + size(x, z)) for a, w in pairs) for z in X] for x in X])


def test_a_power_series_of_a_gaussian_is_one():
    own = Hyperkernel(kind=Differences(gaussians, sigma=SIGMA), pivots="all").prepare(X, np.ones(9))
    series = Series([0.2, 0.5, 0.0, 0.3], base=GaussianBase(SIGMA))
    other = Hyperkernel(kind=series, pivots="all").prepare(X, np.ones(9))
    part = own.dictionary()
    np.testing.assert_allclose(own.cross(part, X[:3], X), other.cross(part, X[:3], X), rtol=1e-12)
    assert own.penalty.value(part.weights) == pytest.approx(other.penalty.value(other.parameters(part)), rel=1e-9)


def test_a_pair_and_its_reverse_are_one_kernel():
    family = Hyperkernel(kind=Differences(cauchy), pivots="all").prepare(X, np.ones(9))
    atoms = family.dictionary().atoms
    assert len(atoms) == 1 + 9 * 8 // 2
    np.testing.assert_array_equal(family.index(np.hstack([atoms[:, 2:], atoms[:, :2]])), np.arange(len(atoms)))


def learned(lambda_q):
    rows, y = two_classes(np.random.default_rng(0), 30, 2)
    family = Hyperkernel(kind=Differences(cauchy), lambda_q=lambda_q, pivots=30)
    return kernelopt.solve(rows, y[:, 0], family=family, criterion={"name": "svc", "C": 100.0}, scale="paper", tol=1e-3)


def test_a_machine_learns_with_it_and_says_so():
    s = learned(3000.0)
    assert s.status is kernelopt.Status.CONVERGED
    assert s.gain > 0.01
    assert "a function of differences, cauchy" in s.kernel.describe()
    assert any("h(0, x - z)" in note for note in learned(1e-3).notes)


def test_constant_columns_leave_it_as_it_is():
    rows, y = two_classes(np.random.default_rng(0), 20, 2)
    one, two = (
        kernelopt.solve(data, y[:, 0], family=Hyperkernel(kind=Differences(cauchy, sigma), pivots=20), criterion="svc")
        for data, sigma in ((np.insert(rows, 1, 3.0, axis=1), (0.5, 9.0, 2.0)), (rows, (0.5, 2.0)))
    )
    assert one.objective == pytest.approx(two.objective, rel=1e-12)


def test_a_model_with_a_function_is_not_saved(tmp_path):
    with pytest.raises(KerneloptError, match="function"):
        learned(100.0).save(tmp_path / "model")


def box(T):
    return (squares(T) < 1.0).astype(float)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda T, S: np.outer(box(T), box(S)), "negative Fourier transform"),
        (lambda T, S: -cauchy(T, S), "no positive semidefinite kernel"),
        (lambda T, S: T @ S.T, "even"),
        (lambda T, S: cauchy(T, 2.0 * S), "symmetric"),
        (lambda T, S: np.nan * cauchy(T, S), "must be finite"),
        (lambda T, S: 0.0 * cauchy(T, S), "must be finite, and not 0"),
        (lambda T, S: cauchy(T, S)[0], r"gave the shape \(45,\)"),
    ],
)
def test_what_is_no_hyperkernel_is_refused(function, message):
    with pytest.raises(InvalidData, match=message):
        Hyperkernel(kind=Differences(function, sigma=1.0)).prepare(X, np.ones(9))


def test_mistakes_are_told():
    with pytest.raises(InvalidOption, match="must be a callable"):
        Differences("rbf")
    with pytest.raises(InvalidOption, match="sigma must be"):
        Differences(cauchy, sigma=-1.0)
    with pytest.raises(InvalidOption, match=r"kind=Differences\(...\) has its own sigma.*write Differences"):
        Hyperkernel(kind=Differences(cauchy), sigma=2.0)
