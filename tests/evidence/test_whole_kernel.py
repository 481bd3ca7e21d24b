"""The whole kernel by conjugate gradients: what a factorisation finds, and how sure landmarks may be beside it."""

import attrs
import numpy as np
import pytest
from scipy.special import expit

from kernelopt._evidence import _whole_kernel
from kernelopt._evidence._whole_kernel import Equations, HalfGram, Spanned, WholeKernel, noisier, share_of
from kernelopt._evidence.classes import _newton
from kernelopt._evidence.classes._laplace import Classes
from kernelopt._evidence.classes._whole_classes import WholeClasses
from kernelopt._linalg._feature_block import HeldBlock
from kernelopt._linalg._gram import Dense

RNG = np.random.default_rng(0)
N = 300
X = RNG.normal(size=(N, 2))
K = np.exp(-np.abs(X[:, None] - X).sum(axis=2))
Y = np.column_stack([np.sin(2.0 * X[:, 0]), X[:, 1]]) + 0.2 * RNG.normal(size=(N, 2))
TAU = 0.05
WEIGHT = RNG.uniform(0.5, 3.0, size=N)
SCALE = np.sqrt(WEIGHT)


class Laplacian:
    @staticmethod
    def among(X):
        return lambda some, others: np.exp(-np.abs(X[some, None] - X[others]).sum(axis=2))


def spanned(landmarks):
    some = np.arange(landmarks)
    phi = np.linalg.solve(np.linalg.cholesky(K[np.ix_(some, some)] + 1e-12 * np.eye(landmarks)), K[some]).T
    return Spanned(HeldBlock(phi), np.ones(landmarks), np.maximum(1.0 - np.sum(phi**2, axis=1), 0.0))


def whole(landmarks=60):
    return WholeKernel(HalfGram.of(len(X), Laplacian.among(X), lambda share: False), spanned(landmarks))


def equations(scale, landmarks=60):
    return Equations.of(whole(landmarks), scale, TAU)


def wanted(scale, kept):
    u = np.zeros((N, 2))
    inner = scale[kept, None] * K[np.ix_(kept, kept)] * scale[kept] + TAU * np.eye(len(kept))
    u[kept] = np.linalg.solve(inner, Y[kept])
    return u


@pytest.mark.parametrize("scale", [np.ones(N), SCALE], ids=["plain", "scaled"])
@pytest.mark.parametrize("kept", [None, np.arange(0, N, 2)], ids=["all", "half"])
def test_it_is_what_a_factorisation_finds(scale, kept):
    rows = np.arange(N) if kept is None else kept
    u, exact = equations(scale).solved(Y, bool, kept), wanted(scale, rows)
    assert np.sqrt(np.mean((K @ (scale[:, None] * (u - exact))) ** 2)) < 0.02
    out = np.setdiff1d(np.arange(N), rows)
    assert (u[out] == 0.0).all()


def test_half_of_a_gram_is_a_gram():
    some = np.array([5, 17, 250])
    assert whole().gram.image(Y) == pytest.approx(K @ Y, rel=1e-5, abs=1e-5)
    assert whole().gram.between(some, Y) == pytest.approx(K[some] @ Y, rel=1e-5, abs=1e-5)


def test_what_all_entries_have_in_common_takes_no_digits():
    """A smooth kernel is nearly constant, and in single precision the rest would be lost."""
    among = Laplacian.among(X)
    half = HalfGram.of(N, lambda some, others: 1e4 + among(some, others), lambda share: False)
    assert half.image(Y) == pytest.approx(1e4 * Y.sum(axis=0) + K @ Y, abs=1e-4)
    assert half.between(np.arange(9), Y) == pytest.approx(1e4 * Y.sum(axis=0) + K[:9] @ Y, abs=1e-4)


def test_what_landmarks_span_counts_scaled_rows():
    known = spanned(60)
    phi = SCALE[:, None] * known.features.values
    assert known.inner(SCALE**2) == pytest.approx(phi.T @ phi)


def test_a_start_changes_nothing():
    rows = np.arange(0, N, 2)
    first = equations(SCALE).solved(Y, bool)
    u, exact = equations(SCALE).solved(Y, bool, rows, first), wanted(SCALE, rows)
    assert np.sqrt(np.mean((K @ (SCALE[:, None] * (u - exact))) ** 2)) < 0.02


