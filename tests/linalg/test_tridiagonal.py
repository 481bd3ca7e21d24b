"""Multiples of the identity added to a matrix, against its determinant and its inverse."""

import numpy as np
import pytest

from kernelopt._linalg._tridiagonal import Shifted


@pytest.mark.parametrize("n", [2, 3, 40, 200])
@pytest.mark.parametrize("c", [1, 3])
def test_they_are_what_numpy_says(n, c):
    rng = np.random.default_rng(n)
    F, Y = rng.normal(size=(n, n // 2 + 1)), rng.normal(size=(n, c))
    K = F @ F.T / n
    before = K.copy(), Y.copy()
    shifted = Shifted.of(K, Y)
    for r in (1e-3, 0.1, 30.0):
        volume, left = shifted.at(r)
        whole = K + r * np.eye(n)
        assert volume == pytest.approx(np.linalg.slogdet(whole)[1], rel=1e-9, abs=1e-9)
        assert left == pytest.approx(np.vdot(Y, np.linalg.solve(whole, Y)), rel=1e-8)
    np.testing.assert_array_equal(K, before[0])
    np.testing.assert_array_equal(Y, before[1])


def test_a_matrix_that_stays_indefinite_has_none():
    K = np.diag([1.0, -2.0, 3.0])
    assert Shifted.of(K, np.ones((3, 1))).at(1.0) is None
    assert Shifted.of(K, np.ones((3, 1))).at(2.5) is not None


def test_no_columns_are_turned_in_silence(capfd):
    shifted = Shifted.of(np.diag([1.0, 2.0, 3.0]), np.zeros((3, 0)))
    assert shifted.each(1.0)[1].shape == (0,)
    assert capfd.readouterr() == ("", "")
