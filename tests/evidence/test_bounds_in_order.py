"""On a few rows, where noise is small and prices are differences of large numbers, no lower bound exceeds the upper."""

import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt import Scoring, Status
from kernelopt._api.beginning._first_size import sized
from kernelopt._evidence.lists._majoriser import Tangent, ceiling_of
from kernelopt._saddle._bounds import Bounds
from kernelopt._saddle._suspect import suspect


def rows(seed):
    """Up to 24 rows of two columns and two classes."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((int(rng.integers(4, 25)), 2))
    y = (X[:, 0] > 0).astype(int)
    y[:2] = [0, 1]
    return X, y


@pytest.mark.parametrize(
    ("family", "seed"),
    [*(("cosine", seed) for seed in (14, 37, 49, 65)), *(("gpk", seed) for seed in (27, 35, 48)), ("tk", 14)],
)
def test_bounds_are_in_order(family, seed):
    X, y = rows(seed)
    s = kernelopt.solve(X, y, family=family, criterion={"name": "evidence", "targets": "labels"}, max_steps=60)
    assert s.status is not Status.CONTRADICTION
    assert s.certificate.lower <= s.certificate.upper + 1e-9 * abs(s.certificate.upper)


@pytest.mark.parametrize("solver", ["auto", "fw", "ipm"])
@pytest.mark.parametrize("unit", [1e5, 1e7])
def test_a_sum_of_squares_that_rounding_makes_negative_is_no_upper_bound(unit, solver):
    """Cubes of a column of large numbers: y'K^-1 y came out as -1e83 where a run had lost all digits."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 2)) * [1.0, unit]
    y = X[:, 0] + 0.1 * rng.normal(size=30)
    family = {"name": "gpk", "degree": 3, "rescale": None}
    s = kernelopt.solve(X, y, family=family, criterion="evidence", solver=solver, scale=1.0, tol=1e-2, max_steps=1)
    assert s.certificate.lower <= s.certificate.upper


def test_no_contradiction_is_blamed_on_the_saddle_without_the_determinant(posed):
    """The dual objective at a kernel lacks log det K, so it says nothing of the evidence's own objective there."""
    problem = posed("list")
    response = problem.respond(problem.center())
    ceiling = problem.ceiling(response.duals, near=response.mixture)
    bounds = Bounds(attrs.evolve(response, upper=-100.0), attrs.evolve(ceiling, lower=-99.0))
    text = suspect(problem, bounds, bounds, problem.gram(response.mixture), Scoring())
    assert "the criterion evidence" not in text


@pytest.mark.parametrize("factor", [1.0, 4.0, 100.0])
def test_prices_that_rounding_makes_too_large_prove_no_more_than_the_kernel_itself_allows(posed, factor):
    """What is paid for the whole kernel is known to all digits, as the prices of its atoms are not."""
    problem = posed("list")
    first = sized(problem, problem.center())
    tangent = Tangent.at(problem, first.mixture)
    linear = {k: tangent.worth(problem, k, first.V) for k in range(len(problem.leaves))}
    rounded = {k: (values, factor * prices) for k, (values, prices) in linear.items()}
    ceiling = ceiling_of(problem, first.duals, tangent.level, first.mixture, rounded, {}, 1)
    assert ceiling.lower <= first.upper + 1e-9 * abs(first.upper)
