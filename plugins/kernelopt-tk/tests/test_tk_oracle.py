"""The kernel against its definition and against its printed formula."""

import numpy as np
import pytest
from kernelopt_tk import TK

CASES = [(d, degree, basis) for d in (1, 2, 3) for degree in (0, 1, 2) for basis in ("x", "xz")]


def _symmetric(order, seed=0):
    A = np.random.default_rng(seed).standard_normal((order, order))
    return A + A.T


def _unscaled(X, a, b, **options):
    return TK(rescale=None, bounds=(a, b), **options).prepare(X, np.ones(len(X)))


@pytest.mark.parametrize(("d", "degree", "basis"), CASES)
def test_blend_is_the_defining_integral(d, degree, basis, quadrature):
    rng = np.random.default_rng(d)
    a, b = -0.5 - 0.1 * np.arange(d), 1.5 + 0.2 * np.arange(d)
    X = rng.uniform(-0.4, 1.4, (3, d))
    family = _unscaled(X, a, b, degree=degree, basis=basis)
    P = _symmetric(family.order)
    expected = quadrature(P, family.exponents, a, b, X[:2], X)
    np.testing.assert_allclose(family.blend(P, X[:2], X), expected, rtol=1e-11, atol=1e-11 * abs(expected).max())


@pytest.mark.parametrize(("d", "degree", "basis"), [(2, 1, "x"), (2, 1, "xz"), (2, 2, "xz"), (1, 3, "xz")])
def test_outside_the_bounds_only_the_limits_are_clipped(d, degree, basis, quadrature, formula):
    rng = np.random.default_rng(1)
    a, b = np.full(d, 0.1), np.full(d, 0.9)
    X = rng.uniform(-1.0, 2.0, (6, d))
    X[0] = 0.5
    family = _unscaled(X, a, b, degree=degree, basis=basis)
    P = _symmetric(family.order)
    K = family.blend(P, X, X)
    scale = abs(K).max()
    np.testing.assert_allclose(K, formula(P, family.exponents, a, b, X, X), atol=1e-11 * scale)
    inside = X[:1]
    np.testing.assert_allclose(
        family.blend(P, inside, inside), quadrature(P, family.exponents, a, b, inside, inside), atol=1e-11 * scale
    )
    # A row below the region and a row in it: the definition needs no clipping there.
    low = np.full((1, d), -0.7)
    expected = quadrature(P, family.exponents, a, b, low, inside)
    np.testing.assert_allclose(family.blend(P, low, inside), expected, atol=1e-11 * scale)


@pytest.mark.parametrize("basis", ["x", "xz"])
def test_minmax_is_the_same_kernel_on_rescaled_columns(basis, formula):
    X = np.random.default_rng(2).standard_normal((7, 2)) * [3.0, 1e-3] + [100.0, 0.0]
    family = TK(basis=basis).prepare(X, np.ones(7))
    scaled = (X - X.min(axis=0)) / (X.max(axis=0) - X.min(axis=0))
    P = _symmetric(family.order)
    expected = formula(P, family.exponents, np.full(2, -0.5), np.full(2, 1.5), scaled, scaled)
    np.testing.assert_allclose(family.gram_of(P, family.bind(X)).dense(), expected, rtol=1e-10, atol=1e-10)


def test_one_atom_of_degree_1_is_the_formula_of_order_d():
    """I(l; ww') = V(l) ((w0 + w_x.x + w_z.c)(w0 + w_x.y + w_z.c) + sum_j w_zj^2 (b_j - l_j)^2 / 12)."""
    rng = np.random.default_rng(3)
    d, a, b = 4, np.full(4, -0.5), np.full(4, 1.5)
    X = rng.random((5, d))
    family = _unscaled(X, a, b, basis="xz")
    w = rng.standard_normal(2 * d + 1)
    w0, wz, wx = w[0], w[1 : d + 1][::-1], w[d + 1 :][::-1]
    low = np.maximum(X[:, None], X)
    c, V = 0.5 * (b + low), np.prod(b - low, axis=2)
    f = w0 + (X @ wx)[:, None] + c @ wz
    g = w0 + X @ wx + c @ wz
    expected = V * (f * g + ((b - low) ** 2 @ wz**2) / 12.0)
    p = np.concatenate([w, np.zeros_like(w)])
    np.testing.assert_allclose(family.blend(np.outer(p, p), X, X), expected, rtol=1e-11)


@pytest.mark.parametrize(
    ("d", "degree", "basis", "exponents"),
    [
        (2, 1, "x", [[0, 0], [0, 1], [1, 0]]),
        (1, 2, "xz", [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [2, 0]]),
        (2, 1, "xz", [[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0]]),
    ],
)
def test_exponents_have_the_last_index_fastest(d, degree, basis, exponents):
    X = np.random.default_rng(0).random((3, d))
    family = TK(degree=degree, basis=basis).prepare(X, np.ones(3))
    assert family.exponents.tolist() == exponents
    assert family.order == 2 * len(exponents)
