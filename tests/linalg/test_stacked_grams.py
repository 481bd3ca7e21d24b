"""Sums and products over several Gram matrices in one array, by numpy for few rows and short lists, else compiled."""

import numpy as np
import pytest

from kernelopt._linalg._stacked_grams import forms, images, weighted_sum


@pytest.fixture(params=[1, 200, 500, 501])
def grams(request):
    F = np.random.default_rng(request.param).normal(size=(4, request.param, 3))
    return F @ F.transpose(0, 2, 1)


def test_a_short_list_compiles_nothing_and_a_long_one_does(monkeypatch):
    monkeypatch.setattr("kernelopt._linalg._compiled_rows.add_up", None)
    ones = np.ones(2)
    weighted_sum(np.ones((2, 300, 300)), np.arange(2), ones)
    monkeypatch.setattr("kernelopt._linalg._stacked_grams._ENTRIES", 2 * 300 * 300 - 1)
    with pytest.raises(TypeError):
        weighted_sum(np.ones((2, 300, 300)), np.arange(2), ones)


def test_a_sum_is_that_of_its_terms_and_symmetric(grams):
    index, weights = np.array([2, 0, 2]), np.array([0.3, 1.7, 0.5])
    total = weighted_sum(grams, index, weights)
    np.testing.assert_allclose(total, 0.8 * grams[2] + 1.7 * grams[0], rtol=1e-12, atol=1e-12)
    assert np.array_equal(total, total.T)


@pytest.mark.parametrize("outputs", [1, 3])
def test_products_and_forms_are_those_of_each_matrix(grams, outputs):
    V = np.random.default_rng(1).normal(size=(grams.shape[1], outputs))
    V[::3] = 0.0
    products = images(grams, V)
    assert products.shape == (4, *V.shape)
    for K, product, form in zip(grams, products, forms(grams, V), strict=True):
        np.testing.assert_allclose(product, K @ V, rtol=1e-10, atol=1e-10)
        assert form == pytest.approx(np.vdot(V, K @ V), rel=1e-9, abs=1e-9)
