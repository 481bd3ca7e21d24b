"""The laws of a matrix family, on random data, for every basis and degree."""

import warnings
from unittest.mock import patch

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernelopt_tk import TK
from kernelopt_tk._compiled_pairs import forms, padded, sums
from kernelopt_tk._tensor_coupling import SMALL
from kernelopt_tk._volumes import DenseVolumes, LineVolumes

from kernelopt.plugin import MatrixFamily, Part, Query

FAMILIES = st.sampled_from(
    [(0, "x", 3), (1, "x", 1), (1, "x", 4), (2, "x", 3), (1, "xz", 1), (1, "xz", 4), (2, "xz", 2), (3, "xz", 1)]
)


def _case(kind, seed, n=9):
    degree, basis, d = kind
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * rng.uniform(0.1, 10.0, d)
    X[n // 2] = X[0]  # a duplicated row
    family = TK(degree=degree, basis=basis, margin=float(rng.choice([0.0, 0.5]))).prepare(X, np.ones(n))
    return rng, X, family, family.bind(X)


def _part(rng, order, m):
    atoms = rng.standard_normal((m, order))
    weights = rng.random(m)
    return Part(atoms / np.linalg.norm(atoms, axis=1, keepdims=True), weights / weights.sum())


def _close(got, wanted):
    np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-12 * max(1.0, float(np.max(np.abs(wanted)))))


@settings(max_examples=40, deadline=None)
@given(FAMILIES, st.integers(0, 10_000), st.sampled_from([1, 2, 30]))
def test_a_part_has_one_kernel(kind, seed, m):
    rng, X, family, data = _case(kind, seed)
    part = _part(rng, family.order, m)
    K = family.gram(part, data).dense()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # training rows lie inside
        _close(family.cross(part, X, X), K)
    np.testing.assert_array_equal(K, K.T)
    assert np.linalg.eigvalsh(K)[0] >= -1e-12 * np.trace(K)
    _close(family.diag(part, X), np.diagonal(K))
    _close(family.gram_of(family.matrix(part), data).dense(), K)


@settings(max_examples=30, deadline=None)
@given(FAMILIES, st.integers(0, 10_000))
def test_the_kernel_is_linear_in_p(kind, seed):
    rng, X, family, data = _case(kind, seed)
    A, B = rng.standard_normal((2, family.order, family.order))
    A, B = A + A.T, B + B.T
    combined = family.gram_of(2.0 * A - 3.0 * B, data).dense()
    first, second = family.gram_of(A, data).dense(), family.gram_of(B, data).dense()
    np.testing.assert_allclose(combined, 2.0 * first - 3.0 * second, atol=1e-11 * abs(first).max())
    np.testing.assert_allclose(family.blend(A, X[:4], X), first[:4], atol=1e-11 * abs(first).max())


@settings(max_examples=40, deadline=None)
@given(FAMILIES, st.integers(0, 10_000), st.sampled_from([1, 3]), st.sampled_from([0, 4]))
def test_products_and_the_adjoint_agree_with_the_gram(kind, seed, c, zeros):
    rng, _, family, data = _case(kind, seed)
    V = rng.standard_normal((9, c))
    V[:zeros] = 0.0
    part = _part(rng, family.order, 2)
    K = family.gram(part, data).dense()
    np.testing.assert_allclose(family.apply(part, data, V), K @ V, atol=1e-11 * abs(K).max())
    D = family.adjoint(data, V)
    np.testing.assert_array_equal(D, D.T)
    value = np.einsum("ic,ij,jc->", V, K, V)
    np.testing.assert_allclose(np.sum(D * family.matrix(part)), value, atol=1e-11 * abs(K).max())
    best = family.best_atoms(data, V, Query())
    np.testing.assert_allclose(best.ceiling, np.linalg.eigvalsh(D)[-1], rtol=1e-9, atol=1e-12)


def test_without_support_vectors_the_adjoint_and_the_products_are_zero():
    _, X, family, data = _case((1, "xz", 2), 0)
    V = np.zeros((len(X), 2))
    assert not family.adjoint(data, V).any()
    assert not family.apply(family.center(), data, V).any()