@pytest.mark.parametrize("tile", [7, 64, 10_000])
@pytest.mark.parametrize("columns", [1, 2, 5])
def test_half_of_a_gram_is_as_good_as_all_of_it(tile, columns, monkeypatch):
    monkeypatch.setattr(_whole_kernel, "_TILE", tile)
    half, rng = HalfGram.of(N, Laplacian.among(X), lambda share: False), np.random.default_rng(2)
    B, rows = rng.normal(size=(N, columns)), np.sort(rng.permutation(N)[: N // 3])
    assert half.image(B) == pytest.approx(K @ B, rel=1e-4, abs=1e-4)
    assert half.between(rows, B) == pytest.approx(K[rows] @ B, rel=1e-4, abs=1e-4)


def test_landmarks_make_it_take_few_steps():
    asked = []
    equations(np.ones(N), 150).solved(Y, lambda: bool(asked.append(1)))
    many = len(asked)
    asked.clear()
    equations(np.ones(N), 2).solved(Y, lambda: bool(asked.append(1)))
    assert many < 0.5 * len(asked)


def test_it_stops_when_it_is_asked_to():
    assert equations(np.ones(N)).solved(Y, lambda: True) is None
    assert HalfGram.of(len(X), Laplacian.among(X), lambda share: share >= 0.5) is None


def test_steps_that_do_not_settle_are_no_answer(monkeypatch):
    monkeypatch.setattr(_whole_kernel, "_STEPS", 2)
    assert equations(np.ones(N), 2).solved(Y, bool) is None


def test_steps_whose_pace_is_hopeless_end_early(monkeypatch):
    asked, known = [], Equations.of(whole(2), np.ones(N), 1e-5)
    known.solved(Y, lambda: bool(asked.append(1)))
    needed = len(asked)
    asked.clear()
    monkeypatch.setattr(_whole_kernel, "_STEPS", needed // 3)
    monkeypatch.setattr(_whole_kernel, "_JUDGED", needed // 6)
    assert known.solved(Y, lambda: bool(asked.append(1))) is None
    assert len(asked) < needed // 4


def test_columns_that_have_settled_are_left_alone():
    easy = np.column_stack([Y[:, 0], 0.1 * Y[:, 1], np.zeros(N)])
    asked, known = [], equations(np.ones(N), 20)
    plain = known.whole.gram

    class Watched:
        @staticmethod
        def image(B):
            asked.append(B.shape[1])
            return plain.image(B)

    found = attrs.evolve(known, whole=attrs.evolve(known.whole, gram=Watched)).solved(easy, bool)
    assert asked[0] == 2  # a column of zeros has settled before the first step
    assert asked[-1] == 1
    assert found[:, 0] == pytest.approx(known.solved(Y, bool)[:, 0], rel=1e-9)


def test_a_matrix_that_rounding_made_indefinite_is_left_at_once():
    """Of a smooth kernel the smallest eigenvalues are rounding; where the noise is less, no step can be trusted."""
    smooth = np.exp(-0.05 * np.sum((X[:, None] - X) ** 2, axis=2)).astype(np.float32)
    smooth[np.diag_indices(N)] -= np.float32(1e-3)
    asked = []
    known = WholeKernel(HalfGram.of(N, lambda some, others: smooth[some, others], lambda share: False), spanned(60))
    assert Equations.of(known, np.ones(N), 1e-9).solved(Y, lambda: bool(asked.append(1))) is None
    assert len(asked) < _whole_kernel._STEPS


@pytest.mark.parametrize("weight", [np.ones(N), WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("scale", [0.3, 8.0])
def test_the_mode_of_classes_is_that_of_the_whole_gram(weight, scale, monkeypatch):
    monkeypatch.setattr(_whole_kernel, "_SETTLED", 1e-5)
    monkeypatch.setattr(_newton, "_SETTLED", 1e-9)
    y = np.sign(Y[:, 0])
    found = WholeClasses(whole(), y, weight, bool).mode(scale)
    exact = Classes(Dense(K), 0.0, y, weight).mode(scale)
    assert found.settled
    assert found.f == pytest.approx(exact.f, abs=1e-3)
    assert found.a == pytest.approx(weight * y * expit(-y * found.f), abs=1e-3)


def test_odds_that_are_known_beforehand_are_part_of_the_mode(monkeypatch):
    """The mode has no slope: each a is what its row has left to say."""
    monkeypatch.setattr(_whole_kernel, "_SETTLED", 1e-5)
    monkeypatch.setattr(_newton, "_SETTLED", 1e-9)
    y, known = np.sign(Y[:, 0]), 2.0 * X[:, 1]
    found = WholeClasses(whole(), y, WEIGHT, bool, known).mode(2.0)
    assert found.settled
    assert found.f == pytest.approx(2.0 * K @ found.a, abs=1e-3)
    assert found.a == pytest.approx(WEIGHT * y * expit(-y * (known + found.f)), abs=1e-3)


def test_a_mode_whose_equations_do_not_settle_says_so(monkeypatch):
    monkeypatch.setattr(_whole_kernel, "_STEPS", 1)
    assert not WholeClasses(whole(2), np.sign(Y[:, 0]), WEIGHT, bool).mode(8.0).settled


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_the_share_is_that_of_the_residuals(share):
    unknown, noise = RNG.uniform(0.1, 2.0, size=5000), np.full(5000, 0.2)
    left = np.sqrt(noise + share * unknown)[:, None] * RNG.normal(size=(5000, 2))
    assert share_of(left, unknown, noise) == pytest.approx(share, abs=0.05)


@pytest.mark.parametrize("times", [1.0, 4.0, 30.0])
def test_the_noise_is_at_least_what_residuals_say(times):
    unknown, noise = RNG.uniform(0.0, 2.0, size=5000), np.full(5000, 0.02)
    unknown[::2] = 0.0  # known to landmarks, which are right but for the noise
    left = np.sqrt(times * noise + 0.5 * unknown)[:, None] * RNG.normal(size=(5000, 2))
    assert noisier(left, unknown, noise) == pytest.approx(times, rel=0.05)
    assert noisier(0.1 * left, unknown, noise) == pytest.approx(max(0.01 * times, 1.0), rel=0.05)


def test_one_row_alone_asks_for_no_more_noise():
    left, unknown, noise = RNG.normal(size=(40, 1)), np.zeros(40), np.ones(40)
    left[0] = 30.0
    assert noisier(left, unknown, noise) == 1.0
    left[:8] = 30.0
    assert noisier(left, unknown, noise) > 100.0


@pytest.mark.parametrize("kept", [None, np.arange(20, N)])
@pytest.mark.parametrize("share", [0.0625, 0.25, 4.0, 16.0])
def test_other_noise_needs_no_other_preconditioner(share, kept, monkeypatch):
    monkeypatch.setattr(_whole_kernel, "_SETTLED", 1e-5)
    first = Equations.of(whole(), SCALE, TAU)
    again = first.noisy(share * TAU)
    wanted = Equations.of(whole(), SCALE, share * TAU).solved(Y, bool, kept)
    assert again.solved(Y, bool, kept, first.solved(Y, bool, kept)) == pytest.approx(wanted, abs=1e-3)
