"""The laws of a matrix family, on random data, for every basis and degree."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernelopt_tk import TK

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
    volumes = data.volumes
    monkeypatch.setattr("kernelopt_tk._rows.BLOCK", 5 * 23)
    data = family.bind(X)
    _close(data.volumes, volumes)
    for got, wanted in zip(
        (family.gram(part, data).dense(), family.adjoint(data, V), family.apply(part, data, V)), whole, strict=True
    ):
        _close(got, wanted)
    _close(family.cross(part, X, X), whole[0])


@settings(max_examples=30, deadline=None)
@given(FAMILIES.filter(lambda kind: kind != (2, "xz", 2)), st.integers(0, 10_000))
def test_couplings_agree_with_the_tensor_of_the_base_class(kind, seed):
    rng, _, family, data = _case(kind, seed)
    v, w, u = rng.standard_normal((3, 9))
    v[:3] = 0.0
    fast, naive = (make(data, v) for make in (family.couple, lambda *a: MatrixFamily.couple(family, *a)))
    fast_w, naive_w = family.couple(data, w), MatrixFamily.couple(family, data, w)
    A, B = rng.standard_normal((2, family.order, family.order))
    A, B = A @ A.T, B @ B.T
    for got, wanted in (
        (fast.apply(A), naive.apply(A)),
        (fast.apply(A), family.gram_of(A, data).apply(v)),
        (fast.adjoint(u), naive.adjoint(u)),
        (fast.schur(fast, A, B), naive.schur(naive, A, B)),
        (fast.schur(fast_w, A, B), naive.schur(naive_w, A, B)),
    ):
        np.testing.assert_allclose(got, wanted, rtol=1e-8, atol=1e-11 * float(np.max(np.abs(wanted))))
    np.testing.assert_allclose(fast.apply(A) @ u, np.sum(A * fast.adjoint(u)), rtol=1e-8, atol=1e-8)


def test_couplings_of_different_kinds_do_not_mix():
    rng, _, family, data = _case((1, "x", 1), 0)
    coupling = family.couple(data, rng.standard_normal(9))
    with pytest.raises(TypeError, match="same leaf"):
        coupling.schur(MatrixFamily.couple(family, data, rng.standard_normal(9)), np.eye(4), np.eye(4))


@pytest.mark.parametrize("basis", ["x", "xz"])
def test_many_rows_agree_with_pairs_of_rows(basis, monkeypatch):
    monkeypatch.setattr("kernelopt_tk._rows.BLOCK", 40 * 300)
    rng, X, family, data = _case((1, basis, 2), 6, n=300)
    part = _part(rng, family.order, 2)
    K = family.gram(part, data).dense()
    np.testing.assert_array_equal(K, K.T)
    for i, j in rng.integers(0, 300, (40, 2)):
        _close(family.cross(part, X[i : i + 1], X[j : j + 1])[0, 0], K[i, j])


def test_the_schur_complement_of_one_coupling_is_that_of_two_equal_ones():
    rng, _, family, data = _case((1, "x", 2), 7, n=300)
    v = rng.standard_normal(300)
    one, same = family.couple(data, v), family.couple(data, v)
    A, B = (S @ S.T for S in rng.standard_normal((2, family.order, family.order)))
    expected = one.schur(same, A, B)
    np.testing.assert_allclose(one.schur(one, A, B), expected, atol=1e-11 * abs(expected).max())
