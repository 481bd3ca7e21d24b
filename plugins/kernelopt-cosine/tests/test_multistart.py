"""The oracle: what it finds, from where, and what it says of it."""

import math

import attrs
import numpy as np
import pytest
from kernelopt_cosine import Cosine
from kernelopt_cosine._local_maxima import Peaks, oriented
from kernelopt_cosine._multistart import Plan, climb, random_frequencies, search

from kernelopt.plugin import Part, Query

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 5))
V = RNG.normal(size=(40, 2))


def prepared(rows=X, **options):
    return Cosine(**({"beta": 0.05} | options)).prepare(rows, np.ones(len(rows)))


def worth(family, atoms, v=V):
    features, owner = family.columns(atoms, X)
    sums = np.sum((features.T @ v) ** 2, axis=1)
    return np.bincount(owner, sums, minlength=len(atoms))


def test_more_effort_never_lowers_the_ceiling():
    family = prepared(starts=64, repeats=1)
    ceilings = [family.best_atoms(X, V, Query(seed=3, effort=effort)).ceiling for effort in (0.5, 1, 2, 4, 8)]
    assert (np.diff(ceilings) >= -1e-12 * ceilings[0]).all()


def test_the_starts_of_a_longer_search_begin_with_those_of_a_shorter(make_landscape):
    landscape = make_landscape(d=6, beta=1e-3)
    none = np.zeros((0, 6))
    short, long = (search(landscape, none, 0.0, Plan(4, 64, 5).longer(effort)) for effort in (1.0, 3.0))
    assert short.starts < long.starts
    gaps = np.abs(short.peaks.frequencies[:, None] - long.peaks.frequencies).max(axis=2).min(axis=1)
    assert (gaps <= 1e-3).all()


def test_another_seed_finds_the_same_best():
    found = [prepared().best_atoms(X, V, Query(seed=seed)).ceiling for seed in range(5)]
    assert max(found) == pytest.approx(min(found), rel=1e-9)


def test_the_best_are_local_maxima_best_first_and_none_twice():
    family = prepared()
    best = family.best_atoms(X, V, Query(k=6))
    assert len(best.atoms) == 6
    assert (np.diff(best.values) <= 0.0).all()
    np.testing.assert_allclose(best.values, worth(family, best.atoms), rtol=1e-10)
    slope = family.pullback(_equal(best.atoms), X, V).atoms
    assert np.abs(slope).max() <= 1e-4 * best.values[0]
    for a in range(6):
        others = np.delete(best.atoms, a, axis=0)
        for sign in (1.0, -1.0):
            assert np.abs(others - sign * best.atoms[a]).max(axis=1).min() > 1e-3


def _equal(atoms):
    return Part(atoms, np.full(len(atoms), 1.0 / len(atoms)))


def test_a_frequency_that_is_near_is_a_start():
    """Rows on a lattice have a narrow peak far out, which no random start finds; given, it is the answer."""
    rows = np.arange(48.0)[:, None]
    v = np.cos(2.9 * rows) + 0.01 * np.sin(0.5 * rows)
    family = Cosine(beta=1e-6, rescale=None, search="starts", starts=1, repeats=1).prepare(rows, np.ones(48))
    peak = 2.9
    given = family.best_atoms(rows, v, Query(near=np.array([[peak + 1e-3]])))
    assert given.values[0] >= worth_of(family, rows, v, peak)
    np.testing.assert_allclose(given.atoms[0], peak, atol=0.02)


def worth_of(family, rows, v, frequency):
    features, _ = family.columns(np.array([[frequency]]), rows)
    return float(np.sum((features.T @ v) ** 2))


def test_the_constant_is_found_where_it_is_best():
    v = np.abs(V[:, :1])
    best = prepared().best_atoms(X, v, Query())
    np.testing.assert_allclose(best.atoms, 0.0, atol=1e-6)
    assert best.values[0] == pytest.approx(float(v.sum() ** 2))