@settings(max_examples=20, deadline=None)
@given(FAMILIES, st.integers(0, 10_000))
def test_the_order_of_the_rows_does_not_matter(kind, seed):
    rng, X, family, data = _case(kind, seed)
    shuffle = rng.permutation(len(X))
    moved = TK(degree=family.degree, basis=family.basis, margin=family.margin).prepare(X[shuffle], np.ones(len(X)))
    assert moved == family
    part = _part(rng, family.order, 3)
    K = family.gram(part, data).dense()
    _close(moved.gram(part, moved.bind(X[shuffle])).dense(), K[np.ix_(shuffle, shuffle)])
    _close(family.gram(family.center(), data).dense(), moved.gram(moved.center(), data).dense())


@pytest.mark.parametrize("basis", ["x", "xz"])
def test_blocks_of_rows_leave_no_seam(basis, monkeypatch):
    rng, X, family, data = _case((1, basis, 3), 5, n=23)
    part, V = _part(rng, family.order, 3), rng.standard_normal((23, 2))
    whole = family.gram(part, data).dense().copy(), family.adjoint(data, V), family.apply(part, data, V)
    volumes = data.volumes.matrix
    monkeypatch.setattr("kernelopt_tk._bound_rows.BLOCK", 5 * 23)
    monkeypatch.setattr("kernelopt_tk._assembled_kernel._STRIP", 5 * 23)
    monkeypatch.setattr("kernelopt_tk._assembled_kernel._LEAST", 1)
    data = family.bind(X)
    _close(data.volumes.matrix, volumes)
    for got, wanted in zip(
        (family.gram(part, data).dense(), family.adjoint(data, V), family.apply(part, data, V)), whole, strict=True
    ):
        _close(got, wanted)
    _close(family.cross(part, X, X), whole[0])


def _agree(got, wanted):
    np.testing.assert_allclose(got, wanted, rtol=1e-8, atol=1e-11 * float(np.max(np.abs(wanted), initial=0.0)))


def _check_couplings(family, data, rng, v, w):
    """Every question to the couplings at v and w, against those of the base class."""
    (fast, naive), (fast_w, naive_w) = (
        (family.couple(data, one), MatrixFamily.couple(family, data, one)) for one in (v, w)
    )
    u, rows = rng.standard_normal(len(v)), np.array([1, 4, 5])
    A, B, C = rng.standard_normal((3, family.order, family.order))
    A, B, C = A @ A.T, B @ B.T, C + C.T
    U = np.linalg.qr(A)[0][:, :3]
    a, b = U.T @ A @ U, U.T @ B @ U
    small, naive_small = fast.restrict(U), naive.restrict(U)
    some, some_w = fast.take(rows), fast_w.take(rows)
    for got, wanted in (
        (fast.apply(C), naive.apply(C)),
        (fast.apply(A), family.gram_of(A, data).apply(v)),
        (fast.adjoint(u), naive.adjoint(u)),
        (fast.schur(fast, A, B), naive.schur(naive, A, B)),
        (fast.schur(fast_w, A, B), naive.schur(naive_w, A, B)),
        (fast.schur(fast, A, C), naive.schur(naive, A, C)),
        (small.apply(a), naive_small.apply(a)),
        (small.adjoint(u), naive_small.adjoint(u)),
        (small.schur(small, a, b), naive_small.schur(naive_small, a, b)),
        (small.schur(fast_w.restrict(U), a, b), naive_small.schur(naive_w.restrict(U), a, b)),
        (some.apply(A), naive.apply(A)[rows]),
        (some.adjoint(u[rows]), naive.take(rows).adjoint(u[rows])),
        (some.schur(some_w, A, B), naive.schur(naive_w, A, B)[np.ix_(rows, rows)]),
    ):
        _agree(got, wanted)
    np.testing.assert_array_equal(fast.adjoint(u), fast.adjoint(u).T)
    np.testing.assert_allclose(fast.apply(A) @ u, np.sum(A * fast.adjoint(u)), rtol=1e-8, atol=1e-8)
    assert (fast.n, some.n) == (len(v), len(rows))


