"""The factorisation in place, with a jitter where rounding asks for it."""

import numpy as np
import pytest

from kernelopt.interior import _factor


@pytest.mark.parametrize(("lowest", "jitter"), [(1e-3, 1e-14), (-1e-13, 1e-12), (-1e-11, 1e-10), (-1e-9, 1e-8)])
@pytest.mark.parametrize("block", [3, 8, 1024])
def test_factorisation_in_place_restores_the_matrix_between_tries(monkeypatch, lowest, jitter, block):
    """A failed try leaves half a factor behind: what follows must start from the matrix."""
    monkeypatch.setattr(_factor, "ROW_BLOCK", block)
    rng = np.random.default_rng(3)
    Q = np.linalg.qr(rng.normal(size=(8, 8)))[0]
    H = Q @ np.diag([lowest, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 3.0]) @ Q.T
    H = 0.5 * (H + H.T)
    whole = H.copy()
    factor, lower = _factor.cholesky(H)
    assert lower
    L = np.tril(factor)
    wanted = whole + np.diag(jitter * np.diagonal(whole))
    assert np.abs(L @ L.T - wanted).max() <= 3e-15 * np.abs(whole).max()
    assert pytest.approx(np.linalg.cholesky(wanted), abs=1e-6) == L


def test_factorisation_of_an_indefinite_matrix_is_refused():
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        _factor.cholesky(np.array([[1.0, 2.0], [2.0, 1.0]]))
