"""Landmarks: which rows stand for a kernel, what their features leave out, and sums over rows that are never held."""

import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt._families._leaf import Leaf
from kernelopt._families.features import _feature_rows
from kernelopt._families.features._feature_rows import FeatureRows, HeldRows
from kernelopt._families.features._feature_sums import Summing
from kernelopt._families.features._landmark_choice import chosen
from kernelopt._families.features._landmarks import Landmarks
from kernelopt._families.variances._constant import Constant
from kernelopt.plugin import Part

ONE = Part(np.zeros((1, 1)), np.ones(1))
X = np.random.default_rng(0).normal(size=(300, 3))


def prepared(*kernels):
    return kernelopt.Dictionary(kernels, normalize="trace").prepare(X, np.ones(len(X)))


SMOOTH = prepared(("rbf", {"gamma": 0.1}))
ROUGH = prepared(("laplacian", {"gamma": 0.5}))


def picked(family, most, enough=0.0, rows=X):
    return chosen(family, ONE, rows, most, enough, np.random.default_rng(1))


@pytest.mark.parametrize("family", [SMOOTH, ROUGH])
def test_features_are_the_kernel_wherever_a_landmark_is(family):
    found = picked(family, 40)
    Z = np.random.default_rng(2).normal(size=(50, 3))
    landmarks, new = found.kernel.features(X[found.places]), found.kernel.features(Z)
    assert landmarks @ new.T == pytest.approx(family.cross(ONE, X[found.places], Z), abs=1e-10)
    assert len(np.unique(found.places)) == len(found.places) <= 40


@pytest.mark.parametrize("family", [SMOOTH, ROUGH])
def test_what_is_left_out_is_what_the_choice_says_and_never_negative(family):
    found = picked(family, 40)
    left = Landmarks((found.kernel,)).missing(ONE, X, found.kernel.features(X))
    assert left.min() >= 0.0
    assert left.mean() == pytest.approx(found.left * family.diag(ONE, X).mean(), rel=1e-6)
    residual = family.cross(ONE, X, X) - (F := found.kernel.features(X)) @ F.T
    assert np.linalg.eigvalsh(residual).min() > -1e-9


@pytest.mark.parametrize("family", [SMOOTH, ROUGH])
def test_a_choice_knows_the_features_of_all_candidates(family):
    found = picked(family, 40)
    assert pytest.approx(found.kernel.features(X), abs=1e-9) == found.transposed.T


def test_a_choice_ends_where_more_landmarks_are_of_no_use(monkeypatch):
    monkeypatch.setattr("kernelopt._families.features._landmark_choice._AT_ONCE", 4)
    seen = []

    def vain(r, missing, prepared):
        assert prepared >= 0.0
        seen.append((r, missing))
        return r >= 12

    found = chosen(ROUGH, ONE, X, 40, 0.0, np.random.default_rng(1), vain=vain)
    assert 12 <= len(found.places) < 16
    assert not found.stopped
    assert seen[-1] == (len(found.places), pytest.approx(found.missing))
    assert found.places.tolist() == picked(ROUGH, 40).places[: len(found.places)].tolist()


def test_many_kernels_add_up_as_one_after_the_other():
    """Between many rows exponentials of one distance are added up at once, between few rows one by one."""
    kernels = [("rbf", {"gamma": 0.1}), ("rbf", {"gamma": 2.0}), ("laplacian", {"gamma": 0.5}), ("linear", {})]
    family = prepared(*kernels, ("exponential", {"gamma": 0.3}), lambda A, B: (A @ B.T) ** 2)
    part = Part(np.arange(6.0)[:, None], np.arange(1.0, 7.0))
    few = np.vstack([family.cross(part, X[i : i + 5], X) for i in range(0, len(X), 5)])
    np.testing.assert_allclose(family.cross(part, X, X), few, rtol=1e-12)


def test_a_kernel_of_few_features_takes_as_many_landmarks():
    found = picked(prepared(("linear", {})), 100)
    assert len(found.places) == 3
    assert found.left < 1e-12


def test_landmarks_end_where_enough_is_spanned():
    found = picked(SMOOTH, 300, enough=1e-3)
    assert len(found.places) < 200
    assert found.left <= 1e-3


def test_copies_of_a_row_stand_for_each_other():
    found = picked(ROUGH, 300, rows=np.repeat(X[:20], 15, axis=0))
    assert len(found.places) == 20
    assert found.left < 1e-9


