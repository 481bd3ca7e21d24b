"""The value of a metric, its gradient and where its search begins, against slow formulas."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernelopt_metric import Metric, _oracle
from kernelopt_metric._average_gradients import gradients
from kernelopt_metric._candidates import candidates
from kernelopt_metric._climb import climbed, free_numbers
from kernelopt_metric._layout import Layout
from kernelopt_metric._metric_objective import Landscape
from kernelopt_metric._radial_shapes import slopes
from kernelopt_metric._spectrum import Spectrum
from scipy.spatial.distance import cdist

from kernelopt.plugin import Part, Query

SHAPES = st.sampled_from(["gaussian", "laplace", "matern"])
PHI = {
    "gaussian": lambda u: np.exp(-u),
    "laplace": lambda u: np.exp(-np.sqrt(u)),
    "matern": lambda u: (1.0 + np.sqrt(3.0 * u)) * np.exp(-np.sqrt(3.0 * u)),
}


def case(shape, diagonal, rank, eta, seed, n=12, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    family = Metric(shape=shape, diagonal=diagonal, rank=None if diagonal else rank, eta=eta).prepare(X, np.ones(n))
    atom = rng.normal(size=family.layout.size) * 10.0 ** rng.uniform(-1.0, 0.5)
    return family, X, atom, rng.normal(size=(n, 2))


def quad(family, X, atom, V):
    return float(np.vdot(V, family.cross(Part(atom[None], np.ones(1)), X, X) @ V))


@given(SHAPES, st.booleans(), st.integers(1, 3), st.sampled_from([0.0, 0.01, 0.3]), st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_the_gradient_is_that_of_differences(shape, diagonal, rank, eta, seed):
    family, X, atom, V = case(shape, diagonal, rank, eta, seed)
    value, slopes = Landscape.of(family.bind(X), V, shape, eta, family.layout).gradient(atom)
    assert value == pytest.approx(quad(family, X, atom, V), rel=1e-6, abs=1e-6)
    size = 1.0 + np.abs(slopes).max()
    for j, slope in enumerate(slopes):
        step = np.zeros_like(atom)
        step[j] = 1e-5
        wanted = (quad(family, X, atom + step, V) - quad(family, X, atom - step, V)) / 2e-5
        assert slope == pytest.approx(wanted, abs=1e-5 * size)


@given(SHAPES, st.booleans(), st.sampled_from(["numbers", "lengths", "width"]), st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_a_climb_ends_higher_and_moves_what_it_may(shape, diagonal, free, seed):
    family, X, atom, V = case(shape, diagonal, 2, 0.05, seed)
    landscape = Landscape.of(family.bind(X), V, shape, 0.05, family.layout)
    end = climbed(landscape, atom, free)
    before, after = landscape.values(np.stack([atom, end]))
    assert after >= before * (1.0 - 1e-12)
    ratios = (end / atom).reshape(3, -1)
    if free == "lengths" and not diagonal:
        np.testing.assert_allclose(ratios, np.broadcast_to(ratios[0], ratios.shape), rtol=1e-9)
    if free == "width":
        np.testing.assert_allclose(ratios, ratios[0, 0], rtol=1e-9)


def test_all_numbers_of_a_metric_climb_where_rows_are_many():
    layout = Layout(20, 2, diagonal=False)
    assert free_numbers(layout, 400) == "numbers"
    assert free_numbers(layout, 399) == "lengths"
    assert free_numbers(Layout(32, 1, diagonal=False), 5) == "numbers"


@given(SHAPES, st.booleans(), st.integers(1, 3), st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_the_kernel_is_that_of_distances_of_moved_rows(shape, diagonal, rank, seed):
    family, X, atom, _ = case(shape, diagonal, rank, 0.05, seed)
    R, frame = family.layout.matrix(atom), family._frame
    A, B = (X[:4] / frame.width) @ R, (X / frame.width) @ R
    wanted = 0.7 * math.exp(-0.05 * np.sum((R @ R.T) ** 2)) * PHI[shape](cdist(A, B, "sqeuclidean"))
    part = Part(atom[None], np.array([0.7]))
    np.testing.assert_allclose(family.cross(part, X[:4], X), wanted, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("shape", ["gaussian", "laplace", "matern"])
def test_rows_far_from_0_lose_no_digit(shape):
    """Their numbers are multiples of 1/64, so that the move itself rounds nothing."""
    X = np.round(64.0 * np.random.default_rng(0).normal(size=(12, 3))) / 64.0
    plain, moved = (Metric(shape=shape).prepare(rows, np.ones(12)) for rows in (X, X + 2.0**30))
    part = Part(np.random.default_rng(1).normal(size=(1, 9)), np.ones(1))
    K = plain.cross(part, X[:4], X)
    np.testing.assert_allclose(moved.cross(part, X[:4] + 2.0**30, X + 2.0**30), K, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("shape", ["gaussian", "laplace", "matern"])
def test_copies_that_differ_by_rounding_have_no_slope_of_their_own(shape):
    """A kink has slope 0 by symmetry: a jitter does not turn it into a random one."""
    X = np.repeat(np.random.default_rng(0).integers(0, 3, size=(10, 2)).astype(float), 2, axis=0)
    family = Metric(shape=shape).prepare(X, np.ones(20))
    atoms, V, data = family.center().atoms, np.random.default_rng(1).normal(size=(20, 1)), family.bind(X)
    jitter = 1e-9 * np.random.default_rng(2).normal(size=data.shape)
    plain, jittered = (gradients(rows, V, atoms, shape, family.layout) for rows in (data, data + jitter))
    np.testing.assert_allclose(jittered, plain, atol=1e-6 * np.abs(plain).max())
    assert np.isfinite(slopes(shape, np.zeros((2, 2)))[1]).all()


@given(SHAPES, st.booleans(), st.integers(1, 3), st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_the_average_gradient_is_that_of_differences(shape, diagonal, rank, seed):
    family, X, atom, V = case(shape, diagonal, rank, 0.0, seed)
    data, layout = family.bind(X), family.layout
    V[3] = 0.0

    def f(Z):
        A, B = Z @ layout.matrix(atom), data @ layout.matrix(atom)
        return PHI[shape](cdist(A, B, "sqeuclidean")) @ V

    steps = 1e-6 * np.eye(3)
    slope = np.stack([(f(data + step) - f(data - step)) / 2e-6 for step in steps], axis=2)
    wanted = np.einsum("icj,ick->jk", slope, slope) / len(data)
    J = gradients(data, V, atom[None], shape, layout)
    np.testing.assert_allclose(J.T @ J, wanted, atol=1e-4 * np.abs(wanted).max())


@pytest.mark.parametrize("diagonal", [False, True])
def test_the_search_begins_along_the_direction_that_matters(diagonal):
    """For v that follows one of 20 columns a candidate from gradients gives it eight times its share by chance."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 20))
    family = Metric(diagonal=diagonal).prepare(X, np.ones(200))
    data, layout = family.bind(X), family.layout
    v = np.sin(2.0 * X[:, :1])
    atoms = candidates(data, v - v.mean(), np.zeros((0, layout.size)), "gaussian", layout)[: -layout.d]
    diagonals = layout.diagonals(atoms)[1:]
    assert (diagonals[:, 0] / diagonals.sum(axis=1)).max() > 0.4


