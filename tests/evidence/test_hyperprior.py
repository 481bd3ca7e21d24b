"""Kernels with a price of their own under the evidence: the hyperprior of Ong, Smola and Williamson (2005), MAP-II."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize

import kernelopt
from kernelopt import Refused, Status
from kernelopt._api.beginning._first_size import sized
from kernelopt._evidence.lists._hyperprior import Model
from kernelopt._evidence.lists._likelihood import lists_of
from kernelopt._evidence.lists._list_likelihood import ByGram, weighted, weights
from kernelopt._evidence.lists._scoring_step import FIRST, multiplied, scored
from kernelopt._families.dictionary import _streamed
from kernelopt._families.penalties._composite_penalty import Together
from kernelopt.plugin import Norm, Part, Price, Square
from kernelopt.testing import ConcaveSolverSuite, Costly

KERNELS = tuple(("rbf", {"gamma": gamma}) for gamma in (0.02, 0.1, 0.5, 2.0))


def costly(rule, rho):
    return Costly((*KERNELS, "linear"), rule=rule, rho=rho)


def hyperkernel(**options):
    return {"name": "hyperkernel", "pivots": 30, **options}


class Flat(Costly):
    """A price of the first two kernels and of no others, or not even that."""

    @property
    def penalty(self):
        return self.rule(np.diag([1.0, 1.0, 0.0, 0.0, 0.0]), self.rho)


class TestFlatPrices(ConcaveSolverSuite):
    """Directions that cost nothing of their own are bounded by the tangent's price alone."""

    @pytest.fixture(autouse=True)
    def _data(self, posed_on):
        self.posed = posed_on

    def solver(self):
        return kernelopt.Scoring()

    def problems(self):
        kernels = (*KERNELS, "linear")
        families = (Flat(kernels, rule=rule, rho=rho) for rule in (Norm, Square) for rho in (0.0, 4.0))
        return tuple(self.posed(family) for family in families)


def density(problem, mixture):
    """Minus the logarithm of the density of all targets."""
    K = problem.gram(mixture).dense() + problem.outputs[0].curvature[0] * np.eye(problem.n)
    fit = sum(float(qp.linear @ np.linalg.solve(K, qp.linear)) for qp in problem.outputs)
    return 0.5 * fit + 0.5 * len(problem.outputs) * (np.linalg.slogdet(K)[1] + problem.n * np.log(2.0 * np.pi))


@pytest.mark.parametrize("rule", [Norm, Square])
@pytest.mark.parametrize("outputs", [1, 3])
def test_the_objective_is_the_density_and_the_price(rule, outputs, posed_on):
    problem = posed_on(costly(rule, 3.0), outputs)
    mixture = sized(problem, problem.center()).mixture
    price = problem.leaves[0].penalty.value(mixture.parts[0].weights)
    assert price > 0.1
    assert problem.respond(mixture).upper == pytest.approx(density(problem, mixture) + price, rel=1e-9)


@pytest.mark.parametrize("family", ["norm", "square", "price", "features"])
def test_the_slopes_are_those_of_the_objective(family, posed_on):
    families = {
        "norm": costly(Norm, 3.0),
        "square": costly(Square, 3.0),
        "price": kernelopt.priced(kernelopt.Dictionary(KERNELS), [0.5, 1.0, 0.2, 2.0]),
        "features": kernelopt.priced(kernelopt.sampled("cosine", 5), 0.7),
    }
    problem = posed_on(families[family], 2)
    lists, w = lists_of(problem), weights(problem, sized(problem, problem.center()).mixture)
    assert isinstance(lists, ByGram) == (family != "features")
    slopes = lists.slopes(lists.at(w))
    slope = slopes.gradient + slopes.own.gradient(w)
    np.testing.assert_allclose(slope, approx_fprime(w, lambda x: lists.at(x).value, 1e-6 * w), rtol=1e-3, atol=1e-3)
    value = lists.at(w).value + 0.5 * len(problem.outputs) * problem.n * np.log(2.0 * np.pi)
    assert value == pytest.approx(problem.respond(weighted(problem, w)).upper, rel=1e-8)


