"""Couplings of some rows and of several outputs against the tensors that they stand for."""

import numpy as np
import pytest

from kernelopt._families._coupling import Coupling, TensorCoupling, WeightCoupling
from kernelopt._families._joined_couplings import Bordered, Stacked, stack
from kernelopt._linalg._cones import symmetric


def inside(shape, rng):
    if len(shape) == 1:
        return rng.uniform(0.1, 2.0, size=shape)
    F = rng.normal(size=shape)
    return F @ F.T + 0.1 * np.eye(shape[0])


def direction(shape, rng):
    return symmetric(rng.normal(size=shape))


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


@pytest.mark.parametrize("kind", ["weights", "tensor", "plain"])
def test_sums_and_multiples_of_couplings(kind):
    """Also of a coupling that says nothing of sums."""
    rng = np.random.default_rng(7)
    shape = (3,) if kind == "weights" else (3, 3)
    one, other = pieces(kind, rng)
    S, A, B, u = direction(shape, rng), inside(shape, rng), inside(shape, rng), rng.normal(size=7)
    both = one.plus(other.scaled(-0.5))
    assert both.n == 7
    assert both.apply(S) == pytest.approx(one.apply(S) - 0.5 * other.apply(S))
    assert both.adjoint(u) == pytest.approx(one.adjoint(u) - 0.5 * other.adjoint(u))
    crossed = one.schur(other, A, B)
    wanted = one.schur(one, A, B) - 0.5 * (crossed + other.schur(one, A, B)) + 0.25 * other.schur(other, A, B)
    assert both.schur(both, A, B) == pytest.approx(wanted)


@pytest.mark.parametrize("kind", ["weights", "tensor"])
@pytest.mark.parametrize("rows", [None, [0, 3, 7], [2, 4], list(range(7)), [*range(8)]])
def test_a_border_is_one_row_more(kind, rows):
    rng = np.random.default_rng(8)
    shape = (3,) if kind == "weights" else (3, 3)
    parts, last = pieces(kind, rng), direction(shape, rng)
    make = (lambda part: WeightCoupling(np.vstack([part.columns, last]))) if kind == "weights" else (
        lambda part: TensorCoupling(np.concatenate([part.tensor, last[None]])))  # fmt: skip
    pairs = [(Bordered(part, last), make(part)) for part in parts]
    if rows is not None:
        pairs = [(mine.take(np.array(rows)), theirs.take(np.array(rows))) for mine, theirs in pairs]
    (one, plain), (other, plain_too) = pairs
    S, A, B, u = direction(shape, rng), inside(shape, rng), inside(shape, rng), rng.normal(size=plain.n)
    assert one.n == plain.n
    assert one.apply(S) == pytest.approx(plain.apply(S))
    assert one.adjoint(u) == pytest.approx(plain.adjoint(u))
    assert one.schur(one, A, B) == pytest.approx(plain.schur(plain, A, B))
    assert one.schur(other, A, B) == pytest.approx(plain.schur(plain_too, A, B))
    U = rng.normal(size=(3, 2))
    assert one.restrict(U).adjoint(u) == pytest.approx(plain.restrict(U).adjoint(u))


def test_couplings_of_two_kinds_do_not_mix():
    rng = np.random.default_rng(6)
    A = np.eye(3)
    for one, other in ((WeightCoupling(rng.normal(size=(7, 3))), Plain(symmetric_tensor(rng))),):
        for mine, theirs in ((one, other), (one.take(np.arange(2)), other.take(np.arange(2)))):
            with pytest.raises(TypeError, match="same leaf's coupling"):
                mine.schur(theirs, A, A)
        with pytest.raises(TypeError, match="same leaf's coupling"):
            Stacked((other, other)).schur(other, A, A)


@pytest.mark.parametrize("rank", [4, 1], ids=["regular", "singular"])
@pytest.mark.parametrize("worthwhile", [0.0, np.inf], ids=["by triangles", "whole"])
def test_a_tensor_with_itself_by_triangles_or_whole(worthwhile, rank, monkeypatch):
    monkeypatch.setattr("kernelopt._families._coupling._WORTHWHILE", worthwhile)
    rng = np.random.default_rng(6)
    G, F = symmetric_tensor(rng, n=25, q=4), rng.normal(size=(2, 4, rank))
    A, B = F @ F.transpose(0, 2, 1)
    coupling = TensorCoupling(G)
    expected = np.einsum("iab,bc,jcd,da->ij", G, A, G, B)
    np.testing.assert_allclose(coupling.schur(coupling, A, B), expected, rtol=1e-9, atol=1e-11 * np.abs(expected).max())
