"""A product with a symmetric matrix of which one half is read."""

import numpy as np
import pytest

from kernelopt._linalg._gram import Dense
from kernelopt._linalg._lapack import symmetric_product


def _symmetric(n: int) -> np.ndarray:
    K = np.random.default_rng(n).normal(size=(n, n))
    return K + K.T


@pytest.mark.parametrize("n", [1, 200, 201, 330])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (2,), (4,), (5,)], ids=str)
def test_the_product_is_that_of_the_whole_matrix(n: int, shape: tuple[int, ...]) -> None:
    K, V = _symmetric(n), np.random.default_rng(1).normal(size=(n, *shape))
    for matrix in (K, np.asfortranarray(K), np.ascontiguousarray(np.repeat(K, 2, axis=1))[:, ::2]):
        product = symmetric_product(matrix, V)
        assert product.shape == V.shape
        np.testing.assert_allclose(product, K @ V, rtol=1e-12, atol=1e-12 * n)


@pytest.mark.parametrize("order", ["C", "F"])
def test_one_half_of_a_large_matrix_is_read(order: str) -> None:
    K = _symmetric(300)
    half = np.array(np.tril(K) if order == "F" else np.triu(K), order=order)
    v = np.random.default_rng(2).normal(size=(300, 2))
    np.testing.assert_allclose(symmetric_product(half, v), K @ v, rtol=1e-12, atol=1e-10)


def test_a_gram_of_few_rows_or_many_and_coefficients_that_are_strided_have_the_same_product() -> None:
    V = np.random.default_rng(3).normal(size=(600, 8))[:, ::4]
    for n in (250, 600):
        K = _symmetric(n)
        np.testing.assert_allclose(Dense(K).apply(V[:n]), K @ V[:n], rtol=1e-11, atol=1e-10)
