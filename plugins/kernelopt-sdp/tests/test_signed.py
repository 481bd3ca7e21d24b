"""Weights of any sign: the laws of a family, and program (5) of Colbert and Peet (2020) by hand."""

from importlib import import_module

import numpy as np
import pytest
from kernelopt_sdp import Signed

import kernelopt
from kernelopt.plugin import InvalidOption, Part, Query, Refused
from kernelopt.testing import FamilySuite

GAUSSIANS = [("rbf", {"gamma": gamma}) for gamma in (0.1, 1.0, 10.0)]
COPIES = [*GAUSSIANS, ("rbf", {"gamma": 1.0}), "linear"]


def base(kernel, x, z):
    name, options = (kernel, {}) if isinstance(kernel, str) else kernel
    if name == "rbf":
        return np.exp(-options["gamma"] * np.sum((x - z) ** 2))
    return float(x @ z) if name == "linear" else (1.0 + float(x @ z)) ** options["degree"]


class SignedLaws(FamilySuite):
    """Kernels that are written out, in the sizes of the list and on its columns."""

    n = 14
    tolerance = 1e-8

    def naive_gram(self, family, part, X):
        fixed = family._list
        c = part.weights @ part.atoms
        rows = fixed.seen(X)
        return sum(
            weight / size * np.array([[base(kernel, x, z) for z in rows] for x in rows])
            for kernel, weight, size in zip(fixed.listed, c, fixed._sizes, strict=True)
        )


class TestSigned(SignedLaws):
    def family(self):
        return Signed()


class TestSignedSumsWhereOneKernelIsListedTwice(SignedLaws):
    d = 2

    def family(self):
        return Signed(COPIES, rescale=None)


def problem(n=30, seed=3):
    """Rows of two classes on which a kernel is subtracted."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=n) > 0.0, 1.0, -1.0)


def by_hand(X, y, C):
    """Program (5) of Colbert and Peet (2020) with its misprint in the trace mended by the sum of the weights, 1."""
    cvxpy = import_module("cvxpy")
    n = len(y)
    grams = [np.array([[base(kernel, x, z) for z in X] for x in X]) for kernel in GAUSSIANS]
    mu, t, gamma = cvxpy.Variable(3), cvxpy.Variable(), cvxpy.Variable()
    nu, delta = cvxpy.Variable(n, nonneg=True), cvxpy.Variable(n, nonneg=True)
    G = sum(mu[a] * (np.outer(y, y) * K) for a, K in enumerate(grams))
    side = cvxpy.reshape(1.0 + nu - delta + gamma * y, (n, 1), order="C")
    corner = cvxpy.reshape(t - 2.0 * C * cvxpy.sum(delta), (1, 1), order="C")
    whole = cvxpy.Variable((n + 1, n + 1), PSD=True)
    rules = [whole == cvxpy.bmat([[G, side], [side.T, corner]]), cvxpy.sum(mu) == 1.0]
    accuracy = {f"tol_{name}": 1e-10 for name in ("gap_abs", "gap_rel", "feas")}
    cvxpy.Problem(cvxpy.Minimize(t), rules).solve(solver=cvxpy.CLARABEL, **accuracy)
    return 0.5 * float(t.value), np.asarray(mu.value)


def solved(X, y, family, **options):
    return kernelopt.solve(X, y, family=family, criterion={"name": "svc", "C": 10.0}, scale="paper", **options)


def test_the_optimum_is_that_of_program_5_with_a_negative_weight():
    X, y = problem()
    s = solved(X, y, Signed(GAUSSIANS, rescale=None), tol=1e-6)
    wanted, mu = by_hand(X, y, C=10.0)
    assert s.certificate.exact
    assert s.certificate.lower <= wanted * (1.0 + 1e-5)
    assert s.certificate.upper == pytest.approx(wanted, rel=1e-5)
    (part,) = s.mixture.parts
    np.testing.assert_allclose(part.weights @ part.atoms, mu, atol=1e-3)
    assert mu.min() < -0.1
    assert np.linalg.eigvalsh(s.kernel(X))[0] >= -1e-7
    assert any("negative weight" in note for note in s.notes)


def test_weights_of_any_sign_are_at_least_as_good_as_weights_of_at_least_0():
    X, y = problem()
    s = solved(X, y, Signed(GAUSSIANS, rescale=None), tol=1e-4)
    plain = solved(X, y, kernelopt.Dictionary(GAUSSIANS, normalize="trace"), tol=1e-4)
    assert s.certificate.upper < plain.certificate.lower


@pytest.mark.parametrize("seed", range(4))
def test_no_weights_beat_the_ceiling_and_the_best_ones_make_a_gram(seed):
    """Against directions from the centre, each walked until the matrix is singular."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 2))
    family = Signed(COPIES, rescale=None).prepare(X, np.ones(12))
    data, V = family.bind(X), rng.normal(size=(12, 2))
    best = family.best_atoms(data, V, Query())
    assert best.values[0] == pytest.approx(best.ceiling, rel=1e-7)
    assert best.atoms[0].sum() == pytest.approx(1.0)
    assert np.linalg.eigvalsh(family.gram(Part(best.atoms, np.ones(1)), data).dense())[0] >= -1e-8
    for atom in family.draw(30, rng):
        middle, edge = family.center().atoms[0], 0.0
        for far in np.geomspace(1e-3, 1e3, 200):
            K = family.gram(Part((middle + far * (atom - middle))[None], np.ones(1)), data).dense()
            if np.linalg.eigvalsh(K)[0] < 0.0:
                break
            edge = float(np.vdot(V, K @ V))
        assert edge <= best.ceiling * (1.0 + 1e-9)


