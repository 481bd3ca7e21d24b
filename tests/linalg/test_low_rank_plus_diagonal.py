"""F F' + diag(D) solved by factors, against the matrix written out."""

import numpy as np
import pytest

from kernelopt._linalg._low_rank_plus_diagonal import Thin

N = 9


@pytest.mark.parametrize("columns", [0, 1, 4, N])
@pytest.mark.parametrize("spread", [0, 8])
def test_thin_solves_to_rounding(columns, spread):
    rng = np.random.default_rng(columns)
    F, D = rng.normal(size=(N, columns)), 10.0 ** rng.uniform(-spread, 0, N)
    A = F @ F.T + np.diag(D)
    thin = Thin.of(F, D)
    for B in (rng.normal(size=N), rng.normal(size=(N, 3)), rng.normal(size=(N, 20))):
        x = thin.solve(B)
        assert x.shape == B.shape
        assert np.linalg.norm(A @ x - B) <= 1e-14 * (np.linalg.norm(A) * np.linalg.norm(x) + np.linalg.norm(B))
    assert thin.apply(np.eye(N)) == pytest.approx(A)


@pytest.mark.parametrize("diagonal", [0.0, -1.0, np.nan])
def test_thin_wants_a_positive_diagonal(diagonal):
    with pytest.raises(np.linalg.LinAlgError):
        Thin.of(np.ones((3, 1)), np.array([1.0, diagonal, 1.0]))


def test_thin_prints_nothing_where_there_is_nothing_to_solve(capfd):
    solved = Thin.of(np.ones((3, 1)), np.ones(3)).solve(np.zeros((3, 0)))
    assert solved.shape == (3, 0)
    assert capfd.readouterr() == ("", "")
