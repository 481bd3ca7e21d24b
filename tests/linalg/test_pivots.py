import numpy as np
import pytest

from kernelopt._linalg._pivots import pivoted


@pytest.mark.parametrize("share", [1e-3, 1e-12])
def test_what_is_left_is_small_and_positive_semidefinite(share):
    F = np.random.default_rng(0).normal(size=(40, 30)) * 10.0 ** -np.arange(30.0)
    K = F @ F.T
    found = pivoted(K.__getitem__, np.diagonal(K), 30, share)
    left = K - found.T @ found
    largest = np.diagonal(K).max()
    assert np.abs(left).max() <= 1.01 * share * largest
    assert np.linalg.eigvalsh(left).min() >= -1e-14 * largest
    assert pivoted(K.__getitem__, np.diagonal(K), len(found), share) is not None
    assert pivoted(K.__getitem__, np.diagonal(K), len(found) - 1, share) is None
