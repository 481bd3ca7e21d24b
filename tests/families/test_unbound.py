"""A family that binds nothing n x n keeps the laws of the family inside."""

import numpy as np
import pytest

import kernelopt
from kernelopt._families._binding import loosened, of_a_set, tightened
from kernelopt._families._unbound import Loose
from kernelopt._families.dictionary._streamed import HeldList
from kernelopt._linalg._wide import Wide
from kernelopt.plugin import Leaf, NotEnoughMemory, Query
from kernelopt.testing import Affine, Columns, FamilySuite


class LooseLaws(FamilySuite):
    """What `prepare` does is the inner family's business: it comes prepared."""

    any_columns = False

    def inner(self):
        raise NotImplementedError

    def family(self):
        X = np.random.default_rng([self.seed, 0]).normal(size=(self.n, self.d))
        return Loose(self.inner().prepare(X, np.ones(self.n)))

    def random_atoms(self, family, data, rng, k):
        return super().random_atoms(family.family, data, rng, k)


class TestLooseMatrix(LooseLaws):
    def inner(self):
        return Affine()

    def naive_gram(self, family, part, X):
        Z = np.column_stack([np.ones(len(X)), X])
        return sum(w * np.outer(Z @ p, Z @ p) for p, w in zip(part.atoms, part.weights, strict=True))


class TestLooseList(LooseLaws):
    def inner(self):
        return Columns()

    def naive_gram(self, family, part, X):
        pairs = zip(part.atoms[:, 0].astype(int), part.weights, strict=True)
        return sum(w * np.outer(X[:, j], X[:, j]) for j, w in pairs)


class TestLooseKernels(LooseLaws):
    """Kernels that are computed pair by pair, with a size that was fixed on other rows."""

    def inner(self):
        return kernelopt.Dictionary([("rbf", {"gamma": 0.7}), ("rbf", {"gamma": 0.1})], normalize=None)

    def naive_gram(self, family, part, X):
        squares = np.array([[np.sum((x - z) ** 2) for z in X] for x in X])
        gammas = np.where(part.atoms[:, 0] == 0.0, 0.7, 0.1)
        return sum(w * np.exp(-g * squares) for g, w in zip(gammas, part.weights, strict=True))


class TestLooseIdentity(LooseLaws):
    def inner(self):
        return kernelopt.Delta()

    def naive_gram(self, family, part, X):
        return part.mass * np.eye(len(X))


@pytest.fixture(name="counting")
def _counting(monkeypatch):
    bound = []

    class Counting(Affine):
        def prepare(self, X, weight):
            return Counting(X.shape[1])

        def bind(self, X):
            bound.append(len(X))
            return super().bind(X)

    return Counting, bound


def test_the_oracle_binds_the_support_vectors_alone(counting):
    family, bound = counting
    rng = np.random.default_rng(1)
    X, V = rng.normal(size=(50, 3)), np.zeros((50, 2))
    V[[3, 9, 20], 0], V[[9, 41], 1] = rng.normal(size=3), rng.normal(size=2)
    prepared = family().prepare(X, np.ones(50))
    loose = Loose(prepared)
    found = loose.best_atoms(loose.bind(X), V, Query(k=2))
    assert bound == [4]
    wanted = prepared.best_atoms(X, V, Query(k=2))
    assert found.ceiling == pytest.approx(wanted.ceiling)
    assert found.atoms == pytest.approx(wanted.atoms)
    assert found.exact


def test_the_oracle_answers_at_zero():
    X = np.random.default_rng(1).normal(size=(50, 3))
    loose = Loose(Affine().prepare(X, np.ones(50)))
    found = loose.best_atoms(X, np.zeros((50, 1)), Query())
    assert found.ceiling == pytest.approx(0.0, abs=1e-12)


def test_loosened_and_tightened_are_inverse():
    X = np.random.default_rng(2).normal(size=(5, 3))
    leaves = (
        Leaf(Affine().prepare(X, np.ones(5)), np.arange(3), 0.7),
        Leaf(kernelopt.Delta(), np.arange(3), 1.0),
    )
    again = tightened(loosened(leaves))
    for one, other in zip(leaves, again, strict=True):
        assert one.family is other.family
        assert one.factor == other.factor
    assert all(isinstance(leaf.family, Loose) for leaf in loosened(leaves))


def test_a_whole_gram_is_formed_only_where_it_fits(monkeypatch):
    X = np.random.default_rng(3).normal(size=(30, 2))
    loose = Loose(Affine().prepare(X, np.ones(30)))
    gram = loose.gram(loose.center(), X)
    assert isinstance(gram, Wide)
    monkeypatch.setattr("kernelopt._base._memory.available_bytes", lambda: 8 * 30 * 30 - 1)
    monkeypatch.setattr("kernelopt._base._memory.LITTLE", 0)
    with pytest.raises(NotEnoughMemory):
        gram.dense()


def test_the_long_list_of_a_set_is_held_in_little_memory_and_says_the_same(monkeypatch):
    rng = np.random.default_rng(5)
    X, V = rng.normal(size=(300, 3)), rng.normal(size=(300, 2))
    listed = kernelopt.Dictionary().prepare(X, np.ones(300))
    leaves = loosened((Leaf(listed, np.arange(3)),))
    assert of_a_set(leaves, 100)[0].family is listed
    held = of_a_set(leaves, 300)[0].family
    assert isinstance(held, HeldList)
    data, whole = held.bind(X), listed.bind(X)
    halves = sum(tile.nbytes for gram in data.tiles.grams for tile in gram)
    assert halves + data.factors.features.nbytes < 0.3 * whole.nbytes
    part = listed.dictionary()
    np.testing.assert_allclose(held.gram(part, data).dense(), listed.gram(part, whole).dense(), atol=1e-12)
    np.testing.assert_allclose(held.columns_of(data, V), listed.columns_of(whole, V), atol=1e-10)
    np.testing.assert_allclose(held.values_of(data, V), listed.values_of(whole, V), rtol=1e-10)
    once = held.bind_once(X)
    monkeypatch.setattr("kernelopt._families.dictionary.grams._hybrid_storage._LITTLE", 0)
    unheld = held.bind_once(X)
    assert once.tiles.m < unheld.tiles.m == len(part)
    np.testing.assert_allclose(held.columns_of(once, V), held.columns_of(unheld, V), atol=1e-10)
