"""Blocks on lists of atoms: what they hold depends on the family and on memory, what they say does not."""

import numpy as np
import pytest

import kernelopt
from kernelopt.interior import on_atoms
from kernelopt.plugin import Leaf
from kernelopt.testing import Affine, Waves

N = 9


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


def test_grams_are_kept_up_to_a_limit_of_memory_and_it_makes_no_difference(monkeypatch):
    X = np.random.default_rng(4).normal(size=(N, 2))
    family = Affine().prepare(X, np.ones(N))
    atoms, v = np.eye(3), X[:, 0]
    kept = on_atoms(Leaf(family, np.arange(2)), family.bind(X), atoms)
    monkeypatch.setattr("kernelopt._families._held_grams.HELD", 3 * 8 * N * N - 1)
    anew = on_atoms(Leaf(family, np.arange(2)), family.bind(X), atoms)
    assert kept.grams is not None
    assert anew.grams is None
    assert anew.couple(v).columns == pytest.approx(kept.couple(v).columns)
