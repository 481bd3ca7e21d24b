"""How far a step goes, and what it leaves of complementarity."""

from contextlib import suppress

import attrs
import numpy as np
import pytest

from kernelopt.interior import Stuck, advance
from kernelopt.interior._newton import Newton
from kernelopt.interior._quick import system_at
from kernelopt.interior._step import ahead, moved


def slack(qp, point):
    """What the point has left to each of its walls; the smallest eigenvalues of parameters and slacks."""
    lower, upper = qp.walls
    walls = (point.alpha - qp.lower)[lower], (qp.upper - point.alpha)[upper], point.z[lower], point.u[upper]
    cones = [S.min() if S.ndim == 1 else np.linalg.eigvalsh(S)[0] for S in (*point.S, *point.Z)]
    return min(*(side.min(initial=np.inf) for side in walls), *cones)


@pytest.mark.parametrize("seed", range(3))
def test_the_longest_step_ends_on_a_wall(make_saddle, random_point, case, seed):
    saddle = make_saddle(*case)
    point = random_point(saddle, np.random.default_rng(seed))
    system = Newton.at(saddle, point)
    for mu in (0.0, 0.1):
        direction = system.direction(mu)
        farthest = system.longest(direction)
        assert farthest > 0.0
        if np.isfinite(farthest):
            assert slack(saddle.qp, moved(point, direction, 0.999 * farthest)) > 0.0
            assert slack(saddle.qp, moved(point, direction, 1.001 * farthest)) < 0.0


def test_a_step_that_is_not_finite_is_refused(make_saddle, random_point, case):
    saddle = make_saddle(*case)
    point = random_point(saddle, np.random.default_rng(2))
    for system in (Newton.at(saddle, point), system_at(saddle, point)):
        direction = system.direction(0.1)
        spoiled = attrs.evolve(direction, alpha=np.full_like(direction.alpha, np.nan))
        with pytest.raises(np.linalg.LinAlgError, match="not finite"):
            system.longest(spoiled)


def test_numbers_that_overflow_are_no_warnings(make_saddle, random_point, case):
    """The suite takes a warning for an error."""
    saddle = make_saddle(*case)
    point = random_point(saddle, np.random.default_rng(3))
    with suppress(Stuck):
        advance(saddle, attrs.evolve(point, z=1e308 * np.sign(point.z), u=1e308 * np.sign(point.u)))


@pytest.mark.parametrize("step", [0.0, 0.3, 1.0])
def test_what_a_predictor_leaves_is_known_before_it_is_made(make_saddle, random_point, case, step):
    saddle = make_saddle(*case)
    point = random_point(saddle, np.random.default_rng(4))
    trial = Newton.at(saddle, point).direction(0.0)
    gap = point.complementarity(saddle.qp)
    left = moved(point, trial, step).complementarity(saddle.qp)
    assert ahead(gap, trial, step) == pytest.approx(left, rel=1e-6, abs=1e-6 * gap)