@pytest.mark.parametrize("rho", [0.0, 0.3, 3.0, 30.0, 1e4])
def test_a_step_goes_to_the_least_of_its_model(rho):
    """By a plain descent in the squares of the weights; where norms are dear their weights are 0 to the bit."""
    rng = np.random.default_rng(4)
    A, H = rng.normal(size=(9, 7)), np.exp(-0.3 * np.abs(np.subtract.outer(range(3), range(3))))
    A, b = A.T @ A / 9.0, rng.exponential(size=7)
    own = Together((Norm(H, rho), Square(H, 0.2), None), (3, 6))
    unit, w = np.linspace(0.5, 2.0, 7), rng.exponential(size=7)
    model = Model.at(own, w, unit)
    u = unit * w
    x = model.least(A + model.bend, b - model.slope + model.bend @ u)

    def loss(root):
        return 0.5 * (root**2) @ A @ (root**2) - b @ root**2 + own.value(root**2 / unit)

    best = min(minimize(loss, rng.uniform(0.2, 1.5, size=7), tol=1e-12).fun for _ in range(4))
    assert (x >= 0.0).all()
    assert loss(np.sqrt(x)) == pytest.approx(best, abs=1e-6)
    if rho > 10.0:
        assert not x[:3].any()


def test_two_norms_find_their_lengths_together():
    rng = np.random.default_rng(0)
    A, H = rng.normal(size=(8, 6)), np.eye(3)
    A, b = A.T @ A / 8.0, rng.exponential(size=6)
    own = Together((Norm(H, 0.3), Norm(H, 0.2)), (3,))
    x = Model.at(own, np.ones(6), np.ones(6)).least(A, b)
    losses = [0.5 * z @ A @ z - b @ z + own.value(z) for z in (x, *(x + 1e-3 * rng.normal(size=(200, 6))).clip(0.0))]
    assert losses[0] <= min(losses) + 1e-9


@pytest.mark.parametrize("penalty", ["norm", "squared"])
@pytest.mark.parametrize("lambda_q", [1.0, 1e3])
def test_every_solver_finds_what_scoring_finds(penalty, lambda_q, data):
    family = hyperkernel(penalty=penalty, lambda_q=lambda_q, pivots=8)
    ours = kernelopt.solve(*data, family=family, criterion="evidence", tol=1e-6)
    assert ours.status is Status.STATIONARY
    for solver in ("ipm", "fw", "qcqp"):
        theirs = kernelopt.solve(*data, family=family, criterion="evidence", solver=solver, tol=1e-4)
        assert theirs.status is Status.STATIONARY
        assert theirs.objective == pytest.approx(ours.objective, abs=1e-2)


@pytest.mark.parametrize("penalty", ["norm", "squared"])
def test_a_price_of_nothing_is_none_and_a_huge_one_leaves_the_others(penalty, data):
    def solved(family):
        return kernelopt.solve(*data, family=family, criterion="evidence", tol=1e-6)

    free, faint, dear = (solved(hyperkernel(penalty=penalty, lambda_q=rho)) for rho in (0.0, 1e-7, 1e8))
    assert faint.objective == pytest.approx(free.objective, abs=1e-3)
    np.testing.assert_allclose(faint.predict(data[0]), free.predict(data[0]), atol=1e-2)
    nothing = solved(["constant", "delta"])
    assert dear.mixture.parts[0].mass < 1e-4
    assert dear.objective == pytest.approx(nothing.objective, abs=1e-2)
    assert free.objective < dear.objective - 5.0


def test_at_the_optimum_worth_is_price_and_slope(data, posed_on):
    """The conditions of Karush, Kuhn and Tucker, by dense algebra."""
    family = costly(Norm, 3.0)
    s = kernelopt.solve(*data, family=family, criterion="evidence", tol=1e-9)
    problem = posed_on(family, 1)
    K = problem.gram(s.mixture).dense() + problem.outputs[0].curvature[0] * np.eye(problem.n)
    omega = np.linalg.inv(K)
    v = omega @ (data[1] - data[1].mean())
    w = weights(problem, s.mixture)
    grams = [problem.gram(weighted(problem, one)).dense() for one in np.eye(len(w))]
    own = np.append(problem.leaves[0].penalty.gradient(w[:5]), [0.0, 0.0])
    excess = np.array([0.5 * (v @ G @ v - np.sum(omega * G)) for G in grams]) - own
    assert (excess <= 1e-3).all()
    assert np.abs(excess * w).max() <= 1e-3


