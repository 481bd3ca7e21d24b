"""Lists of features that bind rows alone: the same answers as with all features at hand, in passes over the rows."""

import numpy as np
import pytest

import kernelopt
from kernelopt._families._binding import tightened
from kernelopt._families._leaf import Leaf
from kernelopt._families.features import _feature_rows, _row_lists
from kernelopt._families.features._landmark_lists import spanned
from kernelopt._families.features._row_lists import bound_by_rows, held, of_rows, rowwise, united, width_of
from kernelopt._families.variances._constant import Constant
from kernelopt._families.variances._delta import Delta
from kernelopt._linalg._gram import add
from kernelopt._linalg._tall import Held, Rowwise
from kernelopt.plugin import Part

X = np.random.default_rng(0).normal(size=(300, 3))
V = np.random.default_rng(1).normal(size=(300, 2))


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(_row_lists, "MANY", 100)
    monkeypatch.setattr(_feature_rows, "_ENTRIES", 53 * 20)


def thin(*columns, factor=1.0):
    kernels = [("linear", {}), ("poly", {"degree": 2, "coef0": 1.0})]
    family = kernelopt.Dictionary(kernels, normalize="trace").prepare(X[:, list(columns)], np.ones(len(X)))
    return spanned((Leaf(family, np.array(columns), factor=factor),), X)[0]


LEAVES = (thin(0, 2, factor=3.0), Leaf(Constant(), np.arange(3), factor=0.5), thin(1))


def test_gram_and_values_are_those_of_the_list():
    (leaf,) = rowwise((LEAVES[0],), len(X))
    data = leaf.family.bind(leaf.view(X))
    part = Part(leaf.family.dictionary().atoms, np.array([0.3, 0.7]))
    gram, whole = leaf.family.gram(part, data), LEAVES[0].family.gram(part, leaf.view(X))
    assert isinstance(gram, Rowwise)
    assert gram.dense() == pytest.approx(whole.dense(), abs=1e-12)
    assert leaf.family.gram(Part(part.atoms[1:], part.weights[1:]), data).diag() == pytest.approx(
        LEAVES[0].family.gram(Part(part.atoms[1:], part.weights[1:]), leaf.view(X)).diag()
    )
    assert leaf.family.values_of(data, V) == pytest.approx(LEAVES[0].family.values_of(leaf.view(X), V))


def test_features_of_a_union_are_those_of_the_sum():
    leaves = rowwise(LEAVES, len(X))
    data = tuple(leaf.family.bind(leaf.view(X)) for leaf in leaves)
    features, owner = united(leaves, data)
    assert features.width == len(owner) == sum(width_of(leaf) for leaf in LEAVES)
    w = np.array([0.1, 0.2, 0.3, 0.15, 0.25])
    parts = [Part(leaf.family.dictionary().atoms, some) for leaf, some in zip(leaves, np.split(w, [2, 3]), strict=True)]
    triples = zip(leaves, data, parts, strict=True)
    first, *others = (leaf.family.gram(part, one).scaled(leaf.factor) for leaf, one, part in triples)
    whole = first
    for gram in others:
        whole = add(whole, gram)
    phi = features.at(slice(None))
    assert whole.dense() == pytest.approx((phi * w[owner]) @ phi.T, abs=1e-12)


def test_features_are_held_where_there_is_room(monkeypatch):
    leaves = rowwise(LEAVES, len(X))
    data = tuple(leaf.family.bind(leaf.view(X)) for leaf in leaves)
    inside, _ = united(leaves, data)
    monkeypatch.setattr(_feature_rows, "_HELD", 100)
    outside, _ = united(leaves, data)
    assert isinstance(inside, Held)
    assert not isinstance(held(outside), Held)
    for features in (inside, outside):
        rows = np.concatenate([np.arange(len(X))[some] for some, _ in features.blocks()])
        assert sorted(rows) == list(range(len(X)))
        assert len(list(features.blocks())) > 1
    assert outside.at(np.array([7, 3])) == pytest.approx(inside.at(np.array([7, 3])), rel=1e-13)


def test_only_free_lists_of_features_on_many_rows_go_by_rows():
    assert of_rows(LEAVES, 101)
    assert not of_rows(LEAVES, 100)
    assert not of_rows((*LEAVES, Leaf(Delta(), np.arange(3))), 101)
    rough = kernelopt.Dictionary([("rbf", {"gamma": 1.0})]).prepare(X, np.ones(len(X)))
    assert not of_rows((*LEAVES, Leaf(rough, np.arange(3))), 101)
    assert not of_rows((Leaf(Constant(), np.arange(3), total=None),), 101)


def test_the_lists_themselves_come_back():
    bound = rowwise(LEAVES, 101)
    assert bound_by_rows(bound)
    assert not bound_by_rows(LEAVES)
    assert [leaf.family for leaf in tightened(bound)] == [leaf.family for leaf in LEAVES]
    assert rowwise(LEAVES, 100) is LEAVES
