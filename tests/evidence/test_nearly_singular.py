"""Bounds of kernels that are nearly singular beside their noise: moved apart by what rounding may have done."""

import numpy as np
import pytest

import kernelopt
from kernelopt import Status
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._evidence._counting import volume
from kernelopt._evidence._factorisation import factored
from kernelopt._evidence._rounding import lost
from kernelopt._evidence._tangent_criterion import quadratic
from kernelopt._linalg._gram import Dense, LowRank


def factor_of(K):
    """Cholesky's L of K (n, n), in the precision of K."""
    K = K.copy()
    for j in range(len(K)):
        K[j, j] = np.sqrt(K[j, j])
        K[j + 1 :, j] /= K[j, j]
        K[j + 1 :, j + 1 :] -= np.outer(K[j + 1 :, j], K[j + 1 :, j])
    return np.tril(K)


def solved(L, y):
    """L^-1 y."""
    z = y.copy()
    for i in range(len(z)):
        z[i] = (z[i] - L[i, :i] @ z[:i]) / L[i, i]
    return z


def evidence(K, y):
    """1/2 y'K^-1 y + 1/2 log det K + n/2 log 2 pi, in the precision of K."""
    L = factor_of(K)
    z = solved(L, y.astype(K.dtype))
    return 0.5 * (z @ z) + np.log(np.diagonal(L)).sum() + 0.5 * len(z) * np.log(2.0 * np.pi)


def of_features(F, noise, y):
    """The same of F F' + noise I, from the coefficients of a ridge regression, in the precision of F."""
    A = F.T @ F
    A[np.diag_indices(len(A))] += noise
    L = factor_of(A)
    inverse = np.array([solved(L, e) for e in np.eye(len(A), dtype=F.dtype)])
    beta = inverse @ (inverse.T @ (F.T @ y))
    r, determinant = y - F @ beta, 2.0 * np.log(np.diagonal(L)).sum() + (len(y) - len(A)) * np.log(F.dtype.type(noise))
    return 0.5 * (r @ r / noise + beta @ beta) + 0.5 * determinant + 0.5 * len(y) * np.log(2.0 * np.pi)


def nearly_singular(rng, thin, noise, n=60):
    """A Gram, and two targets that it explains up to noise of this variance."""
    X = rng.normal(size=(n, 4))
    if thin:
        return LowRank(X), X @ rng.normal(size=(4, 2)) + np.sqrt(noise) * rng.normal(size=(n, 2))
    apart = ((X[:, None] - X) ** 2).sum(axis=2)
    return Dense(np.exp(-(10.0 ** rng.uniform(-2, 0)) * apart)), np.sin(X[:, :2])


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("thin", [False, True])
def test_rounding_moves_the_evidence_by_less_than_is_stated(seed, thin):
    """Beside eighteen digits."""
    rng = np.random.default_rng(seed)
    noise = 10.0 ** rng.uniform(-12.0, -5.0)
    gram, Y = nearly_singular(rng, thin, noise)
    n = len(Y)
    if thin:
        exact = sum(of_features(gram.factor.astype(np.longdouble), noise, y) for y in Y.T)
    else:
        exact = sum(evidence(gram.dense() + noise * np.eye(n, dtype=np.longdouble), y) for y in Y.T)
    factor, found, V = factored(gram, noise), 0.0, []
    for y in Y.T:
        v = factor.solve(y)
        v = v + factor.solve(y - gram.apply(v) - noise * v)
        qp = DualQP.free(y, np.full(n, noise))
        found += quadratic(factor, qp, v, gram.apply(v)) + volume(factor.log_determinant, n)
        V.append(v)
    stated = lost(gram, noise, factor.inverse(), np.column_stack(V))
    assert abs(float(exact - found)) <= stated
    assert stated < 0.1 * n


def problem(floor):
    """Targets without noise, on a line, so that the noise falls to its least."""
    X = np.random.default_rng(3).normal(size=(60, 1))
    listed = kernelopt.Dictionary([("rbf", {"gamma": 0.01}), ("rbf", {"gamma": 0.1})], normalize=None, rescale=None)
    return X, X[:, 0], {"family": listed, "criterion": {"name": "evidence", "floor": floor, "effort": "quick"}}


def exactly(s, X, y, floor):
    """The evidence of what was learned."""
    apart = (X.astype(np.longdouble) - X[:, 0]) ** 2
    K = np.zeros(apart.shape, np.longdouble)
    atoms = {"dictionary": [np.exp(-np.longdouble(g) * apart) for g in (0.01, 0.1)]}
    atoms |= {"delta": [np.eye(len(X))], "constant": [np.ones(apart.shape)]}
    for leaf, part in zip(s.kernel.leaves, s.mixture.parts, strict=True):
        for a, atom in enumerate(part.atoms):
            which = int(atom[0]) if leaf.family.name == "dictionary" else 0
            K += np.longdouble(leaf.factor) * np.longdouble(part.weights[a]) * atoms[leaf.family.name][which]
    y = y - y.mean()
    return evidence(K + floor * np.mean(y**2) * np.eye(len(X)), y)


@pytest.mark.parametrize("floor", [1e-6, 1e-10, 1e-12, 1e-13])
def test_the_evidence_of_the_learned_kernel_is_not_above_its_upper_bound(floor):
    X, y, asked = problem(floor)
    s = kernelopt.solve(X, y, **asked)
    exact, certificate = float(exactly(s, X, y, floor)), s.certificate
    assert certificate.lower <= exact <= certificate.upper


def test_a_gap_that_rounding_alone_may_be_is_not_within_the_tolerance():
    X, y, asked = problem(1e-13)
    s = kernelopt.solve(X, y, **asked)
    assert s.status is Status.STALLED
    assert any("raise the option floor" in note for note in s.notes)
    assert kernelopt.solve(X, y, **problem(1e-6)[2]).status is Status.STATIONARY


def test_certify_moves_bounds_apart_as_solve_does():
    X, y, asked = problem(1e-12)
    s = kernelopt.solve(X, y, **asked)
    found = kernelopt.certify(X, y, **asked, mixture=s.mixture)
    assert found.upper == pytest.approx(s.certificate.upper, abs=0.1 * s.certificate.gap)
