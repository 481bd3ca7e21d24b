"""Several targets under one kernel: each of them has the noise and the size that make it the most likely."""

import json

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import kernelopt
from kernelopt import Evidence
from kernelopt._base._errors import ModelFileError
from kernelopt._evidence.noise._own_noise import best_ratios
from kernelopt._io._container import Content, read, write
from kernelopt._prediction._several import Several

NOISES = (0.05, 0.3, 1.0)
LISTS = {
    "rows": kernelopt.Dictionary([("rbf", {"gamma": 0.1}), ("rbf", {"gamma": 1.0}), "linear"]),
    "features": kernelopt.Dictionary(["linear"]),
}


def problem(n, seed=0, linear=False, noises=NOISES):
    """The same function with small and large noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    f = X[:, 0] - 0.5 * X[:, 1] if linear else np.sin(2.0 * X[:, 0]) + X[:, 1]
    return X, f, f[:, None] + rng.normal(size=(n, len(noises))) * noises


def learned(X, Y, family="rows", **options):
    criterion = Evidence(targets="numbers", **options)
    return kernelopt.solve(X, Y, family=LISTS[family], criterion=criterion)


def of_each(s):
    """Noise and size of each target, in its own units."""
    noise = np.array([one.noise for one in s.posterior.each])[s.posterior.which]
    return noise, s.posterior.size * s.posterior.unit**2


@pytest.mark.parametrize("family", LISTS)
def test_v_and_deviations_are_those_of_a_gaussian_process_with_each_noise(family):
    X, _, Y = problem(60, linear=family == "features")
    s = learned(X, Y, family)
    Z = problem(20, seed=1)[0]
    noise, size = of_each(s)
    assert len(set(noise)) > 1
    K, C, here = s.kernel(X), s.kernel(Z, X), s.kernel.diag(Z)
    mean, deviation = s.predict(Z, return_std=True)
    for c in range(3):
        A = K + noise[c] * np.eye(60)
        left = Y[:, c] - s.predictor.intercept[c]
        np.testing.assert_allclose(A @ s.coefficients[:, c], left, atol=1e-7 * np.abs(left).max())
        np.testing.assert_allclose(mean[:, c], s.predictor.intercept[c] + C @ np.linalg.solve(A, left), atol=1e-6)
        variance = size[c] * (here - np.einsum("ij,ji->i", C, np.linalg.solve(A, C.T)) + noise[c])
        np.testing.assert_allclose(deviation[:, c], np.sqrt(s.posterior.doubt * variance), rtol=1e-6)


def test_noise_and_size_of_each_target_are_the_most_probable():
    X, _, Y = problem(60)
    s = learned(X, Y)
    noise, size = of_each(s)
    K, shared = s.kernel(X), s.posterior.noise

    def probable(c, ratio, size):
        A = K + ratio * shared * np.eye(60)
        density = multivariate_normal.logpdf(Y[:, c] - s.predictor.intercept[c], cov=size * A)
        return density - 0.5 * (np.log(ratio) / 2.0) ** 2

    for c in range(3):
        ratio = noise[c] / shared
        found = probable(c, ratio, size[c])
        assert all(probable(c, ratio, size[c] * factor) <= found for factor in (0.9, 1.1))
        best = {}
        for r in 2.0 ** (0.5 * np.arange(-20, 21)):
            best[r] = probable(c, r, _size(K + r * shared * np.eye(60), Y[:, c], s, c))
        assert max(best, key=best.get) == pytest.approx(ratio)


def _size(A, y, s, c):
    left = y - s.predictor.intercept[c]
    return left @ np.linalg.solve(A, left) / len(left)


def test_intervals_hold_of_each_target_what_they_say():
    X, _, Y = problem(200)
    s = learned(X, Y)
    Z, f, new = problem(2000, seed=1)
    lower, upper = s.predict_interval(Z, share=0.95)
    np.testing.assert_allclose(((lower < new) & (new < upper)).mean(axis=0), 0.95, atol=0.035)
    errors = np.mean((s.predict(Z) - f[:, None]) ** 2, axis=0)
    assert errors[0] < 0.6 * errors[1]
    assert errors[1] < 0.6 * errors[2]


def test_targets_of_one_noise_keep_the_noise_that_they_have_in_common():
    X, _, Y = problem(200, noises=(0.3, 0.3))
    s = learned(X, Y)
    assert np.all(np.abs(np.log2([one.noise / s.posterior.noise for one in s.posterior.each])) <= 1.0)
    np.testing.assert_allclose(s.posterior.size, 1.0, rtol=0.5)


def test_the_unit_of_a_target_changes_nothing_but_its_unit():
    X, _, Y = problem(80)
    factors = np.array([1e-3, 1.0, 1e4])
    Z = problem(10, seed=1)[0]
    (mean, deviation), (other, wide) = (learned(X, y).predict(Z, return_std=True) for y in (Y, Y * factors))
    np.testing.assert_allclose(other, mean * factors, rtol=1e-6, atol=1e-8 * factors.max())
    np.testing.assert_allclose(wide, deviation * factors, rtol=1e-6)


def test_a_constant_target_is_known_and_changes_no_other():
    X, _, Y = problem(80)
    Z = problem(10, seed=1)[0]
    with_constant = np.column_stack([Y[:, 0], np.full(80, 3.0), Y[:, 2]])
    mean, deviation = learned(X, with_constant).predict(Z, return_std=True)
    np.testing.assert_array_equal(mean[:, 1], 3.0)
    np.testing.assert_array_equal(deviation[:, 1], 0.0)
    without, sure = learned(X, Y[:, [0, 2]]).predict(Z, return_std=True)
    np.testing.assert_allclose(mean[:, [0, 2]], without)
    np.testing.assert_allclose(deviation[:, [0, 2]], sure)


def test_a_row_that_counts_twice_is_two_rows():
    X, _, Y = problem(80, linear=True)
    times = np.random.default_rng(2).integers(1, 4, size=80)
    Z = problem(10, seed=1)[0]
    criterion = Evidence(targets="numbers")
    one = kernelopt.solve(X, Y, family=LISTS["features"], criterion=criterion, sample_weight=times, tol=1e-6)
    copied = np.repeat(np.arange(80), times)
    many = kernelopt.solve(X[copied], Y[copied], family=LISTS["features"], criterion=criterion, tol=1e-6)
    for got, wanted in zip(of_each(one), of_each(many), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=0.05)
    for got, wanted in zip(one.predict(Z, return_std=True), many.predict(Z, return_std=True), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=2e-2, atol=1e-2)


def test_noise_of_students_t_is_larger_in_one_target_than_in_another():
    X, f, _ = problem(150)
    rng = np.random.default_rng(3)
    Y = f[:, None] + rng.standard_t(3.0, size=(150, 2)) * [0.02, 0.4]
    s = learned(X, Y, noise="student")
    assert s.posterior.degrees is not None
    _, deviation = s.predict(X, return_std=True)
    assert deviation[:, 1].mean() > 5.0 * deviation[:, 0].mean()
    assert np.mean((s.predict(X)[:, 0] - f) ** 2) < 0.1 * np.mean((s.predict(X)[:, 1] - f) ** 2)


def test_many_rows_learn_the_ratios_from_some():
    X, _, Y = problem(1100, seed=1)
    criterion = Evidence(targets="numbers", effort="quick")
    s = kernelopt.solve(X, Y, family=LISTS["rows"], criterion=criterion)
    noise, size = of_each(s)
    np.testing.assert_allclose(np.sqrt(noise * size), NOISES, rtol=0.25)


def test_without_time_the_certified_machine_predicts():
    X, _, Y = problem(60)
    s = kernelopt.solve(X, Y, family=LISTS["rows"], criterion=Evidence(targets="numbers"), max_seconds=1e-9)
    assert not isinstance(s.posterior, Several)
    np.testing.assert_allclose(s.coefficients, s.response.V * Y.std(axis=0), rtol=1e-9)


def test_one_target_of_two_that_vary_has_no_noise_apart():
    X, _, Y = problem(60)
    alone, beside = learned(X, Y[:, 0]), learned(X, np.column_stack([Y[:, 0], np.ones(60)]))
    assert not isinstance(beside.posterior, Several)
    np.testing.assert_allclose(beside.predict(X)[:, 0], alone.predict(X))


@pytest.mark.parametrize("family", LISTS)
def test_a_file_keeps_the_noise_of_each_target(family, tmp_path):
    X, _, Y = problem(60, linear=family == "features")
    s = learned(X, Y, family)
    s.save(tmp_path / "model")
    for got, wanted in zip(
        kernelopt.load(tmp_path / "model").predict(X, return_std=True), s.predict(X, return_std=True), strict=True
    ):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("what", ["size", "which"])
def test_a_file_with_the_noise_of_other_targets_is_refused(what, tmp_path):
    X, _, Y = problem(60)
    path = tmp_path / "model"
    learned(X, Y).save(path)
    content = read(path)
    model = json.loads(content.words["model"])
    name = model["posterior"]["fields"][what]["array"]
    broken = {**content.arrays, name: content.arrays[name][:-1]}
    write(path, Content(content.words, broken))
    with pytest.raises(ModelFileError, match="of the targets"):
        kernelopt.load(path)


@pytest.mark.parametrize("best", [-9, -3, 0, 2, 9])
def test_the_search_finds_the_largest_of_a_function_with_one_summit(best):
    def density(ratio):
        return np.array([-50.0 * abs(np.log2(ratio) - best), 0.0])

    np.testing.assert_array_equal(best_ratios(density, 2, 0.0, lambda: False), [2.0**best, 1.0])
    assert best_ratios(density, 2, 2.0**-5, lambda: False)[0] == 2.0 ** max(best, -5)
    np.testing.assert_array_equal(best_ratios(density, 2, 0.0, lambda: True), 1.0)


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_targets_with_noise_of_different_sizes_have_no_outliers(seed):
    X, _, Y = problem(600, seed)
    s = learned(X, Y)
    assert s.tails is None
    np.testing.assert_allclose(np.sqrt(np.multiply(*of_each(s))), NOISES, rtol=0.25)