def test_prices_are_those_of_the_members(data):
    """An own price on kernels that a union has without one costs them their weight."""
    names = kernelopt.Dictionary(KERNELS)
    s = kernelopt.solve(*data, family=[kernelopt.priced(names, 50.0), names], criterion="evidence", tol=1e-6)
    alone = kernelopt.solve(*data, family=names, criterion="evidence", tol=1e-6)
    assert s.status is Status.STATIONARY
    assert s.mixture.parts[0].mass == pytest.approx(0.0, abs=1e-8)
    assert s.objective == pytest.approx(alone.objective, abs=1e-3)
    both = kernelopt.solve(*data, family=[hyperkernel(), names], criterion="evidence", tol=1e-6)
    assert both.objective <= alone.objective + 1e-3


@pytest.mark.parametrize("solver", ["auto", "ipm"])
def test_a_matrix_family_at_a_price(solver, data):
    free, cheap, dear = (
        kernelopt.solve(
            *data, family=kernelopt.priced("tk", rho), criterion="evidence", tol=1e-4, solver=solver
        ).objective
        for rho in (0.0, 0.5, 5.0)
    )
    assert free < cheap - 0.1 < dear - 0.2


def test_several_outputs_predictions_and_model_files(data, tmp_path):
    X, y = data
    Y, family = np.column_stack([y, -(y**2)]), [hyperkernel(), kernelopt.Dictionary(KERNELS)]
    gaussian = kernelopt.Evidence(noise="gaussian")
    s = kernelopt.solve(X, Y, family=family, criterion=gaussian)
    assert s.status is Status.STATIONARY
    assert s.predict(X).shape == Y.shape
    s.save(tmp_path / "model.npz")
    np.testing.assert_array_equal(kernelopt.load(tmp_path / "model.npz").predict(X), s.predict(X))
    again = kernelopt.certify(X, Y, family=family, criterion=gaussian, mixture=s.mixture)
    assert again.upper == pytest.approx(s.objective, abs=1e-6)
    assert again.gap <= 1.0


@pytest.mark.parametrize("name", ["price", "norm"])
def test_streamed_lists_keep_their_prices(name, data, monkeypatch):
    families = {
        "price": kernelopt.priced(kernelopt.Dictionary(KERNELS), [2.0, 8.0, 4.0, 0.5]),
        "norm": costly(Norm, 3.0),
    }
    held = kernelopt.solve(*data, family=families[name], criterion="evidence", tol=1e-5)
    first = kernelopt.Mixture(tuple(Part(part.atoms[:1], part.weights[:1]) for part in held.mixture.parts))
    monkeypatch.setattr(_streamed, "_SMALL", 0)
    streamed = kernelopt.solve(*data, family=families[name], criterion="evidence", tol=1e-5, start=first)
    assert streamed.status is held.status is Status.STATIONARY
    assert streamed.objective == pytest.approx(held.objective, abs=2e-3)


def test_a_kernel_that_pays_is_refused(data):
    for family in (kernelopt.priced("delta", -1.0), kernelopt.priced("gpk", np.diag([1.0, 1, 1, -1, 1, 1]))):
        with pytest.raises(Refused, match="so larger is always better; take prices >= 0"):
            kernelopt.solve(*data, family=family, criterion="evidence")
    assert Price(np.diag([2.0, 3.0])).least == pytest.approx(2.0)


def test_the_model_of_a_step_promises_no_more_than_there_is(posed_on):
    problem = posed_on(costly(Norm, 1e5), 1)
    lists = lists_of(problem)
    point = lists.at(weights(problem, sized(problem, problem.center()).mixture))
    w, fall = scored(point.w, lists.slopes(point), FIRST)
    assert not w[:5].any()
    assert point.value - lists.at(w).value >= 0.1 * fall > 0.0


def test_the_multiplicative_step_majorises_a_linear_price_too(data, posed_on):
    """From anywhere it descends; from where nothing else is left to gain, for the sake of the price."""
    names = kernelopt.Dictionary(KERNELS)
    problem = posed_on(kernelopt.priced(names, [9.0, 40.0, 2.0, 3.0]), 1)
    lists, rng = lists_of(problem), np.random.default_rng(0)
    free = kernelopt.solve(*data, family=names, criterion="evidence", tol=1e-7)
    starts = [rng.exponential(size=6) * 10.0 ** rng.uniform(-1, 2) for _ in range(20)]
    for w in (weights(problem, free.mixture), *starts):
        point = lists.at(w)
        after = lists.at(multiplied(point.w, lists.slopes(point)))
        assert after.value < point.value - 1e-3
