"""What the log-determinant of a sum of kernels is by the spectra alone: where it is known exactly, and as a bound."""

import numpy as np
import pytest

from kernelopt._base._typing import FloatArray
from kernelopt._targets._laws import Laws

R = 150


def spectra(m: int, seed: int = 0) -> FloatArray:
    """Of falling sizes, with zeros, of mean 1."""
    rng = np.random.default_rng(seed)
    found = np.arange(1, R + 1) ** -rng.uniform(0.5, 2.0, size=(m, 1)) * rng.uniform(0.5, 1.5, size=(m, R))
    found[0, 40:] = 0.0
    return found / found.mean(axis=1, keepdims=True)


def ratios(m: int, count: int = 40) -> FloatArray:
    rng = np.random.default_rng(1)
    return rng.dirichlet(np.full(m, 0.5), size=count) * np.exp(rng.uniform(-3, 8, size=(count, 1)))


def determinants(kernels: list[FloatArray], r: FloatArray) -> FloatArray:
    return np.array([np.linalg.slogdet(np.eye(R) + np.tensordot(one, kernels, axes=1))[1] for one in r])


def turned(values: FloatArray, rng: np.random.Generator) -> FloatArray:
    """With eigenvectors drawn evenly from all."""
    Q = np.linalg.qr(rng.normal(size=(R, R)))[0]
    return (Q * values) @ Q.T


def test_kernels_that_have_nothing_to_do_with_each_other_are_free():
    rng, values, r = np.random.default_rng(2), spectra(3), ratios(3)
    kernels = [turned(one, rng) for one in values]
    found, true = Laws.of(values).at(r)[:, 0, 0], determinants(kernels, r)
    assert np.abs(found - true).max() < 2.0
    alone = np.log1p(r[:, :, None] * values).sum(axis=(1, 2))
    assert np.abs(alone - true).max() > 50.0  # so that little would not do


def test_kernels_with_the_same_eigenvectors_are_aligned():
    values, r = spectra(3), ratios(3)
    ordered = -np.sort(-values, axis=1)
    true = determinants([np.diag(one) for one in ordered], r)
    np.testing.assert_allclose(Laws.of(values).at(r)[:, 1, 0], true, rtol=2e-3, atol=0.1)


def test_no_determinant_is_below_that_of_aligned_kernels():
    rng, values, r = np.random.default_rng(3), spectra(4), ratios(4)
    true = determinants([turned(one, rng) for one in values], r)
    found = Laws.of(values).at(r)
    assert np.all(found[:, 1, 0] <= true + 0.1 + 2e-3 * true)
    assert np.all(found[:, 1, 0] <= found[:, 0, 0] + 0.1 + 2e-3 * true)


def test_one_kernel_is_what_it_is():
    values, r = spectra(1, seed=4), np.array([[0.0], [0.1], [3.0], [1e5]])
    true = np.log1p(r[:, :, None] * values).sum(axis=(1, 2))
    for law in (0, 1):
        np.testing.assert_allclose(Laws.of(values).at(r)[:, law, 0], true, rtol=2e-3, atol=1e-9)


@pytest.mark.parametrize("m", [1, 2, 5])
def test_slopes_are_those_of_the_values(m):
    laws, r = Laws.of(spectra(m)), ratios(m) + 1e-3
    slopes = laws.at(r)[:, :, 1:]
    for a in range(m):
        step = 1e-5 * r[:, a]
        above, below = (laws.at(r + sign * step[:, None] * np.eye(m)[a])[:, :, 0] for sign in (1.0, -1.0))
        np.testing.assert_allclose((above - below) / (2.0 * step[:, None]), slopes[:, :, a], rtol=1e-4)


def test_laws_do_not_know_an_order_of_kernels():
    values, r, order = spectra(4), ratios(4), [2, 0, 3, 1]
    found, other = Laws.of(values).at(r), Laws.of(values[order]).at(r[:, order])
    np.testing.assert_allclose(other[:, :, 0], found[:, :, 0], rtol=1e-7)
    np.testing.assert_allclose(other[:, :, 1:], found[:, :, 1:][:, :, order], rtol=1e-6)
