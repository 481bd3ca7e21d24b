"""Single precision, where a tolerance allows it: what it says is true, and what needs more digits gets them."""

import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt import Status
from kernelopt._api.beginning._first_size import sized
from kernelopt._base._budget import Budget
from kernelopt._evidence import _criterion, _factorisation, _scoring
from kernelopt._evidence._factorisation import factored
from kernelopt._evidence._inverse import Inverse
from kernelopt._evidence.lists._likelihood import lists_of
from kernelopt._evidence.lists._list_likelihood import weighted
from kernelopt._evidence.lists._majoriser import Level, Tangent, noise_of, tangent_ceiling, volume
from kernelopt._families.dictionary import _streamed
from kernelopt._linalg._gram import Dense, LowRank

ROWS = 40


def matrix(noise=0.1):
    X = np.random.default_rng(0).normal(size=(ROWS, 3))
    return np.exp(-0.3 * ((X[:, None] - X) ** 2).sum(axis=2)) + noise * np.eye(ROWS)


def test_an_inverse_in_single_precision_has_products_in_all_digits_and_squares_in_seven():
    K, F = matrix(), np.random.default_rng(3).normal(size=(ROWS, 5))
    omega = np.linalg.inv(K + 0.2 * np.eye(ROWS))
    inverse = factored(Dense(K), 0.2).inverse(single=True)
    assert isinstance(inverse, Inverse)
    np.testing.assert_allclose(inverse.apply(F), omega @ F, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(inverse.form(F), F.T @ omega @ F, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(inverse.squares(F), np.diagonal(F.T @ omega @ F), rtol=1e-6)
    np.testing.assert_allclose(inverse.dense(), omega, rtol=2e-5, atol=1e-5)
    assert np.linalg.eigvalsh(inverse.form(np.ones((ROWS, 3)))).min() > -1e-12, "a form has a root"


def test_too_few_digits_are_not_taken():
    singular = Dense(np.ones((ROWS, ROWS)))
    assert isinstance(factored(singular, 1e-9).inverse(single=True), Dense)
    assert isinstance(factored(singular, 1e-2).inverse(single=True), Inverse)


@pytest.mark.parametrize("noise", [1e-2, 1e-3, 1e-4, 1e-5])
def test_prices_have_three_digits_whatever_the_noise(noise):
    """Of kernels that are nearly constant, which hardly differ from what others explain."""
    X = np.random.default_rng(0).normal(size=(500, 2))
    distances = ((X[:, None] - X) ** 2).sum(axis=2)
    wide, narrow = np.exp(-0.005 * distances), np.exp(-0.05 * distances)
    K = 0.4 * (wide + narrow)
    omega, found = np.linalg.inv(K + noise * np.eye(500)), factored(Dense(K), noise).inverse(single=True).dense()
    for one in (wide, narrow):
        assert np.vdot(found, one) == pytest.approx(np.vdot(omega, one), rel=1e-3)


@pytest.mark.parametrize(("block", "single"), [(7, False), (7, True), (1024, False)])
def test_variances_are_the_diagonal_of_the_inverse(block, single, monkeypatch):
    monkeypatch.setattr(_factorisation, "ROW_BLOCK", block)
    D = np.random.default_rng(1).uniform(0.1, 1.0, ROWS)
    omega = np.diagonal(np.linalg.inv(matrix() + np.diag(D)))
    tolerance = 1e-5 if single else 1e-12
    np.testing.assert_allclose(factored(Dense(matrix()), D).last_variances(single=single), omega, rtol=tolerance)
    thin = LowRank(np.random.default_rng(2).normal(size=(ROWS, 3)), D)
    wanted = np.diagonal(np.linalg.inv(thin.dense() + 0.2 * np.eye(ROWS)))
    np.testing.assert_allclose(factored(thin, 0.2).last_variances(single=single), wanted, rtol=1e-12)


def test_an_inverse_may_take_the_place_of_its_factor():
    kept, consumed = (factored(Dense(matrix()), 0.2) for _ in range(2))
    np.testing.assert_array_equal(consumed.inverse(last=True).dense(), kept.inverse().dense())


@pytest.mark.parametrize("outputs", [1, 2])
def test_a_tangent_of_an_inverse_within_rounding_is_within_its_square(posed, outputs):
    """With the prices of a matrix near the inverse; an offset from the inverse itself is off by the first power."""
    problem = posed("list", outputs)
    w = np.linspace(0.1, 1.0, sum(len(leaf.family.dictionary()) for leaf in problem.leaves))
    mixture, noise = weighted(problem, w), noise_of(problem)
    factor = factored(problem.gram(mixture), noise)
    omega = factor.inverse().dense()
    rounding = np.random.default_rng(0).normal(size=omega.shape)
    near = omega * (1.0 + 1e-4 * (rounding + rounding.T))
    gram = problem.gram(mixture).dense()
    tangent = 0.5 * outputs * (np.sum(near * gram) + noise * np.trace(near) - problem.n)
    tangent += outputs * volume(-np.linalg.slogdet(near)[1], problem.n)  # exact for any matrix, and above log det K
    paid = outputs * float(np.sum(near * gram))
    ours = Level.of(problem, factor.log_determinant, paid).offset + 0.5 * paid
    first = abs(0.5 * outputs * (np.sum(near * (gram + noise * np.eye(problem.n))) - problem.n))
    assert abs(ours - tangent) < 0.01 * first


def test_prices_are_as_exact_as_the_tolerance_asks(posed):
    problem = posed("list")
    kinds = []
    for accuracy in (1e-5, 1e-6):
        lists = lists_of(attrs.evolve(problem, accuracy=accuracy), single=True)
        w = np.ones(sum(len(leaf.family.dictionary()) for leaf in problem.leaves))
        kinds.append(type(lists.slopes(lists.at(w)).omega))
    assert kinds == [Inverse, Dense]


@pytest.mark.parametrize(("union", "searched"), [([], False), (["tk"], True), (["cosine"], True)])
def test_a_search_for_atoms_needs_all_digits(union, searched, posed_on, family):
    problem = attrs.evolve(posed_on([family("list"), *union]), accuracy=1e-4)
    state = kernelopt.Scoring().begin(problem, sized(problem, problem.center()).mixture, 0, Budget())
    slopes = kernelopt.Scoring().step(problem, state, Budget()).slopes
    assert isinstance(slopes.omega, Inverse) is not searched


def test_a_certificate_has_all_digits_whatever_the_accuracy(posed):
    """`bounds`, which certifies at the end of a run, and `certify` take the prices of this tangent."""
    problem = attrs.evolve(posed("list"), accuracy=1e-2)
    assert isinstance(Tangent.at(problem, problem.center()).omega, Dense)


def test_a_small_gap_in_nats_is_a_small_tolerance(posed):
    problem = attrs.evolve(posed("list"), accuracy=1e-5)
    allowed = problem.criterion.allowed(problem, 1e-3)
    for atol, wanted in ((0.01 * allowed, 1e-7), (allowed, 1e-5), (10.0 * allowed, 1e-5)):
        assert problem.criterion.accuracy(problem, 1e-3, atol) == pytest.approx(wanted)
    assert problem.criterion.accuracy(problem, 1e-3, 0.0) > 0.0


@pytest.mark.parametrize("how", [{"tol": 1e-6}, {"atol": 6e-5}])
def test_a_small_tolerance_is_reached_in_nats_or_as_a_share(how, monkeypatch, rows):
    monkeypatch.setattr(_streamed, "_SMALL", 0)
    X, y = rows(120)
    s = kernelopt.solve(X, y, family="auto", criterion="evidence", **how)
    assert s.status is Status.STATIONARY
    assert s.certificate.gap <= 6e-5


def test_a_rough_tolerance_is_certified_in_all_digits(monkeypatch, rows):
    """Steps may look with seven digits; the lower bound of the answer is what its dual point proves with all digits.

    Both bounds are nearly those of `certify`, whose dual point may be another one of those that are about as good.
    """
    monkeypatch.setattr(_streamed, "_SMALL", 0)
    singles, proved = [], []
    plain, best = _scoring.lists_of, _criterion.best_ceiling_at

    def spied(problem, *, single):
        singles.append(single and problem.accuracy >= 5e-6)
        return plain(problem, single=single)

    def proving(problem, duals, query, at, *others):
        found = best(problem, duals, query, at, *others)
        with monkeypatch.context() as patch:
            patch.setattr(_factorisation, "_SPREAD", 0.0)  # whatever is allowed else, this has all digits
            proved.append(tangent_ceiling(problem, found.duals, query, at, Tangent.at(problem, at), Budget()).lower)
        return found

    monkeypatch.setattr(_scoring, "lists_of", spied)
    monkeypatch.setattr(_criterion, "best_ceiling_at", proving)
    X, y = rows(140)
    s = kernelopt.solve(X, y, family="auto", criterion="evidence", tol=1e-2)
    assert any(singles)
    assert s.certificate.lower == pytest.approx(proved[-1], abs=1e-8)
    monkeypatch.setattr(_factorisation, "_SPREAD", 0.0)
    again = kernelopt.certify(X, y, family="auto", criterion="evidence", mixture=s.mixture)
    assert again.upper == pytest.approx(s.certificate.upper, abs=1e-8)
    assert again.lower == pytest.approx(s.certificate.lower, abs=1e-4 * s.certificate.gap)