@settings(max_examples=15, deadline=None)
@given(
    FAMILIES.filter(lambda kind: kind != (2, "xz", 2)),
    st.integers(0, 10_000),
    st.sampled_from([0, 3, 8]),
    st.sampled_from([0, SMALL]),
)
def test_couplings_agree_with_the_tensor_of_the_base_class(kind, seed, zeros, small):
    """Few monomials have a tensor of their own, which is made in another way; here they are without it too."""
    rng, _, family, data = _case(kind, seed)
    v, w = rng.standard_normal((2, 9))
    v[:zeros] = 0.0
    with patch("kernelopt_tk._tensor_coupling.SMALL", small):
        _check_couplings(family, data, rng, v, w)


@pytest.mark.parametrize(("degree", "basis", "d"), [(1, "x", 3), (2, "x", 3), (1, "xz", 1), (1, "xz", 3), (2, "xz", 2)])
def test_couplings_of_rows_outside_the_bounds(degree, basis, d):
    rng = np.random.default_rng(d)
    X = rng.uniform(-1.0, 2.0, (8, d))
    X[0] = 0.5
    family = TK(degree=degree, basis=basis, rescale=None, bounds=(-0.3, 1.1)).prepare(X, np.ones(8))
    data = family.bind(X)
    _check_couplings(family, data, rng, *rng.standard_normal((2, 8)))


@pytest.mark.parametrize(("degree", "basis", "d"), [(1, "x", 2), (2, "x", 3), (1, "xz", 3), (2, "xz", 1)])
def test_a_coupling_without_support_vectors_is_zero(degree, basis, d):
    rng, _, family, data = _case((degree, basis, d), 3)
    coupling, other = family.couple(data, np.zeros(9)), family.couple(data, rng.standard_normal(9))
    identity = np.eye(family.order)
    assert not coupling.apply(identity).any()
    assert not coupling.adjoint(np.ones(9)).any()
    assert not coupling.restrict(identity[:, :2]).apply(np.eye(2)).any()
    np.testing.assert_allclose(coupling.schur(other, identity, identity), 0.0, atol=1e-12)


@pytest.mark.parametrize(("degree", "basis", "d"), [(1, "x", 3), (2, "x", 3), (1, "xz", 3), (2, "xz", 1)])
def test_blocks_leave_no_seam_in_a_coupling(degree, basis, d, monkeypatch):
    rng, _, family, data = _case((degree, basis, d), 8, n=23)
    v, w = rng.standard_normal((2, 23))
    A, B = (S @ S.T for S in rng.standard_normal((2, family.order, family.order)))
    U = np.linalg.qr(A)[0][:, :2]

    def answers():
        one, other = family.couple(data, v), family.couple(data, w)
        return one.apply(A), one.schur(one, A, B), one.schur(other, A, B), one.restrict(U).apply(np.eye(2))

    whole = answers()
    monkeypatch.setattr("kernelopt_tk._degree_one_coupling.ROWS", 5)
    monkeypatch.setattr("kernelopt_tk._bound_rows.BLOCK", 5 * 23)
    for got, wanted in zip(answers(), whole, strict=True):
        _agree(got, wanted)


@pytest.mark.parametrize(("n", "d"), [(70, 1), (3, 5), (130, 6)])
def test_the_compiled_loops_over_pairs_agree_with_plain_products(n, d):
    """Strips that are full, partly full and alone; triangles of every remainder."""
    rng = np.random.default_rng(n)
    left, right, slope_left, slope_right = (rng.standard_normal((k, d)) for k in (4, n, 4, n))
    M, W = rng.standard_normal((d, d)), rng.standard_normal((4, n))
    triangle = np.zeros((d, padded(d)))
    triangle[:, :d] = np.tril(M)
    t = np.minimum(left[:, None], right)
    inner = t @ np.tril(M).T - slope_left[:, None] - slope_right
    right, slope_right = np.ascontiguousarray(right.T), np.ascontiguousarray(slope_right.T)
    _close(forms(left, right, slope_left, slope_right, triangle), np.einsum("ijk,ijk->ij", t, inner))
    by_left, by_right, square = np.zeros((4, d)), np.zeros((d, n)), np.zeros((d, padded(d)))
    sums(left, right, W, by_left, by_right, square)
    _close(by_left, np.einsum("ij,ijk->ik", W, t))
    _close(by_right, np.einsum("ij,ijk->kj", W, t))
    _close(np.tril(square[:, :d]), np.tril(np.einsum("ij,ijk,ijl->kl", W, t, t)))


