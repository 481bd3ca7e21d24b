"""How much each kernel counts for one of several targets: the density, its slopes, and when a change is taken."""

import attrs
import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.stats import multivariate_normal

import kernelopt
from kernelopt import Evidence
from kernelopt._base._budget import Budget
from kernelopt._evidence.noise import _own_weights
from kernelopt._evidence.noise._own_noise import Likelihood
from kernelopt._evidence.noise._own_weights import Member, Members, members_of, with_own_weights
from kernelopt._families._mixture import Mixture, Part
from kernelopt._families.variances._delta import Delta
from kernelopt._linalg._gram import Dense
from kernelopt._prediction._own_noise import OwnNoise


def some_members(n=30, copies=4.0):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    Y = np.sin(2.0 * X) + 0.2 * rng.normal(size=(n, 3))
    grams = (
        np.array([np.exp(-((X[:, j, None] - X[:, j]) ** 2)) for j in range(3)])
        * np.array([0.5, 0.3, 0.2])[:, None, None]
    )
    D = 0.1 / np.linspace(1.0, 2.0, n)
    shared = grams.sum(axis=0)
    return Members(Likelihood(Dense(shared.copy()), D, Y, n + copies, copies), shared, grams)


def test_a_look_is_the_density_with_its_most_probable_size_and_its_slopes():
    members = some_members(copies=0.0)
    y, logs = members.likelihood.Y[:, 0], np.array([0.3, -1.0, 0.5, 0.7])
    K = np.tensordot(np.exp(logs[:3]), members.grams, 1) + np.exp(logs[3]) * np.diag(members.likelihood.D)
    size = y @ np.linalg.solve(K, y) / 30
    wanted = multivariate_normal.logpdf(y, cov=size * K) + 15.0 * (1.0 + np.log(2.0 * np.pi))
    look = members.at(y, logs)
    np.testing.assert_allclose(look.value, wanted)
    inverse = np.linalg.inv(K)
    left = (inverse @ y / np.diagonal(inverse)) ** 2
    np.testing.assert_allclose(look.left, np.average(left, weights=1.0 / members.likelihood.D))


def test_slopes_are_the_derivatives():
    members = some_members()
    y, logs = members.likelihood.Y[:, 0], np.array([0.3, -1.0, 0.5, 0.7])
    found = approx_fprime(logs, lambda at: members.at(y, at).value, 1e-6)
    np.testing.assert_allclose(members.at(y, logs).slopes, found, rtol=1e-4, atol=1e-5)


def settled(members, y, monkeypatch, **constants):
    """The multiples and the ratio that are found with as many looks as it takes."""
    for name, value in {"_LOOKS": 1000, "_CLOSE": 1e-12, **constants}.items():
        monkeypatch.setattr(_own_weights, name, value)
    return members.own(y, 1.0, 1e-6)


def test_a_weight_moves_until_its_slope_is_that_of_the_prior_and_stays_where_it_is_less(monkeypatch):
    members = some_members(n=60, copies=0.0)
    multiples, ratio = settled(members, members.likelihood.Y[:, 0], monkeypatch)
    slopes = members.at(members.likelihood.Y[:, 0], np.log(np.append(multiples, ratio))).slopes
    moved = multiples != 1.0
    assert moved.any()
    np.testing.assert_allclose(slopes[:-1][moved], np.sign(np.log(multiples[moved])), atol=1e-2)
    assert np.all(np.abs(slopes[:-1][~moved]) <= 1.0 + 1e-2)
    np.testing.assert_allclose(slopes[-1], np.log(ratio) / 4.0, atol=1e-2)


def test_weights_are_taken_for_a_gain_that_is_large_enough(monkeypatch):
    members = some_members(n=60, copies=0.0)
    y = members.likelihood.Y[:, 0]
    multiples, ratio = settled(members, y, monkeypatch)
    here, before = members.at(y, np.log(np.append(multiples, ratio))), members.at(y, np.zeros(4))
    gain = here.value - np.abs(np.log(multiples)).sum() - np.log(ratio) ** 2 / 8.0 - before.value
    assert gain > 3.0
    assert settled(members, y, monkeypatch, _NATS=gain + 1e-6) is None
    assert settled(members, y, monkeypatch, _NATS=gain - 1e-6) is not None


def test_weights_that_predict_rows_left_out_worse_are_not_taken(monkeypatch):
    members = some_members(n=60, copies=0.0)
    y = members.likelihood.Y[:, 0]
    at = Members.at

    def other(self, y, logs):
        return attrs.evolve(at(self, y, logs), left=1.0 + np.abs(logs[:-1]).sum())

    assert settled(members, y, monkeypatch) is not None
    monkeypatch.setattr(Members, "at", other)
    assert settled(members, y, monkeypatch) is None


def test_targets_that_are_drawn_from_the_kernel_of_all_seldom_have_weights_of_their_own():
    members = some_members(n=60, copies=0.0)
    K = members.shared + np.diag(members.likelihood.D)
    draws = np.linalg.cholesky(K) @ np.random.default_rng(1).normal(size=(60, 60))
    assert sum(members.own(y, 1.0, 1e-6) is not None for y in draws.T) <= 3


def test_there_is_no_search_where_no_weight_is_worth_its_price(monkeypatch):
    members = some_members(n=60, copies=0.0)
    monkeypatch.setattr(_own_weights, "_searched", lambda *_: pytest.fail("a search"))
    monkeypatch.setattr(_own_weights, "_SCALE", 1e-9)
    assert members.own(members.likelihood.Y[:, 0], 1.0, 1e-6) is None


def test_noise_stays_above_its_floor():
    members = some_members(n=60, copies=0.0)
    y = members.likelihood.Y[:, 0]
    free = members.own(y, 1.0, 1e-6)[1]
    assert members.own(y, 2.0 * free, 2.0 * free)[1] >= 2.0 * free * (1.0 - 1e-9)


def test_the_kernels_that_count_most_have_multiples(monkeypatch):
    members, asked = some_members(n=60, copies=0.0), []
    monkeypatch.setattr(_own_weights, "_MEMBERS", 2)
    monkeypatch.setattr(Members, "own", lambda *_: (np.array([2.0, 3.0]), 0.5))
    mixture = Mixture((Part(np.arange(3.0)[:, None], np.ones(3)),))
    each = [Member(0, np.array([a])) for a in range(3)]

    def gram(number):
        asked.append(number)
        return members.grams[number]

    own, sizes = OwnNoise(np.ones(3), np.ones(3)), np.array([0.2, 0.5, 0.3])
    found = with_own_weights(own, mixture, each, sizes, gram, members.likelihood, 1e-6, Budget())
    assert asked == [1, 2]
    np.testing.assert_array_equal(found.multiples[0], np.repeat([[1.0], [2.0], [3.0]], 3, axis=1))
    np.testing.assert_array_equal(found.ratio, 0.5)


def test_noise_is_no_kernel_with_a_multiple():
    X = np.random.default_rng(0).normal(size=(40, 2))
    s = kernelopt.solve(X, X + 0.3 * X[::-1], family=kernelopt.fixed("rbf"), criterion=Evidence(targets="numbers"))
    leaves, parts = s.kernel.leaves, s.kernel.mixture.parts
    noise = [k for k, leaf in enumerate(leaves) if isinstance(leaf.family, Delta)]
    assert parts[noise[0]].mass > 0.0
    assert not {member.leaf for member in members_of(leaves, s.kernel.mixture)} & set(noise)
