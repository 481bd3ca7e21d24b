"""The evidence against the density of a Gaussian, a Gaussian process of scikit-learn, and its own units."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.gaussian_process import GaussianProcessRegressor

import kernelopt
from kernelopt import InvalidOption, Refused, Status
from kernelopt._api.beginning._first_size import sized


def density(problem, mixture):
    """Minus the logarithm of the density of all targets, noise included."""
    noise = problem.outputs[0].curvature[0]
    K = problem.gram(mixture).dense() + noise * np.eye(problem.n)
    return -sum(multivariate_normal(cov=K).logpdf(qp.linear) for qp in problem.outputs)


@pytest.mark.parametrize("name", ["list", "features", "tk"])
@pytest.mark.parametrize("outputs", [1, 3])
def test_the_objective_is_minus_the_log_density(name, outputs, posed):
    problem = posed(name, outputs)
    response = sized(problem, problem.center())
    mixture = response.mixture
    assert response.upper == pytest.approx(density(problem, mixture), rel=1e-9)
    other = problem.assess(mixture, tuple(0.3 * dual.alpha + 0.1 for dual in response.duals))
    assert other.upper == pytest.approx(response.upper, rel=1e-8)


def test_the_start_has_the_best_size(posed):
    problem = posed("list")
    best = sized(problem, problem.center()).mixture
    sizes = [
        density(problem, kernelopt.Mixture(tuple(part.scaled(t) for part in best.parts))) for t in (0.97, 1.0, 1.03)
    ]
    assert sizes[1] < min(sizes[0], sizes[2])


def test_the_size_of_many_rows_is_learned_on_some(posed, monkeypatch):
    problem = posed("list")
    gram = problem.gram(problem.center())
    whole = problem.criterion.size(problem, gram)
    monkeypatch.setattr("kernelopt._evidence.lists._likely_size._SIZED", 45)
    assert whole != problem.criterion.size(problem, gram) == pytest.approx(whole, rel=0.3)


def test_scikit_learns_gaussian_process_agrees(data, family, rows):
    X, y = data
    s = kernelopt.solve(X, y, family=family("list"), criterion="evidence", tol=1e-5)
    noise = s.mixture.parts[-1].mass + 1e-6 * float(np.var(y))
    process = GaussianProcessRegressor(s.kernel.for_gaussian_process(), alpha=noise, optimizer=None)
    process.fit(X, y - y.mean())
    assert -process.log_marginal_likelihood_value_ == pytest.approx(s.objective, abs=1e-6)
    Z = rows(20, seed=1)[0]
    np.testing.assert_allclose(s.predict(Z), process.predict(Z) + y.mean(), atol=1e-6)


@pytest.mark.parametrize("level", [1e3, -1e6])
def test_a_number_added_to_all_targets_is_added_to_predictions_and_nothing_else(level, data, family):
    """The noise too stays what it was, though it is at its floor: that is a share of the variance."""
    X, y = data
    for targets in (y, X[:, 0]):
        first, second = (
            kernelopt.solve(X, targets + t, family=family("list"), criterion="evidence", tol=1e-6) for t in (0.0, level)
        )
        assert second.objective == pytest.approx(first.objective, abs=1e-3)
        np.testing.assert_allclose(second.predict(X) - level, first.predict(X), atol=1e-5)


def test_units_of_the_targets_shift_the_objective_and_nothing_else(data, family):
    X, y = data
    first, second = (
        kernelopt.solve(X, t * y, family=family("list"), criterion="evidence", tol=1e-9) for t in (1.0, 1e3)
    )
    assert second.objective == pytest.approx(first.objective + len(y) * np.log(1e3), abs=1e-6)
    np.testing.assert_allclose(second.predict(X), 1e3 * first.predict(X), rtol=1e-4)


def test_the_order_of_rows_does_not_matter(data, family, rows):
    X, y = data
    order = np.random.default_rng(3).permutation(len(y))
    first = kernelopt.solve(X, y, family=family("list"), criterion="evidence", tol=1e-5)
    second = kernelopt.solve(X[order], y[order], family=family("list"), criterion="evidence", tol=1e-5)
    assert second.objective == pytest.approx(first.objective, abs=1e-3)


def test_labels_are_numbers_and_come_back_as_labels(data, family):
    X, y = data
    names = np.array(["low", "middle", "high"])[np.digitize(y, [1.7, 2.3])]
    s = kernelopt.solve(X, names, family=family("list"), criterion="evidence")
    assert s.status is Status.STATIONARY
    assert s.score(X, names) > 0.6
    assert s.decision_function(X).shape == (len(X), 3)
    by_numbers = kernelopt.Evidence(finish="numbers")
    half = y > np.median(y)  # as many of each: the mean of the numbers is 0
    two = kernelopt.solve(X, half, family=family("list"), criterion=by_numbers)
    one_noise = kernelopt.Evidence(targets="numbers", noise="gaussian")
    numbers = kernelopt.solve(X, np.where(half, 1.0, -1.0), family=family("list"), criterion=one_noise)
    np.testing.assert_allclose(two.decision_function(X), numbers.predict(X), atol=1e-8)
    assert two.predict(X).dtype == bool


def test_noise_is_found_and_told(family, rows):
    X, y = rows(200)
    s = kernelopt.solve(X, y, family=family("list"), criterion="evidence")
    assert s.mixture.parts[-1].mass == pytest.approx(0.09, rel=0.3)
    assert any("constant and delta joined the union" in note for note in s.notes)
    own = kernelopt.solve(X, y, family=[family("list"), "delta", "constant"], criterion="evidence")
    assert not any("joined" in note for note in own.notes)
    assert own.objective == pytest.approx(s.objective, abs=0.1)


def test_targets_without_noise_meet_the_floor(family, rows):
    X = rows()[0]
    s = kernelopt.solve(X, X[:, 0], family=family("list"), criterion={"name": "evidence", "floor": 1e-4})
    assert s.status is Status.STATIONARY
    np.testing.assert_allclose(s.predict(X), X[:, 0], atol=1e-2)


def test_what_it_cannot_use_is_refused(data, family):
    X, y = data
    with pytest.raises(InvalidOption, match="floor"):
        kernelopt.Evidence(floor=0.0)
    with pytest.raises(Refused, match="it minimises the evidence and nothing else"):
        kernelopt.solve(X, y, family=family("list"), criterion="ridge", solver="scoring")
    with pytest.raises(InvalidOption, match="inner solver"):
        kernelopt.Reweighted("scoring")


def test_certify_bounds_any_kernel(data, family):
    X, y = data
    s = kernelopt.solve(X, y, family=family("list"), criterion="evidence", tol=1e-6)
    again = kernelopt.certify(X, y, family=family("list"), criterion="evidence", mixture=s.mixture)
    assert again.tangent
    assert again.upper == pytest.approx(s.objective, abs=1e-8)
    assert again.gap < 1e-3
    half = kernelopt.Mixture(tuple(part.scaled(0.5) for part in s.mixture.parts))
    assert kernelopt.certify(X, y, family=family("list"), criterion="evidence", mixture=half).gap > 1.0
    assert "tangent optimum" in str(again)


class Halved(kernelopt.Evidence):
    """The evidence with half of the function, as the authors of a criterion may write it."""

    def coefficients(self, problem, response, budget, seed):
        return 0.5 * response.V


def test_a_criterion_with_coefficients_of_its_own_predicts_numbers_by_them(data, family):
    X, y = data
    whole, half = (
        kernelopt.solve(X, y, family=family("list"), criterion=kind(targets="numbers"))
        for kind in (kernelopt.Evidence, Halved)
    )
    assert half.certificate == whole.certificate
    np.testing.assert_allclose(half.decision_function(X) - y.mean(), 0.5 * (whole.decision_function(X) - y.mean()))