def test_far_rows_are_seen_though_they_are_rare():
    rows = np.vstack([0.01 * X, X[:3] + 50.0])
    found = picked(SMOOTH, 8, rows=rows)
    assert set(range(300, 303)) & set(found.places.tolist())


LISTS = (
    Leaf(Landmarks((picked(SMOOTH, 20).kernel, picked(ROUGH, 30).kernel)), np.arange(3), factor=2.0),
    Leaf(Constant(), np.arange(3)),
)


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(_feature_rows, "_ENTRIES", 51 * 70)


@pytest.mark.usefixtures("small_blocks")
def test_features_in_blocks_are_those_at_once():
    features = FeatureRows.of(LISTS, X)
    Phi, B = features.at(slice(None)), np.random.default_rng(3).normal(size=(51, 2))
    assert features.width == 51
    assert len(list(features.blocks())) == 5
    assert features.image(B) == pytest.approx(Phi @ B)
    held = attrs.evolve(features, held=Phi)
    assert held.image(B) == pytest.approx(Phi @ B)
    assert held.only(np.arange(9)).at(slice(None)) == pytest.approx(Phi[:9])


@pytest.mark.usefixtures("small_blocks")
def test_sums_are_products_with_all_rows_and_add():
    rng = np.random.default_rng(4)
    Y, s = rng.normal(size=(300, 2)), rng.uniform(0.5, 2.0, size=300)
    features = FeatureRows.of(LISTS, X)
    Phi, rows = features.at(slice(None)), HeldRows.of(features, Y, s)
    whole, seen = rows.total(Summing(features.map))
    assert sorted(seen.places) == list(range(300))
    assert seen.features.held == pytest.approx(Phi[seen.places])
    assert np.array_equal(seen.y, Y[seen.places])
    assert whole.inner == pytest.approx(Phi.T @ (s[:, None] * Phi))
    assert whole.along == pytest.approx(Phi.T @ (s[:, None] * Y))
    assert whole.total == pytest.approx(s @ Y)
    parts = (rows.only(some).total(Summing(features.map))[0] for some in np.split(np.arange(300), [110]))
    both = next(parts).plus(next(parts))
    for name in ("inner", "along", "squares", "total", "rows"):
        assert getattr(both, name) == pytest.approx(getattr(whole, name))


@pytest.mark.usefixtures("small_blocks")
def test_a_pass_that_is_stopped_counts_the_rows_that_it_saw():
    Y, s = np.ones((300, 1)), np.ones(300)
    asked = iter([False, True])
    features = FeatureRows.of(LISTS, X)
    sums, seen = HeldRows.of(features, Y, s).total(Summing(features.map), stop=lambda: next(asked))
    assert len(np.unique(seen.places)) == seen.n == 120
    assert sums.rows == 120.0
    assert sums.squares[0, 0] == pytest.approx(120.0)
    assert np.array_equal(seen.features.X, X[seen.places])
    assert seen.features.held == pytest.approx(features.at(seen.places))


def test_features_that_are_too_many_are_not_held(monkeypatch):
    monkeypatch.setattr(_feature_rows, "_HELD", 300 * 51 - 1)
    features = FeatureRows.of(LISTS, X)
    _, seen = HeldRows.of(features, np.ones((300, 1)), np.ones(300)).total(Summing(features.map))
    assert seen.features.held is None
    assert seen.n == 300


def test_a_choice_that_is_stopped_has_some_landmarks():
    found = chosen(ROUGH, ONE, X, 300, 0.0, np.random.default_rng(1), stop=lambda r, _: r > 0)
    assert found.stopped
    assert 0 < len(found.places) < 300
    assert not picked(ROUGH, 40).stopped


@pytest.mark.usefixtures("small_blocks")
def test_each_block_has_rows_from_everywhere():
    rows = [np.arange(300)[block] for block, _ in FeatureRows.of(LISTS, X).blocks()]
    assert np.array_equal(np.sort(np.concatenate(rows)), np.arange(300))
    assert all(block.min() < 10 and block.max() > 290 for block in rows)


@pytest.mark.parametrize("atoms", [[0], [1], [1, 0]])
def test_values_need_no_features(atoms):
    """Nearly singular kernels lose digits, of features as of values."""
    family = LISTS[0].family
    chosen_atoms = np.array(atoms, dtype=float)[:, None]
    Phi, _ = family.columns(chosen_atoms, X)
    B = np.random.default_rng(5).normal(size=(Phi.shape[1], 2))
    assert family.image(chosen_atoms, X, B) == pytest.approx(Phi @ B, abs=1e-7)
