"""Weights on atoms whose kernels have more features: the block, as factors and as matrices."""

import numpy as np
import pytest
from kernelopt_cosine import Cosine
from kernelopt_gaussian import Gaussian

from kernelopt.interior import on_atoms, on_tangents
from kernelopt.interior._tangent_block import TangentBlock
from kernelopt.interior._weight_block import WeightBlock
from kernelopt.plugin import Leaf, Part

n = 30
rng = np.random.default_rng(5)
X = rng.normal(size=(n, 2))
v = rng.normal(size=n)


def blocks(family, atoms, columns):
    """The block, the leaf's plain one, and the further Grams."""
    family = family.prepare(X, np.ones(n))
    leaf, data = Leaf(family, np.arange(2), 0.7), family.bind(X)
    tangents = tuple(rng.normal(size=(n, columns)) for _ in range(2))
    more = [0.7 * F @ F.T for F in tangents] + [np.zeros((n, n))] * (len(atoms) - 2)
    return on_tangents(leaf, data, atoms, tangents), on_atoms(leaf, data, atoms), np.array(more)


CASES = [
    pytest.param(Cosine(), rng.normal(size=(4, 2)), 3, WeightBlock, id="factors"),
    pytest.param(Cosine(), rng.normal(size=(4, 2)), 60, TangentBlock, id="matrices"),
    pytest.param(Gaussian(), np.array([[0.1], [0.5], [1.0]]), 1, TangentBlock, id="no-features"),
]


@pytest.mark.parametrize(("family", "atoms", "columns", "kind"), CASES)
def test_the_further_features_come_on_top(family, atoms, columns, kind):
    block, plain, more = blocks(family, atoms, columns)
    assert type(block) is kind
    S = rng.uniform(0.1, 1.0, size=len(atoms))
    added = np.tensordot(S, more, 1)
    np.testing.assert_allclose(block.gram(S).dense(), plain.gram(S).dense() + added, atol=1e-10)
    np.testing.assert_allclose(block.couple(v).apply(S), plain.couple(v).apply(S) + added @ v, atol=1e-10)
    some = np.array([1, 7, 20])
    np.testing.assert_allclose(block.couple(v, some).apply(S), block.couple(v).apply(S)[some], atol=1e-12)
    V = rng.normal(size=(n, 2))
    np.testing.assert_allclose(block.image(S - 0.5, V), plain.image(S - 0.5, V) + np.tensordot(S - 0.5, more, 1) @ V)
    np.testing.assert_allclose(block.adjoint(v), plain.adjoint(v) + np.array([v @ K @ v for K in more]))


@pytest.mark.parametrize(("family", "atoms", "columns", "kind"), CASES)
def test_the_atoms_are_those_of_the_family(family, atoms, columns, kind):
    block, plain, _ = blocks(family, atoms, columns)
    S = rng.uniform(0.1, 1.0, size=len(atoms))
    np.testing.assert_array_equal(block.part(S).atoms, plain.part(S).atoms)
    np.testing.assert_array_equal(block.parameters(Part(atoms, S)), S)
    np.testing.assert_array_equal(block.start, plain.start)


def test_without_tangents_it_is_the_plain_block():
    leaf = Leaf(Cosine().prepare(X, np.ones(n)), np.arange(2))
    assert isinstance(on_tangents(leaf, leaf.family.bind(X), rng.normal(size=(3, 2)), ()), WeightBlock)
