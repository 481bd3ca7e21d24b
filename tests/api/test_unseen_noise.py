"""Noise beside kernels that have seen the targets: rows that these have not seen say how much there is at least."""

import numpy as np
import pytest

import kernelopt
from kernelopt._api.growth._parts import Parts
from kernelopt._saddle._held_out import noise_held_out
from kernelopt._saddle._objective import Growth


def steps(seed, n):
    """Steps, with noise of deviation 0.1."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    steps = (X[:, 0] > 0.0) + 2.0 * ((X[:, 1] > 0.5) & (X[:, 2] > 0.0))
    return X, steps + 0.1 * rng.normal(size=n)


@pytest.fixture(scope="module")
def learned():
    X, y = steps(2, 100)
    return kernelopt.solve(X, y)


def test_intervals_hold_new_targets_where_trees_joined(learned):
    assert any("kernels of trees joined" in note for note in learned.notes)
    Z, new = steps(3, 2000)
    mean, deviation = learned.predict(Z, return_std=True)
    assert np.mean(np.abs(new - mean) <= 1.96 * deviation) > 0.88
    assert np.mean(learned.score_samples(Z, new)) > -1.0


def along():
    """A wave along one direction of ten columns, with noise of deviation 0.3: a hundred rows, and others."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(1600, 10))
    y = np.sin(X[:, :3].sum(axis=1)) + 0.3 * rng.normal(size=1600)
    return (X[:100], y[:100]), (X[100:], y[100:])


@pytest.fixture(scope="module")
def along_and_tried():
    """What is learned of the wave, and how often trees were tried."""
    tried, whole = [], Parts.parted
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Parts, "parted", lambda parts, fits: tried.append(True) or whole(parts, fits))
        return kernelopt.solve(*along()[0]), len(tried)


@pytest.fixture(scope="module")
def turned(along_and_tried):
    return along_and_tried[0]


def test_intervals_hold_new_targets_where_metrics_joined(turned):
    assert any("learned metrics joined" in note for note in turned.notes)
    Z, new = along()[1]
    mean, deviation = turned.predict(Z, return_std=True)
    assert np.mean(np.abs(new - mean) <= 1.96 * deviation) > 0.9
    narrow = np.sqrt(deviation**2 - turned.posterior.excess)
    assert np.mean(np.abs(new - mean) <= 1.96 * narrow) < 0.85


def test_held_out_rows_change_the_noise_of_new_targets_and_no_prediction(turned, monkeypatch):
    monkeypatch.setattr(Parts, "noise", lambda *_: None)
    by_seen = kernelopt.solve(*along()[0])
    Z = along()[1][0][:50]
    (mean, wide), (same, narrow) = (s.predict(Z, return_std=True) for s in (turned, by_seen))
    assert np.array_equal(mean, same)
    assert wide**2 - narrow**2 == pytest.approx(np.full(50, turned.posterior.excess))
    assert by_seen.certificate == turned.certificate


def test_a_run_from_a_solution_and_a_file_keep_the_noise_of_new_targets(turned, tmp_path):
    again = kernelopt.solve(*along()[0], start=turned)
    assert again.posterior.new == pytest.approx(turned.posterior.new)
    assert again.objective <= turned.objective + 1e-6 * abs(turned.objective)
    turned.save(tmp_path / "model")
    Z = along()[1][0][:50]
    read = kernelopt.load(tmp_path / "model").predict(Z, return_std=True)
    assert np.array_equal(read[1], turned.predict(Z, return_std=True)[1])


def test_of_some_of_many_rows_only_trees_ask_for_noise(monkeypatch):
    """Machines of fewer rows are less sure, and what they leave is no noise."""
    asked = []
    monkeypatch.setattr(kernelopt.Evidence, "growth", lambda self, n, outputs: Growth(3, 1000, 2))
    monkeypatch.setattr(Parts, "noise", lambda *_: asked.append(True))
    monkeypatch.setattr(Parts, "complete", False)
    s = kernelopt.solve(*along()[0])
    assert any("learned metrics joined" in note for note in s.notes)
    assert not asked
    kernelopt.solve(*steps(2, 100))
    assert asked


def test_trees_are_tried_again_only_where_they_gain_alone(along_and_tried):
    s, tried = along_and_tried
    assert any("learned metrics joined" in note for note in s.notes)
    assert tried == 1


@pytest.mark.parametrize("noise", [0.01, 0.3])
def test_held_out_rows_ask_for_the_noise_that_they_have(noise):
    rng = np.random.default_rng(0)
    unknown, believed, weight = rng.uniform(0.0, 0.1, size=2000), np.full(2000, 1e-6), np.ones(2000)
    left = np.sqrt(unknown + noise)[:, None] * rng.normal(size=(2000, 1))
    asked = noise_held_out(left, unknown, believed, 1.0, weight)
    assert asked == pytest.approx(noise, rel=0.3)
    left[7] = 1e6  # one outlier says nothing of the others
    assert noise_held_out(left, unknown, believed, 1.0, weight) == pytest.approx(asked, rel=0.2)


def test_noise_that_is_known_is_left_as_it_is():
    rng = np.random.default_rng(0)
    left = np.sqrt(0.2) * rng.normal(size=(2000, 1))
    assert noise_held_out(left, np.zeros(2000), np.full(2000, 0.4), 1.0, np.ones(2000)) is None
    assert noise_held_out(left, np.zeros(2000), np.full(2000, 0.4), 0.1, np.ones(2000)) is None
