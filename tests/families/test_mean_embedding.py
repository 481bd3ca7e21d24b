"""Rows that lack what a list of kernels sees: the mean of the others, in feature space, stands for it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelopt
from kernelopt._families.dictionary._mean_embedding import MeanEmbedded
from kernelopt.plugin import Part

ONE = np.ones(1)
KERNELS = kernelopt.Dictionary((("rbf", {"gamma": 0.3}), "laplacian", "linear"), rescale="standard")


def problem(seed, n=24, m=9):
    """Training rows and new rows, of which some lack all, weights, and the family."""
    rng = np.random.default_rng(seed)
    X, Z = rng.normal(size=(n, 3)), rng.normal(size=(m, 3))
    X[rng.permutation(n)[:7]] = np.nan
    Z[:4] = np.nan
    weight = rng.integers(1, 4, n).astype(float)
    return X, Z, weight, MeanEmbedded(KERNELS).prepare(X, weight)


def atom(family, a):
    return Part(family.dictionary().atoms[a][None], ONE)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=15)
def test_a_row_that_lacks_it_is_the_mean_of_those_that_have_it(seed):
    X, Z, weight, family = problem(seed)
    here, new = ~np.isnan(X[:, 0]), ~np.isnan(Z[:, 0])
    plain, share = KERNELS.prepare(X[here], weight[here]), weight[here] / weight[here].sum()
    for a in range(3):
        part = atom(family, a)
        K = family.cross(part, Z, X)
        within = plain.cross(part, X[here], X[here])
        np.testing.assert_allclose(K[np.ix_(new, here)], plain.cross(part, Z[new], X[here]), atol=1e-12)
        for row in K[~new]:
            np.testing.assert_allclose(row[here], share @ within, atol=1e-12)
            np.testing.assert_allclose(row[~here], share @ within @ share, atol=1e-12)
        for column in K[new][:, ~here].T:
            np.testing.assert_allclose(column, plain.cross(part, Z[new], X[here]) @ share, atol=1e-12)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=15)
def test_it_stays_a_kernel_and_training_and_prediction_have_the_same(seed):
    X, Z, _, family = problem(seed)
    data = family.bind(X)
    every = np.vstack([X, Z])
    for a in range(3):
        part = atom(family, a)
        np.testing.assert_allclose(family.gram(part, data).matrix, family.cross(part, X, X), atol=1e-12)
        np.testing.assert_allclose(family.stored(data, part.atoms[0]), family.cross(part, X, X), atol=1e-12)
        K = family.cross(part, every, every)
        np.testing.assert_allclose(family.diag(part, every), np.diagonal(K), atol=1e-12)
        assert np.linalg.eigvalsh((K + K.T) / 2).min() > -1e-10 * np.trace(K)


def test_a_mixture_is_the_sum_of_its_atoms_and_compact_is_the_same_kernel():
    X, Z, _, family = problem(3)
    part = Part(family.dictionary().atoms, np.array([0.2, 0.0, 0.8]))
    total = 0.2 * family.cross(atom(family, 0), Z, X) + 0.8 * family.cross(atom(family, 2), Z, X)
    np.testing.assert_allclose(family.cross(part, Z, X), total, atol=1e-12)
    np.testing.assert_allclose(family.gram(part, family.bind(X)).matrix, family.cross(part, X, X), atol=1e-12)
    fewer, small = family.compact(part)
    np.testing.assert_array_equal(fewer.cross(small, Z, X), family.cross(part, Z, X))
    assert len(fewer.dictionary()) == 2


def test_a_row_of_weight_k_counts_as_k_rows():
    X, Z, weight, family = problem(5)
    copies = np.repeat(X, weight.astype(int), axis=0)
    same = MeanEmbedded(KERNELS).prepare(copies, np.ones(len(copies)))
    part = atom(family, 0)
    np.testing.assert_allclose(family.cross(part, Z, X), same.cross(part, Z, X), atol=1e-12)


def test_rows_without_gaps_have_the_list_itself_and_all_rows_may_lack_it():
    X, Z, weight, family = problem(7)
    part, here = atom(family, 1), ~np.isnan(X[:, 0])
    plain = KERNELS.prepare(X[here], weight[here])
    np.testing.assert_array_equal(family.cross(part, Z[4:], X[here]), plain.cross(part, Z[4:], X[here]))
    np.testing.assert_array_equal(family.bind(X[here]), plain.bind(X[here]))
    assert np.ptp(family.cross(part, Z[:4], X[~here])) == 0.0
    assert np.ptp(family.bind(X[~here])[1]) == 0.0


def test_of_many_rows_a_thousand_have_a_share():
    X = np.random.default_rng(0).normal(size=(1500, 1))
    X[0] = np.nan
    family = MeanEmbedded(kernelopt.Dictionary((("rbf", {"gamma": 1.0}),))).prepare(X, np.ones(1500))
    assert (family.present.shape, family.share.sum()) == ((1000, 1), pytest.approx(1.0))
    part = atom(family, 0)
    exact = family.family.cross(part, X[1:], X[1:])
    assert family.diag(part, X[:1])[0] == pytest.approx(exact.mean(), rel=0.1)
    assert np.abs(family.cross(part, X[:1], X[1:])[0] - exact.mean(axis=0)).max() < 0.1 * exact.max()


def test_two_rows_at_least_have_it():
    X = np.full((5, 2), np.nan)
    X[1] = 1.0
    with pytest.raises(kernelopt.InvalidData, match="1 training rows have a view, wanted two at least"):
        MeanEmbedded(KERNELS).prepare(X, np.ones(5))
