"""Thin factors of a list of atoms against the same sums written out as matrices."""

import numpy as np
import pytest

import kernelopt
from kernelopt._families._feature_lists import Factors
from kernelopt._linalg._gram import LowRank
from kernelopt._linalg._low_rank_plus_diagonal import Thin
from kernelopt.interior import on_atoms
from kernelopt.plugin import Leaf
from kernelopt.testing import Affine, Waves

N = 9


@pytest.fixture(name="factors", params=[(2, 2, 2), (1, 3, 0, 2), (0, 0)], ids=str)
def _factors(request):
    rng = np.random.default_rng(len(request.param))
    owner = np.repeat(np.arange(len(request.param)), request.param)
    ridges = np.where(np.arange(len(request.param)) % 2, 0.7, 0.0)
    return Factors(rng.normal(size=(N, len(owner))), owner, ridges)


def matrices(factors):
    for a, ridge in enumerate(factors.ridges):
        F = factors.features[:, factors.owner == a]
        yield F @ F.T + ridge * np.eye(N)


def test_every_sum_is_that_of_the_matrices(factors):
    rng = np.random.default_rng(1)
    K = np.array(list(matrices(factors)))
    v, w = rng.normal(size=N), rng.uniform(0.1, 1.0, size=len(K))
    signed = rng.normal(size=len(K))
    assert factors.gram(w).dense() == pytest.approx(np.einsum("a,aij->ij", w, K), abs=1e-12)
    assert factors.images(v) == pytest.approx(np.einsum("aij,j->ia", K, v), abs=1e-12)
    V = rng.normal(size=(N, 2))
    assert factors.image(signed, V) == pytest.approx(np.einsum("a,aij,jc->ic", signed, K, V), abs=1e-12)
    assert factors.values(V) == pytest.approx(np.einsum("aij,ic,jc->a", K, V, V), abs=1e-12)


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e9])
def test_curved_is_kernel_and_schur_complement(factors, size):
    rng = np.random.default_rng(2)
    K = np.array(list(matrices(factors)))
    v, w, inverse = rng.normal(size=N), rng.uniform(0.1, 1.0, size=len(K)), size * rng.uniform(0.5, 2.0, size=len(K))
    images = np.einsum("aij,j->ia", K, v)
    wanted = np.einsum("a,aij->ij", w, K) + (images * (w * inverse)) @ images.T
    assert factors.curved(w, inverse, v).dense() == pytest.approx(wanted, rel=1e-11, abs=1e-11 * np.abs(wanted).max())


def test_no_image_no_curvature(factors):
    weights = np.ones(len(factors.ridges))
    flat = factors.curved(weights, weights, np.zeros(N)).dense()
    assert flat == pytest.approx(factors.gram(weights).dense(), abs=1e-14)


def test_some_atoms_have_the_columns_of_those_atoms(factors):
    index = np.arange(len(factors.ridges))[::-1]
    columns, place = factors.columns(index)
    for k, a in enumerate(index):
        np.testing.assert_array_equal(columns[:, place == k], factors.features[:, factors.owner == a])


def test_a_block_has_factors_where_its_family_is_explicit_and_nowhere_else():
    X = np.random.default_rng(3).normal(size=(N, 2))
    columns = np.arange(2)
    waves = on_atoms(Leaf(Waves(), columns, 4.0), X, np.array([[0.5], [1.5]]))
    assert waves.gram(np.array([0.0, 1.0])).dense() == pytest.approx(4.0 * np.cos(1.5 * (X[:, :1] - X[:, 0])))
    assert waves.columns == 4
    identity = on_atoms(Leaf(kernelopt.Delta(), columns, 0.5), X, np.zeros((1, 0)))
    assert identity.gram(np.ones(1)).dense() == pytest.approx(0.5 * np.eye(N))
    assert identity.columns == 0
    listed = kernelopt.Dictionary(["linear"]).prepare(X, np.ones(N))
    assert on_atoms(Leaf(listed, columns), listed.bind(X), listed.dictionary().atoms).columns is None


def test_grams_are_kept_where_memory_holds_them_and_it_makes_no_difference(monkeypatch):
    X = np.random.default_rng(4).normal(size=(N, 2))
    family = Affine().prepare(X, np.ones(N))
    atoms, v = np.eye(3), X[:, 0]
    kept = on_atoms(Leaf(family, np.arange(2)), family.bind(X), atoms)
    monkeypatch.setattr("kernelopt.interior._blocks.available_bytes", lambda: 0)
    anew = on_atoms(Leaf(family, np.arange(2)), family.bind(X), atoms)
    assert kept.grams is not None
    assert anew.grams is None
    assert anew.couple(v).columns == pytest.approx(kept.couple(v).columns)


@pytest.mark.parametrize("columns", [0, 1, 4, N])
@pytest.mark.parametrize("spread", [0, 8])
def test_thin_solves_to_rounding(columns, spread):
    rng = np.random.default_rng(columns)
    F, D = rng.normal(size=(N, columns)), 10.0 ** rng.uniform(-spread, 0, N)
    A = F @ F.T + np.diag(D)
    thin = Thin.of(F, D)
    for B in (rng.normal(size=N), rng.normal(size=(N, 3))):
        x = thin.solve(B)
        assert x.shape == B.shape
        assert np.linalg.norm(A @ x - B) <= 1e-14 * (np.linalg.norm(A) * np.linalg.norm(x) + np.linalg.norm(B))
    assert thin.apply(np.eye(N)) == pytest.approx(A)


@pytest.mark.parametrize("diagonal", [0.0, -1.0, np.nan])
def test_thin_wants_a_positive_diagonal(diagonal):
    with pytest.raises(np.linalg.LinAlgError):
        Thin.of(np.ones((3, 1)), np.array([1.0, diagonal, 1.0]))


def test_low_rank_knows_when_it_is_thin():
    assert LowRank(np.zeros((5, 2))).thin
    assert not LowRank(np.zeros((4, 2))).thin
