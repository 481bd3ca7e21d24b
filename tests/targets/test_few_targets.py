"""Few targets are learned by itself from the beginning: what many would share takes longer."""

import math

import numpy as np
import pytest

import kernelopt
from kernelopt import solve_targets
from kernelopt._targets import _costs
from kernelopt._targets._atlas import Atlas
from kernelopt._targets._beginnings import best_single, equal
from kernelopt._targets._costs import few_enough, too_much
from kernelopt._targets._exact import Sums, finished
from kernelopt._targets._fit import TimeIsOver, learned
from kernelopt._targets._options import Options
from kernelopt._targets._shared import Shared

N = 120
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N + 200, 4))
TRUE = np.column_stack([np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2], X[:, 3], 0.5 * X[:, 0] ** 2])
Y = TRUE[:N] + 0.2 * RNG.normal(size=(N, 3))
LISTED = kernelopt.Dictionary(["linear", *(("rbf", {"gamma": g}) for g in (0.01, 0.1, 1.0)), ("poly", {"degree": 2})])


@pytest.fixture
def unshared(monkeypatch):
    """Nothing is decomposed for all targets."""

    def refuse(*_, **__):
        raise AssertionError("few targets share nothing")

    monkeypatch.setattr(Atlas, "first", refuse)


@pytest.mark.usefixtures("unshared")
@pytest.mark.parametrize("effort", ["normal", "quick"])
def test_few_targets_come_to_their_optima_without_what_many_share(effort):
    found = solve_targets(X[:N], Y, family="auto", effort=effort)
    assert found.done.all()
    assert found.alone.all()
    assert found.gap.max() <= 0.5e-3 * N
    assert any("each target was learned by itself" in note for note in found.notes)
    assert not any("quick way" in note for note in found.notes)
    assert np.isnan(found.lost).all()
    for t in range(3):
        assert np.mean((found.predict(X[N:])[:, t] - TRUE[N:, t]) ** 2) < 0.3 * np.var(TRUE[N:, t])


def test_they_are_as_likely_as_with_what_many_share():
    alone = solve_targets(X[:N], Y, family=LISTED, tol=1e-4)
    shared = solve_targets(X[:N], Y, family=LISTED, tol=1e-4, rays=24)
    assert not any("takes less time" in note for note in shared.notes)
    assert (alone.log_evidence >= shared.log_evidence - 0.02).all()
    np.testing.assert_allclose(alone.predict(X[N:]), shared.predict(X[N:]), atol=0.05)


def sums_and_targets():
    """Five kernels and the targets in their basis, at unit variance."""
    kernels = [np.exp(-g * ((X[:N, None] - X[None, :N]) ** 2).sum(axis=2)) for g in (0.01, 0.1, 1.0, 3.0)]
    shared = Shared.of([*kernels, X[:N] @ X[:N].T], np.ones(N))
    targets = (Y - Y.mean(axis=0)) / Y.std(axis=0)
    return Sums(shared.grams, shared.n, 1e-6), *shared.coordinates(targets)


@pytest.mark.parametrize("noise", [0.5, 1e-6])
def test_a_target_finds_its_optimum_from_far_away(noise):
    sums, Z, outside = sums_and_targets()
    far = equal(5)
    far[0, -1] = noise
    for k in range(3):
        end = finished(sums, Z[[k]], outside[[k]], far, 1e-3)
        assert end.bound[0] <= 1e-3
        again = finished(sums, Z[[k]], outside[[k]], end.w, 1e-6)
        assert end.value[0] - 1e-3 <= again.value[0] <= end.value[0] + 1e-9


def test_the_best_kernel_alone_is_as_likely_as_it_is_said_to_be():
    sums, Z, outside = sums_and_targets()
    w = best_single(sums, Z, outside, lambda: None)
    assert (np.count_nonzero(w[:, :-1], axis=1) == 1).all()
    a = int(np.argmax(w[0, :-1]))

    def value(tau, s):
        V = tau * (sums.grams[a] + s * np.eye(len(sums.grams[a])))
        more = (sums.n - len(V)) * np.log(tau * s) + outside[0] / (tau * s)
        return 0.5 * (np.linalg.slogdet(V)[1] + Z[0] @ np.linalg.solve(V, Z[0]) + more)

    tau, s = w[0, a], w[0, -1] / w[0, a]
    assert all(value(tau, s) <= value(other * tau, s) + 1e-9 for other in (0.5, 0.9, 1.1, 2.0))
    assert all(value(tau, s) <= value(tau, other * s) + 1e-9 for other in (0.1, 10.0))


@pytest.mark.parametrize("level", [0.0, 10.0, 1e3])
def test_r2_by_cross_validation_is_that_of_the_definition_without_noise_and_on_any_level(level):
    """The kernels of columns of a high level are centred up to rounding, which is large beside next to no noise."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 200))
    targets = rows @ rng.normal(size=(200, 4))
    found = solve_targets(rows + level, targets, family=kernelopt.Dictionary(["linear"]))
    centred = rows - rows.mean(axis=0)
    gram, flat = centred @ centred.T, np.full((60, 60), 1.0 / 60)
    for t in range(4):
        V = found.weights[0, t] * gram / (np.trace(gram) / 60) + found.noise[t] * np.eye(60)
        inverse = np.linalg.inv(V + targets[:, t].var() * flat)
        left = inverse @ (targets[:, t] - targets[:, t].mean())
        free = np.trace(inverse) - np.vdot(inverse, flat)
        wanted = 1.0 - 60 * left @ left / free**2 / targets[:, t].var()
        assert found.r2_cv[t] == pytest.approx(wanted, abs=1e-3)


def test_cost_decides_what_few_targets_are():
    assert few_enough(2, 30, 300, quick=False)
    assert few_enough(2, 30, 300, quick=True)
    assert not few_enough(10_000, 4, 1000, quick=False)
    assert not few_enough(10_000, 4, 1000, quick=True)
    assert not few_enough(2, 0, 300, quick=False)
    assert few_enough(100_000, 100, 400, quick=False)


def test_targets_are_learned_by_themselves_where_what_they_share_takes_too_much(monkeypatch):
    monkeypatch.setattr(_costs, "_pace", lambda: 1e-10)
    assert too_much(10_000, 4, 1000, quick=False, seconds=10.0)
    assert not too_much(10_000, 4, 1000, quick=False, seconds=1000.0)
    assert not too_much(10_000, 4, 1000, quick=True, seconds=math.inf)
    assert not too_much(2, 0, 300, quick=False, seconds=1e-9)
    monkeypatch.setattr(_costs, "fits", lambda need: need < 1 << 30)
    assert too_much(10_000, 100, 400, quick=True, seconds=math.inf)


@pytest.mark.parametrize(("rays", "effort"), [(6, "normal"), (6, "quick"), (None, "normal")])
@pytest.mark.parametrize("most", [0, 3, 8, 12])
def test_time_may_end_before_each_sum_of_kernels_and_each_target(rays, effort, most):
    looks = []

    def told(words, _share):
        looks.append(words)
        if len(looks) > most:
            raise TimeIsOver

    kernels = [np.exp(-gamma * ((X[:N, None] - X[:N]) ** 2).sum(axis=2)) for gamma in (0.01, 0.1, 1.0)]
    found, _ = learned(kernels, np.hstack([Y] * 4), Options(tol=1e-6, rays=rays, effort=effort, batch=4), told)
    assert len(looks) > most
    assert np.isfinite(found.solution[:, found.done]).all()
    assert np.isnan(found.solution[:, ~found.done]).all()
    assert not found.done.all()
