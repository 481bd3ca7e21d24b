"""The Cholesky factor of many rows, panel by panel: that of LAPACK, and Ctrl-C is heard on the way."""

import signal

import numpy as np
import pytest

from kernelopt._linalg import _large_cholesky
from kernelopt._linalg._large_cholesky import lower_factor

N = 200


@pytest.fixture(name="panels")
def _panels(monkeypatch):
    """Panels of few rows, and products of few columns, so that the last of each are shorter."""
    monkeypatch.setattr(_large_cholesky, "_WHOLE", 60)
    monkeypatch.setattr(_large_cholesky, "_PANEL", 32)
    monkeypatch.setattr(_large_cholesky, "_WORK", 2.0 * N * 32 * 9)


def definite(n, least=1.0):
    F = np.random.default_rng(0).normal(size=(n, n))
    return F @ F.T + least * np.eye(n)


@pytest.mark.usefixtures("panels")
@pytest.mark.parametrize("n", [60, 61, N])
def test_the_factor_is_that_of_lapack_in_the_memory_of_the_matrix(n):
    H = definite(n)
    written = H.copy()
    L = lower_factor(written)
    np.testing.assert_allclose(np.tril(L), np.linalg.cholesky(H), atol=1e-12)
    assert np.shares_memory(L, written)
    assert L.flags.f_contiguous
    np.testing.assert_array_equal(np.tril(written, -1), np.tril(H, -1))


@pytest.mark.usefixtures("panels")
def test_what_stands_below_the_diagonal_is_not_read():
    H = definite(N)
    upper = np.triu(H) + np.tril(np.full((N, N), np.nan), -1)
    np.testing.assert_allclose(np.tril(lower_factor(upper)), np.linalg.cholesky(H), atol=1e-12)


@pytest.mark.usefixtures("panels")
@pytest.mark.parametrize("place", [0, 40, N - 1])
def test_a_pivot_that_is_not_positive_is_told_wherever_it_is(place):
    H = definite(N)
    H[place, place] = -1.0
    assert lower_factor(H) is None


@pytest.mark.usefixtures("panels")
def test_ctrl_c_is_heard_between_two_panels(monkeypatch):
    corners = []

    def pressed(H, start, end):
        corners.append(start)
        if len(corners) == 3:
            signal.raise_signal(signal.SIGINT)
        return found(H, start, end)

    found = _large_cholesky._corner
    monkeypatch.setattr(_large_cholesky, "_corner", pressed)
    with pytest.raises(KeyboardInterrupt):
        lower_factor(definite(N))
    assert corners == [0, 32, 64]