def test_a_kernel_that_is_none_on_the_training_rows_is_a_stranger():
    X, _ = problem(10)
    family = Signed(GAUSSIANS, rescale=None).prepare(X, np.ones(10))
    assert family.stranger(np.array([[0.5, 0.2, 0.3]])) is None
    assert "sum to 2" in family.stranger(np.array([[0.5, 0.5, 1.0]]))
    assert "no Gram matrix" in family.stranger(np.array([[3.0, -3.0, 1.0]]))


def test_a_model_file_predicts_the_same(tmp_path):
    X, y = problem(12)
    s = kernelopt.solve(X, y, family="signed", criterion="svc", tol=1e-2)
    s.save(tmp_path / "model")
    np.testing.assert_array_equal(kernelopt.load(tmp_path / "model").decision_function(X), s.decision_function(X))


def test_mistakes_are_told():
    X, y = problem(12)
    with pytest.raises(Refused, match=r"on 12 training rows .* the limit is 10"):
        kernelopt.solve(X, y, family=Signed(most=10), criterion="svc")
    with pytest.raises(InvalidOption, match="empty"):
        Signed([])
    with pytest.raises(InvalidOption, match="normalize"):
        Signed(normalize="variance")


@pytest.mark.parametrize("gammas", [(2e-8, 7e-13, 6e-12), (7e-11, 6e-12, 5e-10)])
def test_kernels_that_are_nearly_equal_make_no_gram_with_an_eigenvalue_below_rounding(gammas):
    """Large weights of both signs cancel there, and what is left has directions that no kernel has by itself."""
    X, y = problem()
    kernels = [*(("rbf", {"gamma": gamma}) for gamma in gammas), "linear"]
    family = Signed(kernels).prepare(X, np.ones(len(X)))
    data = family.bind(X)
    for seed in range(5):
        V = np.random.default_rng(seed).normal(size=(len(X), 1)) * y[:, None]
        part = Part(family.best_atoms(data, V, Query()).atoms, np.ones(1))
        values = np.linalg.eigvalsh(family.gram(part, data).dense())
        assert values[0] >= -1e-10 * values[-1]


def test_directions_that_no_kernel_has_are_left_out():
    """A linear and a quadratic kernel of two columns have six features together, on any number of rows."""
    X, _ = problem(40)
    family = Signed(["linear", ("poly", {"degree": 2})]).prepare(X, np.ones(len(X)))
    assert family._known.matrices.shape[1] == 6 + 2 * 2
