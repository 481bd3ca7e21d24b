"""The whole kernel by conjugate gradients: what a factorisation finds, and how sure landmarks may be beside it."""

import numpy as np
import pytest

from kernelopt._evidence import _whole_kernel
from kernelopt._evidence._whole_kernel import Spanned, WholeKernel, share_of

RNG = np.random.default_rng(0)
N = 300
X = RNG.normal(size=(N, 2))
K = np.exp(-np.abs(X[:, None] - X).sum(axis=2))
Y = np.column_stack([np.sin(2.0 * X[:, 0]), X[:, 1]]) + 0.2 * RNG.normal(size=(N, 2))
TAU = 0.05
WEIGHT = RNG.uniform(0.5, 3.0, size=N)


class Laplacian:
    @staticmethod
    def between(Z, X):
        return np.exp(-np.abs(Z[:, None] - X).sum(axis=2))


def whole(weight, landmarks=60):
    some = np.arange(landmarks)
    phi = np.linalg.solve(np.linalg.cholesky(K[np.ix_(some, some)] + 1e-12 * np.eye(landmarks)), K[some]).T
    root = np.ones(landmarks)
    inner = phi.T @ (weight[:, None] * phi)
    spanned = Spanned(phi, root, inner, np.maximum(1.0 - np.sum(phi**2, axis=1), 0.0))
    return WholeKernel.of(Laplacian, X, weight, TAU, spanned, lambda share: False)


def wanted(weight, kept):
    v = np.zeros((N, 2))
    inner = K[np.ix_(kept, kept)] + np.diag(TAU / weight[kept])
    v[kept] = np.linalg.solve(inner, Y[kept])
    return v


@pytest.mark.parametrize("weight", [np.ones(N), WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("kept", [None, np.arange(0, N, 2)], ids=["all", "half"])
def test_it_is_what_a_factorisation_finds(weight, kept):
    rows = np.arange(N) if kept is None else kept
    v, exact = whole(weight).solved(Y, bool, kept), wanted(weight, rows)
    assert np.sqrt(np.mean((K @ (v - exact)) ** 2)) < 0.02
    out = np.setdiff1d(np.arange(N), rows)
    assert (v[out] == 0.0).all()
    some = np.array([5, 17, 250])
    assert whole(weight).between(some, v) == pytest.approx(K[some] @ v)


def test_a_start_changes_nothing():
    rows = np.arange(0, N, 2)
    first = whole(WEIGHT).solved(Y, bool)
    v, exact = whole(WEIGHT).solved(Y, bool, rows, first), wanted(WEIGHT, rows)
    assert np.sqrt(np.mean((K @ (v - exact)) ** 2)) < 0.02


def test_landmarks_make_it_take_few_steps():
    asked = []
    whole(np.ones(N), 150).solved(Y, lambda: bool(asked.append(1)))
    many = len(asked)
    asked.clear()
    whole(np.ones(N), 2).solved(Y, lambda: bool(asked.append(1)))
    assert many < 0.5 * len(asked)


def test_it_stops_when_it_is_asked_to():
    assert whole(np.ones(N)).solved(Y, lambda: True) is None
    some = Spanned(np.zeros((N, 1)), np.ones(1), np.eye(1), np.ones(N))
    assert WholeKernel.of(Laplacian, X, np.ones(N), TAU, some, lambda share: share >= 0.5) is None


def test_steps_that_do_not_settle_are_no_answer(monkeypatch):
    monkeypatch.setattr(_whole_kernel, "_STEPS", 2)
    assert whole(np.ones(N), 2).solved(Y, bool) is None


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_the_share_is_that_of_the_residuals(share):
    unknown, noise = RNG.uniform(0.1, 2.0, size=5000), np.full(5000, 0.2)
    left = np.sqrt(noise + share * unknown)[:, None] * RNG.normal(size=(5000, 2))
    assert share_of(left, unknown, noise) == pytest.approx(share, abs=0.05)
