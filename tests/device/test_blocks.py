"""Products with features of a block, and sums over its rows: those of numpy, in every library of arrays."""

import pickle

import attrs
import numpy as np
import pytest

from kernelopt._base._errors import InvalidData
from kernelopt._device._blocks import DeviceBlock, Factor
from kernelopt._device._gram import DeviceGram
from kernelopt._linalg._feature_block import HeldBlock

RNG = np.random.default_rng(0)
PHI = RNG.normal(size=(60, 7))
WEIGHT = RNG.uniform(0.0, 3.0, size=60)


@pytest.mark.parametrize("weight", [np.ones(60), WEIGHT], ids=["plain", "weighted"])
def test_answers_are_those_of_features_in_memory(arrays, weight):
    here, there = HeldBlock(PHI), DeviceBlock(arrays, arrays.put(PHI))
    assert there.inner(weight) == pytest.approx(here.inner(weight), rel=1e-12, abs=1e-12)
    assert here.inner(weight) == pytest.approx(PHI.T @ np.diag(weight) @ PHI, rel=1e-12, abs=1e-12)
    for question in (
        lambda block: block.times(np.ones((7, 2))),
        lambda block: block.sums(weight[:, None]),
        lambda block: block.rows(np.array([3, 59])),
        lambda block: block.squares(np.arange(7.0)),
    ):
        assert question(there) == pytest.approx(question(here), rel=1e-12, abs=1e-12)


def test_a_matrix_of_sums_is_symmetric_to_the_bit(arrays):
    found = DeviceBlock(arrays, arrays.put(PHI)).inner(WEIGHT)
    assert np.array_equal(found, found.T)


def test_single_precision_is_right_to_its_digits(arrays):
    single = attrs.evolve(arrays, single=True)
    found = DeviceBlock(single, single.put(PHI)).inner(WEIGHT)
    assert found.dtype == np.float64
    assert found == pytest.approx(HeldBlock(PHI).inner(WEIGHT), rel=1e-4, abs=1e-4)


def test_features_that_are_not_finite_are_refused(arrays):
    with pytest.raises(InvalidData, match="scale the columns of X"):
        DeviceBlock(arrays, arrays.put(np.where(PHI > 2.0, np.nan, PHI))).inner(np.ones(60))


@pytest.mark.parametrize("gamma", [0.05, 30.0], ids=["steep", "flat"])
def test_landmarks_features_solve_with_the_factor_to_rounding(arrays, gamma):
    Z, X = np.linspace(-2.0, 2.0, 12), RNG.normal(size=200)
    lower = np.linalg.cholesky(np.exp(-gamma * (Z[:, None] - Z) ** 2) + 1e-12 * np.eye(12))
    cross = np.exp(-gamma * (X[:, None] - Z) ** 2)
    factor = Factor.of(arrays, lower)
    phi = arrays.back(factor.features(arrays.put(cross)))
    assert (np.linalg.cond(lower) > 1e5) == (factor.lower is not None)
    assert np.abs(phi @ lower.T - cross).max() < 2e-15
    assert arrays.back(arrays.put(cross) @ factor.solved(np.eye(12))) == pytest.approx(phi, abs=1e-7)


def test_a_gram_in_blocks_is_the_whole_one(arrays, monkeypatch):
    monkeypatch.setattr("kernelopt._device._gram._ENTRIES", 60 * 13)
    K, looked = PHI @ PHI.T, []

    def between(rows, columns):
        looked.append((rows.stop - rows.start) * (columns.stop - columns.start))
        return arrays.put(K[rows, columns])

    gram = DeviceGram.of(arrays, 60, between, lambda share: False)
    assert max(looked) <= 60 * 13
    assert sum(looked) < 0.7 * 60 * 60
    assert gram.image(PHI) == pytest.approx(K @ PHI, rel=1e-4, abs=1e-3)
    assert gram.between(np.array([5, 59]), PHI) == pytest.approx((K @ PHI)[[5, 59]], rel=1e-4, abs=1e-3)


def test_a_gram_ends_where_it_is_to_stop(arrays, monkeypatch):
    monkeypatch.setattr("kernelopt._device._gram._ENTRIES", 60 * 13)
    assert DeviceGram.of(arrays, 60, lambda r, c: arrays.zeros(len(PHI[r]), len(PHI[c])), lambda s: s > 0.1) is None


def test_arrays_travel_to_other_processes(arrays):
    assert pickle.loads(pickle.dumps(arrays)) == arrays
