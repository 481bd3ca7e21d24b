"""The ends of a spectrum, also where all of it is one number up to rounding."""

import numpy as np
import pytest

from kernelopt._linalg._extreme_eigenvalues import largest_eigenvalue, leading_eigenpairs, smallest_eigenvalue

RNG = np.random.default_rng(0)


def matrices():
    half = RNG.normal(size=(6, 6))
    yield half @ half.T - np.eye(6)
    yield np.eye(5) * -2.5e-17
    yield np.zeros((3, 3))
    yield np.array([[4.0]])
    yield -3.0 * np.eye(20) + 1e-17 * (half[:1].T @ half[:1]).sum() * np.ones((20, 20))


@pytest.mark.parametrize("D", list(matrices()), ids=lambda D: f"order {len(D)}")
def test_they_are_those_of_all_eigenvalues(D):
    every = np.linalg.eigvalsh(D)
    room = 1e-12 * (np.abs(D).max() + 1e-300)
    assert largest_eigenvalue(D) == pytest.approx(every[-1], abs=room)
    assert smallest_eigenvalue(D) == pytest.approx(every[0], abs=room)
    for k in (1, 2, len(D), len(D) + 3):
        values, vectors = leading_eigenpairs(D, k)
        assert values == pytest.approx(every[-min(k, len(D)) :], abs=room)
        assert D @ vectors == pytest.approx(vectors * values, abs=10 * room)


@pytest.mark.parametrize("answer", [(np.zeros(6), np.zeros((6, 0)), 0, None, 0), (None, None, 0, None, 3)])
def test_where_lapack_finds_no_few_all_are_computed(monkeypatch, answer):
    D = next(matrices())
    wanted = largest_eigenvalue(D), smallest_eigenvalue(D), *leading_eigenpairs(D, 2)[0]
    monkeypatch.setattr("kernelopt._linalg._lapack.lapack.dsyevr", lambda *_, **__: answer)
    assert (largest_eigenvalue(D), smallest_eigenvalue(D), *leading_eigenpairs(D, 2)[0]) == pytest.approx(wanted)


def test_a_matrix_without_numbers_is_refused():
    with pytest.raises(ValueError, match="infs or NaNs"):
        largest_eigenvalue(np.array([[1.0, np.nan], [np.nan, 1.0]]))
