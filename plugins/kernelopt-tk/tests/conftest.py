"""Naive oracles of the tessellated kernel, written from its definition and from its printed formula."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest


def _pieces(a, b, breaks, nodes):
    """Gauss-Legendre nodes and weights on [a, b], split where the indicators jump."""
    t, w = np.polynomial.legendre.leggauss(nodes)
    cuts = sorted({a, b, *np.clip(breaks, a, b)})
    points = [(0.5 * (hi - lo) * t + 0.5 * (hi + lo), 0.5 * (hi - lo) * w) for lo, hi in itertools.pairwise(cuts)]
    return np.concatenate([p for p, _ in points]), np.concatenate([w for _, w in points])


def _half_vector(z, x, exponents):
    variables = x if exponents.shape[1] == len(x) else np.concatenate([x, z])
    monomials = np.prod(variables**exponents, axis=1)
    inside = float(np.all(z >= x))
    return np.concatenate([monomials * inside, monomials * (1.0 - inside)])


def _by_quadrature(P, exponents, a, b, x, y):
    """The integral of N(z, x)' P N(z, y) over [a, b], exact for the degrees that occur."""
    nodes = int(exponents.sum(axis=1).max()) + 1
    axes = [_pieces(a[j], b[j], (x[j], y[j]), nodes) for j in range(len(x))]
    total = 0.0
    for place in itertools.product(*[range(len(points)) for points, _ in axes]):
        z = np.array([axes[j][0][i] for j, i in enumerate(place)])
        weight = np.prod([axes[j][1][i] for j, i in enumerate(place)])
        total += weight * _half_vector(z, x, exponents) @ P @ _half_vector(z, y, exponents)
    return total


def _box(M, exponents, low, b, x, y):
    """I(low; M): monomial by monomial, the integral of each power of z in each dimension."""
    d, total = len(x), 0.0
    padded = np.hstack([exponents, np.zeros_like(exponents)]) if exponents.shape[1] == d else exponents
    for i, j in np.ndindex(M.shape):
        gamma = padded[i, d:] + padded[j, d:]
        moment = np.prod((b ** (gamma + 1) - low ** (gamma + 1)) / (gamma + 1))
        total += M[i, j] * np.prod(x ** padded[i, :d]) * np.prod(y ** padded[j, :d]) * moment
    return total


def _by_formula(P, exponents, a, b, x, y):
    """I(p*; Q-R-R'+S) + I(x; R-S) + I(y; R'-S) + I(a; S)."""
    q = len(P) // 2
    Q, R, S = P[:q, :q], P[:q, q:], P[q:, q:]
    cx, cy = np.clip(x, a, b), np.clip(y, a, b)
    near = _box(Q - R - R.T + S, exponents, np.maximum(cx, cy), b, x, y)
    return (
        near
        + _box(R - S, exponents, cx, b, x, y)
        + _box(R.T - S, exponents, cy, b, x, y)
        + _box(S, exponents, a, b, x, y)
    )


def _matrix_of(one: Callable[..., float]):
    return lambda P, exponents, a, b, X, Y: np.array([[one(P, exponents, a, b, x, y) for y in Y] for x in X])


@pytest.fixture
def quadrature():
    return _matrix_of(_by_quadrature)


@pytest.fixture
def formula():
    return _matrix_of(_by_formula)
