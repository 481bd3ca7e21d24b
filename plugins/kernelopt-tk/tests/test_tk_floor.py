"""A floor under P: positive definite kernels, which are universal, in a hull that is still linear in a matrix."""

import numpy as np
import pytest
from kernelopt_tk import TK

import kernelopt
from kernelopt.plugin import MatrixFamily, Part
from kernelopt.testing import meet, small_task

FLOOR = 0.3
KINDS = [(0, "x", 3), (1, "x", 1), (1, "x", 3), (1, "xz", 2), (2, "x", 2)]


def _pair(kind, n=9, seed=0):
    """The same family with a floor and without, both prepared for the same rows."""
    degree, basis, d = kind
    X = np.random.default_rng(seed).normal(size=(n, d))
    raised, plain = (TK(degree=degree, basis=basis, floor=f).prepare(X, np.ones(n)) for f in (FLOOR, 0.0))
    return X, raised, plain


def _raise(S, floor=FLOOR):
    return (1.0 - floor) * S + floor / len(S) * np.trace(S) * np.eye(len(S))


@pytest.mark.parametrize("kind", KINDS)
def test_a_kernel_with_a_floor_is_the_plain_kernel_of_a_larger_p(kind):
    X, raised, plain = _pair(kind)
    rng = np.random.default_rng(1)
    atoms = rng.normal(size=(2, raised.order))
    part = Part(atoms / np.linalg.norm(atoms, axis=1, keepdims=True), np.array([0.2, 0.8]))
    P = _raise(raised.matrix(part))
    assert np.linalg.eigvalsh(P)[0] >= FLOOR / raised.order - 1e-12
    assert np.trace(P) == pytest.approx(1.0)
    data, wanted = raised.bind(X), plain.blend(P, X, X)
    size = abs(wanted).max()
    V = rng.normal(size=(len(X), 2))
    for got, by_hand in (
        (raised.gram(part, data).dense(), wanted),
        (raised.cross(part, X[:3], X), wanted[:3]),
        (raised.diag(part, X), np.diagonal(wanted)),
        (raised.apply(part, data, V), wanted @ V),
        (raised.adjoint(data, V), _raise(plain.adjoint(plain.bind(X), V))),
    ):
        np.testing.assert_allclose(got, by_hand, atol=1e-11 * max(size, abs(by_hand).max()))


@pytest.mark.parametrize("kind", KINDS)
def test_couplings_with_a_floor_agree_with_the_tensor_of_the_base_class(kind):
    X, raised, _ = _pair(kind)
    rng, data = np.random.default_rng(2), raised.bind(X)
    v, w = rng.normal(size=(2, len(X)))
    (fast, naive), (fast_w, naive_w) = (
        (raised.couple(data, one), MatrixFamily.couple(raised, data, one)) for one in (v, w)
    )
    A, B = (S @ S.T for S in rng.normal(size=(2, raised.order, raised.order)))
    U, u, rows = np.linalg.qr(A)[0][:, :2], rng.normal(size=len(v)), np.array([1, 4, 5])
    a, b = U.T @ A @ U, U.T @ B @ U
    for got, by_hand in (
        (fast.apply(A), naive.apply(A)),
        (fast.adjoint(u), naive.adjoint(u)),
        (fast.schur(fast, A, B), naive.schur(naive, A, B)),
        (fast.schur(fast_w, A, B), naive.schur(naive_w, A, B)),
        (fast.restrict(U).schur(fast_w.restrict(U), a, b), naive.restrict(U).schur(naive_w.restrict(U), a, b)),
        (fast.restrict(U).apply(a), naive.restrict(U).apply(a)),
        (fast.take(rows).schur(fast_w.take(rows), A, B), naive.take(rows).schur(naive_w.take(rows), A, B)),
        (fast.plus(fast_w.scaled(0.5)).apply(A), naive.plus(naive_w.scaled(0.5)).apply(A)),
        (fast.plus(fast_w.scaled(0.5)).schur(fast, A, B), naive.plus(naive_w.scaled(0.5)).schur(naive, A, B)),
    ):
        np.testing.assert_allclose(got, by_hand, rtol=1e-8, atol=1e-10 * abs(by_hand).max())


def test_all_solvers_find_one_optimum_and_a_higher_floor_costs_more():
    X, y = small_task("classification", 30)
    before = None
    for floor in (0.0, 0.2, 1.0):
        family = TK(floor=floor)
        ours, theirs = (
            kernelopt.solve(X, y, family=family, criterion="svc", solver=one, scale="paper") for one in ("ipm", "fw")
        )
        assert ours.status.converged, ours
        assert meet(ours.certificate, theirs.certificate)
        assert before is None or ours.certificate.upper >= before
        before = ours.certificate.lower


def test_with_a_floor_distinct_rows_have_a_definite_gram_and_without_one_they_need_not():
    """Theorem 8: with P > 0 the hypotheses are dense, so any labels of distinct rows can be reached."""
    X = np.random.default_rng(3).uniform(size=(12, 1))
    X[-1] = 0.5
    raised, plain = (TK(degree=0, floor=f).prepare(X, np.ones(12)) for f in (FLOOR, 0.0))
    flat = Part(np.full((1, 2), np.sqrt(0.5)), np.ones(1))  # N(z, x)'p is the same for all x
    values = [np.linalg.eigvalsh(one.gram(flat, one.bind(X)).dense())[0] for one in (raised, plain)]
    assert values[0] > 1e-6
    assert abs(values[1]) < 1e-12


def test_the_text_says_what_the_floor_adds_and_a_floor_outside_0_to_1_is_refused():
    _, raised, plain = _pair((1, "x", 1))
    assert raised.describe(raised.center()).endswith("raised by 0.3 / 4 I")
    assert "raised" not in plain.describe(plain.center())
    with pytest.raises(kernelopt.InvalidOption, match="floor"):
        TK(floor=1.5)