@pytest.mark.parametrize("kind", [(2, "x", 3), (1, "xz", 1)])
def test_couplings_of_different_kinds_do_not_mix(kind):
    rng, _, family, data = _case(kind, 0)
    coupling, identity = family.couple(data, rng.standard_normal(9)), np.eye(family.order)
    with pytest.raises(TypeError, match="same leaf"):
        coupling.schur(MatrixFamily.couple(family, data, rng.standard_normal(9)), identity, identity)


@pytest.mark.parametrize("basis", ["x", "xz"])
def test_many_rows_agree_with_pairs_of_rows(basis, monkeypatch):
    monkeypatch.setattr("kernelopt_tk._bound_rows.BLOCK", 40 * 300)
    monkeypatch.setattr("kernelopt_tk._assembled_kernel._STRIP", 70 * 300)
    rng, X, family, data = _case((1, basis, 2), 6, n=300)
    part = _part(rng, family.order, 2)
    K = family.gram(part, data).dense()
    np.testing.assert_array_equal(K, K.T)
    for i, j in rng.integers(0, 300, (40, 2)):
        _close(family.cross(part, X[i : i + 1], X[j : j + 1])[0, 0], K[i, j])


@pytest.mark.parametrize("basis", ["x", "xz"])
def test_the_schur_complement_of_one_coupling_is_that_of_two_equal_ones(basis):
    rng, _, family, data = _case((1, basis, 2), 7, n=300)
    v = rng.standard_normal(300)
    one, same = family.couple(data, v), family.couple(data, v)
    A, B = (S @ S.T for S in rng.standard_normal((2, family.order, family.order)))
    expected = one.schur(same, A, B)
    np.testing.assert_allclose(one.schur(one, A, B), expected, atol=1e-11 * abs(expected).max())


@pytest.mark.parametrize("degree", [0, 1, 3])
def test_in_one_column_nothing_quadratic_is_held_and_all_is_as_with_the_matrix(degree):
    """Ties, rows outside the bounds, and v that is zero on some rows."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(40, 1)).round(1)
    family = TK(degree=degree, bounds=(-1.0, 1.0), rescale=None).prepare(X, np.ones(40))
    line = family.bind(X)
    dense = attrs.evolve(line, volumes=DenseVolumes.of(line.rows))
    assert isinstance(line.volumes, LineVolumes)
    assert family.bind_bytes(10**6, 1) < 10**8
    some = rng.permutation(40)[:11]
    _close(line.volumes.block(some, slice(3, 9)), dense.volumes.block(some, slice(3, 9)))
    _close(line.volumes.block(some, some[:4]), dense.volumes.block(some, some[:4]))
    V = np.where(rng.random((40, 1)) < 0.5, rng.normal(size=(40, 3)), 0.0)
    part = _part(rng, family.order, 2)
    S = rng.normal(size=(family.order, family.order))
    ours, theirs = (family.couple(data, V[:, 0]) for data in (line, dense))
    for got, wanted in (
        (family.adjoint(line, V), family.adjoint(dense, V)),
        (family.gram(part, line).dense(), family.gram(part, dense).dense()),
        (family.apply(part, line, V), family.apply(part, dense, V)),
        (family.apply(part, line, V[:, :1]), family.apply(part, dense, V[:, :1])),
        (ours.apply(S + S.T), theirs.apply(S + S.T)),
        (ours.adjoint(V[:, 1]), theirs.adjoint(V[:, 1])),
    ):
        _close(got, wanted)


@pytest.mark.parametrize("dense", [False, True])
def test_atoms_of_one_number_make_the_matrix_that_all_atoms_make(dense):
    """The matrix of the centre takes no product; atoms of several numbers beside those of one do."""
    rng = np.random.default_rng(0)
    family = TK().prepare(rng.random((5, 3)), np.ones(5))
    q = family.order
    atoms = np.vstack([np.eye(q)[[2, 0, 2]], -np.eye(q)[:1], np.zeros((1, q))])
    if dense:
        atoms = np.vstack([atoms, (np.eye(q)[:1] + np.eye(q)[1:2]) * 0.5**0.5])
    weights = rng.random(len(atoms))
    np.testing.assert_allclose(family.matrix(Part(atoms, weights)), (atoms.T * weights) @ atoms, rtol=1e-14)
