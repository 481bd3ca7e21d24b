"""Bounds over cells hold, and a proof finds what a search has missed."""

import math

import numpy as np
import pytest
from kernelopt_cosine._branch_and_bound import amplitudes, bound_cells, first_grid, prove, third_derivatives
from kernelopt_cosine._multistart import Plan, radius_of, random_frequencies
from kernelopt_cosine._oracle import ask

NONE = Plan(repeats=1, starts=0, seed=0)


@pytest.mark.parametrize("norm", ["l2", "l1"])
@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("half", [0.4, 0.05, 1e-3])
def test_no_frequency_of_a_cell_exceeds_its_bound(make_landscape, norm, d, half):
    landscape = make_landscape(d=d, c=2, norm=norm, seed=d)
    rng = np.random.default_rng(7)
    centers = rng.normal(size=(60, d)) * 3.0
    centers = np.where(np.abs(centers) < half, np.copysign(half, centers), centers)  # no cell straddles an axis
    values, bounds = bound_cells(landscape, centers, half)
    np.testing.assert_allclose(values, landscape.values(centers), rtol=1e-12)
    for share in rng.uniform(-1.0, 1.0, size=(60, 1, d)):
        for corner in (share, np.sign(share)):
            assert (landscape.values(centers + half * corner) <= bounds * (1 + 1e-12)).all()


@pytest.mark.parametrize("norm", ["l2", "l1"])
@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("beta", [0.01, 1.0, 30.0])
def test_third_derivatives_keep_their_bound(make_landscape, norm, d, beta):
    """B'' along a unit vector u changes along u by the bound at most, and somewhere by a good part of it."""
    landscape = make_landscape(n=4, d=d, c=2, norm=norm, beta=beta, seed=d)
    rng = np.random.default_rng(0)
    scale = 1.0 / math.sqrt(landscape.decay.beta)
    half, step = 0.01 * scale, 1e-4 * scale
    centers = np.sign(rng.normal(size=(300, d))) * (rng.uniform(0.0, 2.0 * scale, size=(300, d)) + half)
    bound = third_derivatives(landscape, centers, half)
    inside = centers + (half - step) * rng.uniform(-1.0, 1.0, size=centers.shape)
    u = rng.normal(size=centers.shape)
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    bends = [np.einsum("mcij,mi,mj->mc", amplitudes(landscape, inside + s * u)[2], u, u) for s in (-step, step)]
    third = np.abs(bends[1] - bends[0]) / (2.0 * step)
    assert (third <= bound * (1 + 1e-6)).all()
    assert (third / bound).max() > 0.1


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_first_cells_cover_half_of_the_ball(d):
    centers = first_grid(d, 4, 0.25)
    points = random_frequencies(np.random.default_rng(0), 500, d, 2.0)
    points *= np.where(points[:, :1] < 0.0, -1.0, 1.0)
    gaps = np.abs(points[:, None] - centers).max(axis=2).min(axis=1)
    assert (gaps <= 0.25 * (1 + 1e-12)).all()
    assert (np.abs(centers) >= 0.25 * (1 - 1e-12)).all()


def test_bounds_are_as_sharp_as_a_second_derivative(make_landscape):
    """A cell half as wide has a bound that is four times closer to the best value in it at a maximum."""
    landscape = make_landscape(d=1)
    peak = ask(landscape, np.zeros((0, 1)), 0.0, Plan(4, 128, 0), 0.0).frequencies[:1]
    slack = [float(np.subtract(*bound_cells(landscape, peak, half)[::-1])[0]) for half in (1e-2, 5e-3, 2.5e-3)]
    assert slack[0] / slack[1] == pytest.approx(4.0, rel=0.1)
    assert slack[1] / slack[2] == pytest.approx(4.0, rel=0.1)


@pytest.mark.parametrize("norm", ["l2", "l1"])
@pytest.mark.parametrize("d", [1, 2])
def test_the_proof_alone_finds_the_best_of_a_dense_grid(make_landscape, norm, d):
    landscape = make_landscape(d=d, norm=norm, seed=3)
    answer = ask(landscape, np.zeros((0, d)), 0.0, NONE, math.inf)
    assert answer.exact
    axis = np.linspace(-12.0, 12.0, 20001 if d == 1 else 601)
    grid = np.stack([one.ravel() for one in np.meshgrid(*[axis] * d)], axis=1)
    largest = max(float(landscape.values(part).max()) for part in np.array_split(grid, 50))
    assert largest * (1 - 1e-9) <= answer.values[0] <= answer.ceiling <= answer.values[0] * (1 + 1e-8)
    assert answer.values[0] <= largest * (1 + 1e-2)


def test_a_better_frequency_ends_the_proof(make_landscape):
    landscape = make_landscape()
    answer = ask(landscape, np.zeros((0, 2)), 0.0, Plan(4, 128, 0), math.inf)
    low = 0.5 * answer.ceiling
    proof = prove(landscape, low, 0.0, radius_of(landscape, low), math.inf)
    assert proof.better is not None
    assert landscape.values(proof.better[None])[0] > low
    done = prove(landscape, answer.ceiling, 0.0, radius_of(landscape, answer.ceiling), math.inf)
    assert done.better is None
    assert done.ceiling <= answer.ceiling * (1 + 2e-9)


def test_a_proof_that_costs_too_much_is_none(make_landscape):
    landscape = make_landscape()
    assert prove(landscape, 1e-3, 0.0, 30.0, 1000.0) is None
    assert not ask(landscape, np.zeros((0, 2)), 0.0, Plan(4, 128, 0), 1000.0).exact


def test_above_bounds_what_is_of_no_interest(make_landscape):
    """Where nothing above t is found the ceiling is t at most, and it still bounds every frequency."""
    landscape = make_landscape()
    best = ask(landscape, np.zeros((0, 2)), 0.0, Plan(4, 128, 0), math.inf)
    t = 2.0 * best.ceiling
    quick = ask(landscape, np.zeros((0, 2)), t, Plan(4, 128, 0), math.inf)
    assert quick.exact
    assert best.ceiling * (1 - 1e-9) <= quick.ceiling <= t * (1 + 1e-8)


@pytest.mark.parametrize("norm", ["l2", "l1"])
def test_nothing_beyond_the_radius_matters(make_landscape, norm):
    landscape = make_landscape(d=3, norm=norm)
    floor = 0.02 * landscape.total
    radius = radius_of(landscape, floor)
    far = random_frequencies(np.random.default_rng(0), 500, 3, 1.0)
    far *= (radius * 1.0001 / landscape.decay.size(far))[:, None]
    assert (landscape.decay.of(far) * landscape.total <= floor).all()
    assert (landscape.values(far) <= floor).all()
