"""The lower bound at a kernel near a stationary one is the minimum of its tangent saddle, which looks alone find."""

import attrs
import numpy as np
import pytest
from scipy.optimize import minimize

from kernelopt._base._budget import Budget
from kernelopt._evidence._factorisation import factored
from kernelopt._evidence._scoring import Scoring
from kernelopt._evidence.lists import _lower_bound, _scoring_step
from kernelopt._evidence.lists._dual_refinement import approached
from kernelopt._evidence.lists._list_likelihood import ByGram, targets_of, weighted
from kernelopt._evidence.lists._lower_bound import ceiling_at
from kernelopt._evidence.lists._majoriser import Tangent, noise_of
from kernelopt._evidence.lists._scoring_step import scored
from kernelopt._families._mixture import Query


def lists(problem):
    return ByGram(problem, targets_of(problem), noise_of(problem))


def saddle(problem, tangent):
    """The tangent saddle's minimum over weights >= 0, by a method that knows its gradient alone."""
    Y, of = targets_of(problem), lists(problem)
    prices = np.concatenate([tangent.price(problem, k) for k in range(len(problem.leaves))])

    def objective(root):
        point = of.at(root * root)
        values = of.known(point.V, point.factor.inverse()).values
        value = 0.5 * float(np.vdot(Y, point.V)) + float(prices @ (root * root)) + tangent.level.offset
        return value, 2.0 * root * (prices - 0.5 * values)

    start = np.full(len(prices), 0.3)
    return minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": 3000, "ftol": 1e-15}).fun


def near_stationary(problem, moved):
    """Weights so far, on a scale of ratios, from where 60 multiplicative steps end."""
    w = np.array([0.2, 0.1, 0.5, 0.1, 0.2, 2.0, 0.2])
    for _ in range(60):
        slopes = lists(problem).slopes(lists(problem).at(w))
        w = w * np.sqrt(slopes.values / slopes.prices)
    return w * np.exp(moved * np.cos(np.arange(len(w))))


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("moved", [0.02, 0.3])
def test_the_bound_near_a_kernel_is_the_minimum_of_its_tangent_saddle(posed, outputs, moved):
    problem = posed("list", outputs)
    mixture = weighted(problem, near_stationary(problem, moved))
    response = problem.respond(mixture)
    tangent = Tangent.at(problem, mixture)
    lower = ceiling_at(problem, response.duals, Query(), mixture, tangent, Budget()).lower
    least = saddle(problem, tangent)
    assert lower <= least + 1e-6
    assert response.upper - lower <= 1.6 * (response.upper - least) + 1e-6


def test_looks_draw_near_by_the_square(posed):
    problem = posed("list", 3)
    w = near_stationary(problem, 0.3)
    point = lists(problem).at(w)
    slopes = lists(problem).slopes(point)
    excess = []
    for _, (_, values) in zip(range(5), approached(problem, w, point.V, slopes), strict=False):
        excess.append(float((values / slopes.prices).max()) - 1.0)
    assert excess[2] < 2.0 * excess[0] ** 2
    assert excess[4] < 1e-7


@pytest.mark.parametrize("moved", [0.02, 0.3])
def test_a_bound_is_looked_for_where_it_can_come_as_near_as_is_sought(posed, monkeypatch, moved):
    asked = []
    monkeypatch.setattr(_lower_bound, "approached", lambda *a: asked.append(1) or approached(*a))
    problem = attrs.evolve(posed("list", 1), accuracy=1e-2)
    mixture = weighted(problem, near_stationary(problem, moved))
    gap = problem.respond(mixture).upper - saddle(problem, Tangent.at(problem, mixture))
    for sought, looks in ((0.5 * gap, False), (2.0 * gap, True), (np.inf, True)):
        asked.clear()
        Scoring().begin(attrs.evolve(problem, sought=sought), mixture, 0, Budget())
        assert bool(asked) is looks


