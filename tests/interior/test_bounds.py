"""The bounds that a step takes from the images of its point, against those that the problem computes by itself."""

import attrs
import numpy as np
import pytest

from kernelopt.interior import Image, Saddle, advance, bounds_at, central


@pytest.fixture(name="placed")
def _placed(case, make_problem, whole_blocks):
    """A problem, its saddle and a point of the path after two steps."""
    problem = make_problem(*case, n=24)
    saddle = Saddle.of(problem, whole_blocks(problem))
    return problem, saddle, advance(saddle, advance(saddle, central(saddle)))


def check(problem, saddle, point):
    response, ceiling = bounds_at(problem, saddle, point, Image.of(saddle, point.alpha, point.S))
    points = problem.points(saddle.split(point.alpha))
    proved, asked = problem.proved(saddle.mixture(point.S), points), problem.ceiling(points)
    size = abs(response.h) + 0.5 * sum(dual.squares for dual in response.duals)
    for got, wanted in ((response.upper, proved.upper), (ceiling.lower, asked.lower)):
        assert got == pytest.approx(wanted, rel=1e-9, abs=1e-9 * size)
    assert ceiling.values == pytest.approx(asked.values, rel=1e-8, abs=1e-9 * size)
    assert 0 <= response.support_size <= problem.n


def test_a_point_of_the_path_proves_what_the_problem_computes(placed):
    check(*placed)


def test_dual_variables_that_must_be_repaired_have_the_bounds_of_the_repaired_ones(placed):
    problem, saddle, point = placed
    share = np.where(saddle.qp.coefficient > 0.0, 0.9, 1.0)
    check(problem, saddle, attrs.evolve(point, alpha=share * point.alpha))


def test_a_lower_bound_is_that_of_the_repaired_dual_variables_to_the_last_digits(placed):
    problem, saddle, point = placed
    share = np.where(saddle.qp.coefficient > 0.0, 1.0 - 5e-12, 1.0)
    point = attrs.evolve(point, alpha=share * point.alpha)
    _, ceiling = bounds_at(problem, saddle, point, Image.of(saddle, point.alpha, point.S))
    asked = problem.ceiling(problem.points(saddle.split(point.alpha)))
    size = abs(asked.lower) + 0.5 * float(np.abs(asked.values).max())
    assert ceiling.lower == pytest.approx(asked.lower, rel=0.0, abs=1e-12 * size)


def test_parameters_of_another_size_have_the_bounds_of_their_share(placed):
    problem, saddle, point = placed
    check(problem, saddle, attrs.evolve(point, S=tuple(1.3 * s for s in point.S)))


def test_an_image_is_that_of_both_bounds(placed):
    problem, saddle, point = placed
    image = Image.of(saddle, point.alpha, point.S)
    V = saddle.columns(image.v).T
    assert pytest.approx(image.kernel.apply(V), rel=1e-9, abs=1e-9) == saddle.columns(image.f).T
    for D, anew in zip(image.D, saddle.adjoint(image.v), strict=True):
        assert pytest.approx(anew, rel=1e-9, abs=1e-9) == D
    assert problem.n == image.kernel.n
