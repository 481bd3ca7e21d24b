"""The cones' arithmetic against eigenvalues, the factorisation in place, and couplings of some rows and outputs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelopt._families._coupling import Coupling, Stacked, TensorCoupling, WeightCoupling, stack
from kernelopt._linalg._cones import identity, inverse, largest, reach, root, sandwich, symmetric
from kernelopt.interior import _factor

CONES = pytest.mark.parametrize("shape", [(5,), (4, 4), (1, 1)])


def inside(shape, rng):
    if len(shape) == 1:
        return rng.uniform(0.1, 2.0, size=shape)
    F = rng.normal(size=shape)
    return F @ F.T + 0.1 * np.eye(shape[0])


def full(S):
    """As a matrix, whichever cone it is from."""
    return np.diag(S) if S.ndim == 1 else S


def direction(shape, rng):
    return symmetric(rng.normal(size=shape))


@CONES
def test_one_cone_is_the_diagonal_of_the_other(shape):
    rng = np.random.default_rng(0)
    S, Z, T = inside(shape, rng), inside(shape, rng), direction(shape, rng)
    spelled = np.diagonal if len(shape) == 1 else np.asarray
    both = full(S) @ full(T) @ np.linalg.inv(full(Z))
    assert sandwich(S, T, inverse(Z)) == pytest.approx(spelled(0.5 * (both + both.T)))
    both = full(S) @ np.linalg.inv(full(Z))
    assert sandwich(S, identity(S), inverse(Z)) == pytest.approx(spelled(0.5 * (both + both.T)))
    assert largest(T) == pytest.approx(np.linalg.eigvalsh(full(T))[-1])
    assert full(identity(S)) == pytest.approx(np.eye(len(S)))
    assert full(inverse(Z)) @ full(Z) == pytest.approx(np.eye(len(S)), abs=1e-9)


@CONES
@settings(max_examples=30, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**31))
def test_reach_is_where_the_smallest_eigenvalue_vanishes(shape, seed):
    rng = np.random.default_rng(seed)
    S, dS = inside(shape, rng), direction(shape, rng)
    t = reach(S, dS)
    lowest = np.linalg.eigvalsh(full(dS))[0]
    assert np.isinf(t) == (lowest >= 0.0)
    if np.isfinite(t):
        assert np.linalg.eigvalsh(full(S + t * dS))[0] == pytest.approx(0.0, abs=1e-9 * (1.0 + t) * np.abs(dS).max())
        assert np.linalg.eigvalsh(full(S + 0.99 * t * dS))[0] > 0.0


@CONES
def test_directions_into_the_cone_are_endless(shape):
    rng = np.random.default_rng(1)
    assert reach(inside(shape, rng), inside(shape, rng)) == np.inf


def test_root_takes_the_least_that_rounding_asks_for():
    rng = np.random.default_rng(2)
    F = rng.normal(size=(6, 2))
    for S in (inside((6, 6), rng), F @ F.T):
        L = root(S)
        assert np.abs(L @ L.T - S).max() <= 1e-13 * np.trace(S)
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        root(np.diag([1.0, -1e-6]))
    with pytest.raises(np.linalg.LinAlgError, match="not positive"):
        inverse(np.array([1.0, 0.0]))


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


class Plain(Coupling):
    """A coupling that writes only what it must: `take` is the contract's own."""

    def __init__(self, tensor):
        self.inner = TensorCoupling(tensor)

    n = property(lambda self: self.inner.n)

    def apply(self, S):
        return self.inner.apply(S)

    def adjoint(self, u):
        return self.inner.adjoint(u)

    def schur(self, other, A, B):
        return self.inner.schur(other.inner, A, B)

    def restrict(self, basis):
        return Plain(self.inner.restrict(basis).tensor)


def symmetric_tensor(rng, n=7, q=3):
    G = rng.normal(size=(n, q, q))
    return G + G.transpose(0, 2, 1)


def pieces(kind, rng):
    if kind == "weights":
        return tuple(WeightCoupling(rng.normal(size=(7, 3))) for _ in range(2))
    make = Plain if kind == "plain" else TensorCoupling
    return tuple(make(symmetric_tensor(rng)) for _ in range(2))


@pytest.mark.parametrize("kind", ["weights", "tensor", "plain"])
def test_stacked_couplings_number_through_their_outputs(kind):
    rng = np.random.default_rng(4)
    shape = (3,) if kind == "weights" else (3, 3)
    parts = pieces(kind, rng)
    both, S, A, B = stack(parts), direction(shape, rng), inside(shape, rng), inside(shape, rng)
    u = rng.normal(size=14)
    assert isinstance(both, Stacked)
    assert both.n == 14
    G = np.stack([both.adjoint(e) for e in np.eye(14)])
    assert both.apply(S) == pytest.approx(np.tensordot(G, S, S.ndim))
    assert both.adjoint(u) == pytest.approx(np.tensordot(u, G, 1))
    wanted = (G * (A * B)) @ G.T if kind == "weights" else np.einsum("iab,bc,jcd,da->ij", G, A, G, B, optimize=True)
    assert both.schur(both, A, B) == pytest.approx(wanted)
    assert stack(parts[:1]) is parts[0]


@pytest.mark.parametrize("kind", ["weights", "tensor", "plain"])
@pytest.mark.parametrize("rows", [[0, 3, 8, 13], [2, 4], [9, 10, 13], list(range(14))])
def test_some_rows_of_a_stack_are_those_rows(kind, rows):
    rng = np.random.default_rng(5)
    shape = (3,) if kind == "weights" else (3, 3)
    both, index = stack(pieces(kind, rng)), np.array(rows)
    some, S, A, B = both.take(index), direction(shape, rng), inside(shape, rng), inside(shape, rng)
    u, padded = rng.normal(size=len(rows)), np.zeros(14)
    padded[index] = u
    assert some.n == len(rows)
    assert some.apply(S) == pytest.approx(both.apply(S)[index])
    assert some.adjoint(u) == pytest.approx(both.adjoint(padded))
    assert some.schur(some, A, B) == pytest.approx(both.schur(both, A, B)[np.ix_(index, index)])
    U = np.eye(3)[:, [2, 0]] if kind == "weights" else rng.normal(size=(3, 2))
    assert some.restrict(U).adjoint(u) == pytest.approx(both.restrict(U).adjoint(padded))


def test_couplings_of_two_kinds_do_not_mix():
    rng = np.random.default_rng(6)
    A = np.eye(3)
    for one, other in ((WeightCoupling(rng.normal(size=(7, 3))), Plain(symmetric_tensor(rng))),):
        for mine, theirs in ((one, other), (one.take(np.arange(2)), other.take(np.arange(2)))):
            with pytest.raises(TypeError, match="same leaf's coupling"):
                mine.schur(theirs, A, A)
        with pytest.raises(TypeError, match="same leaf's coupling"):
            Stacked((other, other)).schur(other, A, A)
