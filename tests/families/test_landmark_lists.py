"""Lists of which few rows span every kernel: the same kernels as features, or no list at all."""

import numpy as np
import pytest

import kernelopt
from kernelopt._families._leaf import Leaf
from kernelopt._families.features import _landmark_lists
from kernelopt._families.features._landmark_lists import spanned
from kernelopt._families.variances._constant import Constant
from kernelopt._rows._coded import Block
from kernelopt.plugin import Part

X = np.random.default_rng(0).normal(size=(500, 4))
THIN = (("linear", {}), ("poly", {"degree": 2, "coef0": 1.0}), ("rbf", {"gamma": 1e-4}))
ROUGH = (*THIN, ("laplacian", {"gamma": 0.5}))


def leaf_of(*kernels, rows=X, columns=(0, 1, 2, 3)):
    family = kernelopt.Dictionary(kernels, normalize="trace").prepare(rows[:, list(columns)], np.ones(len(rows)))
    return Leaf(family, np.array(columns), factor=3.0)


@pytest.mark.parametrize("columns", [(0, 1, 2, 3), (2, 0)])
def test_features_are_the_same_kernels_in_the_same_order(columns):
    leaf = leaf_of(*THIN, columns=columns)
    (thin,) = spanned((leaf,), X)
    assert thin.factor == leaf.factor
    assert thin.family.dictionary().atoms.tolist() == leaf.family.dictionary().atoms.tolist()
    for atom in leaf.family.dictionary().atoms:
        part = Part(atom[None], np.array([0.7]))
        wanted = leaf.family.cross(part, leaf.view(X), leaf.view(X))
        found = thin.family.cross(part, leaf.view(X), leaf.view(X))
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6 * wanted.max())


def test_a_kernel_that_takes_many_rows_leaves_the_list_as_it_is():
    assert spanned((leaf_of(*ROUGH),), X) == (None,)


def test_what_has_features_is_left_as_it_is():
    assert spanned((Leaf(Constant(), np.arange(4)),), X) == (None,)


def test_rows_outside_the_first_look_are_spanned_as_well(monkeypatch):
    monkeypatch.setattr(_landmark_lists, "_CANDIDATES", 20)
    rows = np.vstack([X[:, :2], [[40.0, 40.0], [-40.0, 40.0]]])
    leaf = leaf_of(("rbf", {"gamma": 0.02}), rows=rows, columns=(0, 1))
    (thin,) = spanned((leaf,), rows)
    part = Part(np.zeros((1, 1)), np.ones(1))
    assert thin.family.diag(part, rows) == pytest.approx(leaf.family.diag(part, rows), rel=1e-6)


class Passes:
    """Rows in two parts, which count how often they are gone over."""

    def __init__(self):
        self.count = 0

    def total(self, work):
        self.count += 1
        half = len(X) // 2
        parts = [work(Block(part, np.zeros((len(part), 0)), np.ones(len(part)))) for part in (X[:half], X[half:])]
        return parts[0].plus(parts[1]), self


def test_all_lists_are_looked_for_in_the_same_passes():
    leaves = (leaf_of(*THIN), Leaf(Constant(), np.arange(4)), leaf_of(*ROUGH), leaf_of(("linear", {}), columns=(1, 2)))
    passes, alone = Passes(), [Passes() for _ in leaves]
    together = spanned(leaves, X[:100], passes)
    one_by_one = [spanned((leaf,), X[:100], each)[0] for leaf, each in zip(leaves, alone, strict=True)]
    assert [thin is None for thin in together] == [False, True, True, False]
    assert [thin is None for thin in one_by_one] == [False, True, True, False]
    assert passes.count == max(each.count for each in alone)
    for thin, other in ((together[0], one_by_one[0]), (together[3], one_by_one[3])):
        part = Part(thin.family.dictionary().atoms, np.ones(thin.family.order))
        assert np.array_equal(thin.family.diag(part, thin.view(X)), other.family.diag(part, other.view(X)))
