"""Thin factors of a list of atoms against the same sums written out as matrices."""

import numpy as np
import pytest

from kernelopt._families.features._feature_lists import Factors

N = 9


@pytest.fixture(name="factors", params=[(2, 2, 2), (1, 3, 0, 2), (0, 2, 2), (5, 5), (3, 1, 2), (0, 0)], ids=str)
def _factors(request):
    rng = np.random.default_rng(len(request.param))
    owner = np.repeat(np.arange(len(request.param)), request.param)
    ridges = np.where(np.arange(len(request.param)) % 2, 0.7, 0.0)
    return Factors(rng.normal(size=(N, len(owner))), owner, ridges)


def matrices(factors):
    for a, ridge in enumerate(factors.ridges):
        F = factors.features[:, factors.owner == a]
        yield F @ F.T + ridge * np.eye(N)


def test_every_sum_is_that_of_the_matrices(factors):
    rng = np.random.default_rng(1)
    K = np.array(list(matrices(factors)))
    v, w = rng.normal(size=N), rng.uniform(0.1, 1.0, size=len(K))
    signed = rng.normal(size=len(K))
    assert factors.gram(w).dense() == pytest.approx(np.einsum("a,aij->ij", w, K), abs=1e-12)
    assert factors.images(v) == pytest.approx(np.einsum("aij,j->ia", K, v), abs=1e-12)
    V = rng.normal(size=(N, 2))
    assert factors.image(signed, V) == pytest.approx(np.einsum("a,aij,jc->ic", signed, K, V), abs=1e-12)
    assert factors.values(V) == pytest.approx(np.einsum("aij,ic,jc->a", K, V, V), abs=1e-12)


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e9])
def test_curved_is_kernel_and_schur_complement(factors, size):
    rng = np.random.default_rng(2)
    K = np.array(list(matrices(factors)))
    v, w, inverse = rng.normal(size=N), rng.uniform(0.1, 1.0, size=len(K)), size * rng.uniform(0.5, 2.0, size=len(K))
    images = np.einsum("aij,j->ia", K, v)
    wanted = np.einsum("a,aij->ij", w, K) + (images * (w * inverse)) @ images.T
    assert factors.curved(w, inverse, v).dense() == pytest.approx(wanted, rel=1e-11, abs=1e-11 * np.abs(wanted).max())


def test_no_image_no_curvature(factors):
    weights = np.ones(len(factors.ridges))
    flat = factors.curved(weights, weights, np.zeros(N)).dense()
    assert flat == pytest.approx(factors.gram(weights).dense(), abs=1e-14)


def test_some_atoms_have_the_columns_of_those_atoms(factors):
    index = np.arange(len(factors.ridges))[::-1]
    columns, place = factors.columns(index)
    for k, a in enumerate(index):
        np.testing.assert_array_equal(columns[:, place == k], factors.features[:, factors.owner == a])