@pytest.mark.parametrize("rows", [X[:1], np.repeat(X[:1], 4, axis=0)])
def test_one_support_row_needs_no_search(rows):
    v = np.arange(1.0, 1.0 + len(rows))[:, None]
    best = prepared().best_atoms(rows, v, Query(k=3))
    assert best.exact
    assert best.ceiling == best.values[0] == pytest.approx(float(v.sum() ** 2))


def test_rows_without_weight_do_not_count():
    v = np.where(np.arange(40)[:, None] % 3 == 0, V, 0.0)
    few = v.any(axis=1)
    whole, part = (prepared().best_atoms(rows, vs, Query(k=3)) for rows, vs in ((X, v), (X[few], v[few])))
    np.testing.assert_array_equal(whole.atoms, part.atoms)


def test_l1_leaves_columns_out():
    dense, sparse = (prepared(beta=0.5, norm=norm).best_atoms(X, V, Query()).atoms[0] for norm in ("l2", "l1"))
    assert np.count_nonzero(sparse) < np.count_nonzero(dense) == 5


@pytest.mark.parametrize(("d", "search_", "exact"), [(2, "auto", True), (2, "starts", False), (3, "auto", False)])
def test_what_is_proved(d, search_, exact):
    family = Cosine(beta=0.1, search=search_).prepare(X[:, :d], np.ones(40))
    best = family.best_atoms(X[:, :d], V, Query())
    assert best.exact == exact
    assert ("proved" in best.note) == exact
    assert "starts" in best.note


def test_auto_does_not_prove_what_costs_too_much():
    family = Cosine(beta=1e-9).prepare(X[:, :2], np.ones(40))
    assert not family.best_atoms(X[:, :2], V, Query()).exact


def test_random_frequencies_lie_within_the_radius_at_every_scale():
    found = random_frequencies(np.random.default_rng(0), 3000, 4, 7.0)
    size = np.linalg.norm(found, axis=1)
    assert size.max() <= 7.0 * (1 + 1e-12)
    assert (size < 0.2).any()
    assert (size > 6.5).any()
    assert ((found == 0.0).sum(axis=1) >= 2).any()


def test_peaks_are_merged_up_to_sign():
    a, b = np.array([[1.0, -2.0]]), np.array([[0.5, 0.1]])
    peaks = Peaks.none(2).merged(np.vstack([a, -a, b, a + 1e-6]), np.array([3.0, 3.0, 5.0, 3.0]))
    np.testing.assert_allclose(peaks.frequencies, [[0.5, 0.1], [-1.0, 2.0]], atol=1e-5)
    assert peaks.repeats == 2
    tied = np.array([[1.0, -1.0 + 1e-9], [-1.0 + 1e-9, 1.0]])
    assert len(Peaks.none(2).merged(tied, np.ones(2))) == 1
    tied = np.array([[1.0, -1.0 + 1e-9], [1.0 - 1e-9, -1.0]])
    assert len(Peaks.none(2).merged(tied, np.ones(2))) == 1
    assert np.array_equal(oriented(-a), oriented(a))
    assert math.isclose(peaks.best, 5.0)


@pytest.mark.parametrize("size", [1e-30, 1.0, 1e30])
@pytest.mark.parametrize("norm", ["l2", "l1"])
def test_starts_near_a_maximum_climb_to_it(make_landscape, norm, size):
    """Most of the way in single precision, and many of them together: the end is exact, and each one's own."""
    landscape = make_landscape(d=4, beta=0.05, norm=norm)
    landscape = attrs.evolve(landscape, V=size * landscape.V)
    peaks = search(landscape, np.zeros((0, 4)), 0.0, Plan(4, 256, 0)).peaks.frequencies[:6]
    assert len(peaks) == 6
    starts = np.repeat(peaks, 3, axis=0) + 0.01 * RNG.normal(size=(18, 4))
    starts[::2] *= -1.0
    reached = oriented(climb(landscape, starts))
    np.testing.assert_allclose(reached, np.repeat(peaks, 3, axis=0), atol=1e-4)