@pytest.mark.parametrize("diagonal", [False, True])
def test_of_very_many_columns_the_steepest_are_tried_alone(diagonal):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(30, 400))
    family = Metric(diagonal=diagonal, rank=None if diagonal else 3).prepare(X, np.ones(30))
    data, layout = family.bind(X), family.layout
    v = np.sin(X[:, 7:8])
    atoms = candidates(data, v - v.mean(), np.zeros((0, layout.size)), "gaussian", layout)
    diagonals = layout.diagonals(atoms)
    alone = np.flatnonzero(np.count_nonzero(diagonals, axis=1) == 1)
    assert 200 < len(alone) < 300
    assert (diagonals[alone, 7] > 0.0).any()


@pytest.mark.parametrize("m", [3, 9])
@pytest.mark.parametrize("power", [0.5, 1.0])
def test_a_spectrum_is_that_of_the_product(m, power):
    """Of fewer rows than columns, of which one depends on the others, and of more."""
    J = np.random.default_rng(m).normal(size=(m, 6))
    J[-1] = J[0]
    spectrum = Spectrum.of(J)
    values, vectors = np.linalg.eigh(J.T @ J)
    wanted = (vectors * np.maximum(values, 0.0) ** power) @ vectors.T
    R = spectrum.root(6, power)
    np.testing.assert_allclose(R @ R.T, wanted, atol=1e-6)
    np.testing.assert_allclose(spectrum.diagonal(power), np.diag(wanted), atol=1e-6)
    first = spectrum.root(1, power)
    np.testing.assert_allclose(
        first @ first.T, values[-1] ** power * np.outer(vectors[:, -1], vectors[:, -1]), atol=1e-9
    )


def test_a_rotated_metric_is_returned_once():
    X = np.random.default_rng(0).normal(size=(15, 2))
    family = Metric(rank=2).prepare(X, np.ones(15))
    angle = 0.3
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    R = np.array([[1.0, 0.2], [0.0, 0.5]])
    near = np.stack([R.ravel(), (R @ turn).ravel()])
    V = np.random.default_rng(1).normal(size=(15, 1))
    best = family.best_atoms(family.bind(X), V, Query(k=100, near=near))
    metrics = [atom.reshape(2, 2) @ atom.reshape(2, 2).T for atom in best.atoms]
    gaps = [np.abs(M - other).max() / np.abs(M + other).max() for i, M in enumerate(metrics) for other in metrics[:i]]
    assert min(gaps) > 1e-6


def test_a_search_that_is_told_to_stop_climbs_no_further(monkeypatch):
    """With 1500 rows one search took seconds after the time was over."""
    X = np.random.default_rng(0).normal(size=(15, 2))
    family, V = Metric().prepare(X, np.ones(15)), np.random.default_rng(1).normal(size=(15, 1))
    climbs = []
    monkeypatch.setattr(_oracle, "climbed", lambda *asked: climbs.append(1) or climbed(*asked))
    whole = family.best_atoms(family.bind(X), V, Query(k=3))
    usual = len(climbs)
    few = family.best_atoms(family.bind(X), V, Query(k=3, stop=lambda: len(climbs) >= usual + 2))
    assert len(climbs) == usual + 2 < 2 * usual
    assert 0.0 < few.ceiling <= whole.ceiling * (1.0 + 1e-9)
