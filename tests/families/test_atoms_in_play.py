"""The atoms of a searched family that are in play: a list of its own, whose Grams are held where memory allows it."""

import numpy as np
import pytest
from kernelopt_gaussian import Gaussian
from kernelopt_metric import Metric
from kernelopt_tk import TK

from kernelopt._families._atom_subset import ActiveGrams, active
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Part
from kernelopt._linalg._gram import LowRank

N = 30


@pytest.fixture(name="problem", params=[Gaussian, Metric, TK], ids=lambda family: family.name)
def _problem(request):
    """A leaf, its data and some atoms."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(N, 2))
    family = request.param().prepare(X, np.ones(N))
    return Leaf(family, np.arange(2), 0.5), family.bind(X), family.draw(4, rng)


def test_all_that_is_asked_of_held_grams_is_what_the_family_says(problem, monkeypatch):
    leaf, data, atoms = problem
    holding, held = active(leaf, data, atoms)
    monkeypatch.setattr("kernelopt._families._held_grams.HELD", 4 * 8 * N * N - 1)
    computing, anew = active(leaf, data, atoms)
    assert isinstance(holding.family, ActiveGrams)
    assert not isinstance(computing.family, ActiveGrams)
    rng = np.random.default_rng(6)
    V, part = rng.normal(size=(N, 2)), Part(np.array([[2.0], [0.0], [2.0]]), np.array([0.3, 0.0, -1.5]))
    omega = LowRank(rng.normal(size=(N, 3)), 0.1)
    for asked in (
        lambda one, bound: one.gram(part, bound).dense(),
        lambda one, bound: one.apply(part, bound, V),
        lambda one, bound: one.columns_of(bound, V),
        lambda one, bound: one.values_of(bound, V),
        lambda one, bound: one.traces(bound, omega),
        lambda one, bound: one.dictionary().atoms,
    ):
        assert asked(holding.family, held) == pytest.approx(asked(computing.family, anew), rel=1e-9, abs=1e-12)


def test_a_kernel_in_play_is_computed_once(problem, monkeypatch):
    leaf, data, atoms = problem
    found, bound = active(leaf, data, atoms)
    for computes in ("gram", "apply"):
        monkeypatch.setattr(type(leaf.family), computes, None)
    V = np.random.default_rng(6).normal(size=(N, 1))
    found.family.gram(found.family.dictionary(), bound)
    found.family.values_of(bound, V)
    found.family.traces(bound, LowRank(V))


def test_the_list_binds_rows_itself(problem):
    leaf, data, atoms = problem
    X = np.random.default_rng(7).normal(size=(N, 2))
    alone, _ = active(leaf, data, atoms)
    _, wanted = active(leaf, leaf.family.bind(X), atoms)
    assert alone.family.bind(X) == pytest.approx(wanted)
    assert alone.family.bind_bytes(N, 2) >= wanted.nbytes


def test_no_atoms_are_a_list_of_none(problem):
    leaf, data, atoms = problem
    empty, _ = active(leaf, data, atoms[:0])
    assert len(empty.family.dictionary()) == 0