@pytest.mark.parametrize(("share", "looks"), [(2.0, True), (16.0, False)])
def test_no_bound_is_looked_for_where_one_is_as_near_as_is_sought(posed, monkeypatch, share, looks):
    asked = []

    def counted(*arguments):
        for one in approached(*arguments):
            asked.append(1)
            yield one

    monkeypatch.setattr(_lower_bound, "approached", counted)
    problem = attrs.evolve(posed("list", 1), accuracy=1.0)
    mixture = weighted(problem, near_stationary(problem, 0.6))
    response = problem.respond(mixture)
    sought = share * (response.upper - saddle(problem, Tangent.at(problem, mixture)))
    state = Scoring().begin(attrs.evolve(problem, sought=sought), mixture, 0, Budget())
    assert state.response.upper - state.ceiling.lower <= sought
    assert bool(asked) is looks


def test_nothing_is_looked_for_once_time_is_over(posed, monkeypatch):
    """Of 6500 kernels a look takes a second: both bounds hold without one, and a step without time is none."""
    problem = posed("list", 1)
    mixture = weighted(problem, near_stationary(problem, 0.3))
    first = Scoring().begin(problem, mixture, 0, Budget())
    over = [False]
    budget = Budget(stop=lambda: over[0])

    def last(*arguments, **options):
        over[0] = True
        return scored(*arguments, **options)

    monkeypatch.setattr(_scoring_step, "scored", last)
    monkeypatch.setattr(_lower_bound, "approached", None)
    state = Scoring().step(problem, first, budget)
    assert over[0]
    assert state.response.upper <= first.response.upper
    least = saddle(problem, Tangent.at(problem, state.response.mixture))
    assert state.ceiling.lower <= least + 1e-6
    mixture = state.response.mixture
    asked = (problem, first.ceiling.duals, Query(), mixture, problem.gram(mixture), budget)
    bounds = problem.criterion.bounds(*asked)
    assert bounds.response.upper == pytest.approx(state.response.upper, rel=1e-9)
    assert bounds.ceiling.lower <= least + 1e-6


def test_a_step_in_which_time_ends_before_anything_is_better_is_no_stall(posed, monkeypatch):
    problem = posed("list", 1)
    first = Scoring().begin(problem, problem.center(), 0, Budget())
    over = iter([False, True, True])
    monkeypatch.setattr(_scoring_step, "scored", None)
    state = Scoring().step(problem, first, Budget(stop=lambda: next(over)))
    assert not state.stalled
    assert state.note == "interrupted"
    assert state.response is first.response


def test_an_answer_is_the_gaussian_process_of_its_gram(posed):
    problem = posed("list", 3)
    mixture = problem.center()
    response = problem.respond(mixture)
    K = problem.gram(mixture).dense() + noise_of(problem) * np.eye(problem.n)
    Y = targets_of(problem)
    np.testing.assert_allclose(response.V, np.linalg.solve(K, Y), rtol=1e-8, atol=1e-9)
    volume = 0.5 * np.linalg.slogdet(2.0 * np.pi * K)[1]
    assert response.upper == pytest.approx(0.5 * np.vdot(Y, np.linalg.solve(K, Y)) + 3 * volume, rel=1e-10)
    assert problem.assess(mixture, tuple(dual.alpha for dual in response.duals)).upper == pytest.approx(response.upper)


def test_both_bounds_from_scratch_are_those_of_either(posed):
    problem = posed("list")
    mixture = problem.center()
    first = problem.respond(mixture)
    bounds = problem.criterion.bounds(problem, first.duals, Query(), mixture, problem.gram(mixture), Budget())
    assert bounds.response.upper == pytest.approx(first.upper, rel=1e-12)
    assert bounds.ceiling.lower == pytest.approx(problem.ceiling(first.duals, near=mixture).lower, rel=1e-9)


def test_slopes_of_some_atoms_are_those_of_all(posed):
    problem = posed("list", 2)
    response = problem.respond(problem.center())
    factor = factored(problem.gram(problem.center()), noise_of(problem))
    slopes = lists(problem).known(response.V, factor.inverse())
    some = slopes.only(np.array([3, 0]), None)
    np.testing.assert_array_equal(some.values, slopes.values[[3, 0]])
    np.testing.assert_array_equal(some.information, slopes.information[[3, 0]][:, [3, 0]])
