"""Many rows summed up over features: the same evidence, the same bounds, the same machines as with all rows at hand."""

import tracemalloc

import attrs
import numpy as np
import pytest
from scipy.special import expit

import kernelopt
from kernelopt._evidence._counting import counts_of, noise_of
from kernelopt._evidence._scoring import Scoring
from kernelopt._evidence._summed import rotated, summed_problem
from kernelopt._evidence._summed_mean import SummedMean
from kernelopt._evidence.classes._laplace import Classes
from kernelopt._evidence.classes._shares import Counted, shares_of
from kernelopt._evidence.classes._summed_classes import Labelled, logistic, shares
from kernelopt._families._leaf import Leaf
from kernelopt._families.features import _feature_rows
from kernelopt._families.features._feature_rows import FeatureRows, HeldRows
from kernelopt._families.features._feature_sums import Summing
from kernelopt._families.features._landmark_choice import chosen
from kernelopt._families.features._landmarks import Landmarks
from kernelopt._families.variances._constant import Constant
from kernelopt._families.variances._delta import Delta
from kernelopt._linalg._gram import LowRank
from kernelopt._saddle._bounds import Limits
from kernelopt._saddle._loop import run
from kernelopt._saddle._problem import Problem
from kernelopt.plugin import Part

N = 400
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 3))
F = np.column_stack([np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2], np.abs(X[:, 1])])
Y = F - F.mean(axis=0) + 0.2 * RNG.normal(size=(N, 2))
WEIGHT = RNG.uniform(1.0, 3.0, size=N)
ONE = Part(np.zeros((1, 1)), np.ones(1))


def spanned(kernel, most):
    family = kernelopt.Dictionary((kernel,), normalize="trace").prepare(X, np.ones(N))
    return chosen(family, ONE, X, most, 0.0, np.random.default_rng(1)).kernel


COLUMNS = np.arange(3)
LISTS = (
    Leaf(
        Landmarks((spanned(("rbf", {"gamma": 0.3}), 30), spanned(("laplacian", {"gamma": 0.3}), 40))),
        COLUMNS,
        factor=2.0,
        total=None,
    ),
    Leaf(Constant(), COLUMNS, total=None),
)
LEAVES = (*LISTS, Leaf(Delta(), COLUMNS, total=None))
CRITERION = kernelopt.Evidence(targets="numbers", weights="copies")


def at_hand(targets, weight):
    data = tuple(leaf.family.bind(X) for leaf in LEAVES)
    columns = np.repeat(weight[:, None], targets.shape[1], axis=1)
    outputs = CRITERION.outputs(targets, columns)
    return Problem(LEAVES, CRITERION.bound(LEAVES, data, columns), CRITERION, outputs, 1e-8)


def in_sums(targets, weight, noise):
    features = FeatureRows.of(LISTS, X)
    return summed_problem(LEAVES, features.map, sums(features, targets, weight), CRITERION, noise)


def sums(features, targets, weight):
    return HeldRows.of(features, targets, weight).total(Summing(features.map))[0]


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr(_feature_rows, "_ENTRIES", 97 * 71)


@pytest.mark.parametrize("weight", [np.ones(N), WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("outputs", [1, 2])
def test_the_sums_have_the_optimum_the_bounds_and_the_weights_of_all_rows(outputs, weight):
    whole = at_hand(Y[:, :outputs], weight)
    few = in_sums(Y[:, :outputs], weight, noise_of(whole))
    assert few.n == 71 + outputs
    first, second = (run(p, Scoring(), p.center(), Limits(1e-9, None, 100, None)).bounds for p in (whole, few))
    assert second.certificate.upper == pytest.approx(first.certificate.upper, rel=1e-8)
    assert second.certificate.lower == pytest.approx(first.certificate.lower, rel=1e-8)
    for mine, other in zip(second.response.mixture.parts, first.response.mixture.parts, strict=True):
        assert mine.weights == pytest.approx(other.weights, rel=1e-3, abs=1e-9)


@pytest.mark.parametrize("unit", [1e-8, 1e-5, 1e5, 1e8])
def test_targets_in_other_units_have_the_same_optimum(unit):
    """The features of the learned kernel are as small as the targets then, and that of the level is not."""
    small = attrs.evolve(LISTS[0], factor=LISTS[0].factor * unit**2)
    features = FeatureRows.of((small, LISTS[1]), X)
    noise = 1e-6 * float(np.mean(Y**2))

    def lowest(problem):
        return run(problem, Scoring(), problem.center(), Limits(1e-9, None, 200, None)).bounds.certificate.upper

    usual = lowest(in_sums(Y, np.ones(N), noise))
    scaled = sums(features, unit * Y, np.ones(N))
    other = lowest(summed_problem((small, *LEAVES[1:]), features.map, scaled, CRITERION, unit**2 * noise))
    assert other - 2 * N * np.log(unit) == pytest.approx(usual, abs=1e-5 * N)


def test_rows_that_are_summed_up_are_no_copies():
    counts = counts_of(in_sums(Y, np.ones(N), 1e-6))
    assert counts.copies == 0.0
    assert counts.rows == N
    assert counts.between == N - 73


def test_a_pass_takes_memory_for_its_rows_once_however_many_blocks_there_are(monkeypatch):
    n = 20_000
    features = FeatureRows.of(LISTS, np.tile(X, (n // N + 1, 1))[:n])
    rows = HeldRows.of(features, np.ones((n, 1)), np.ones(n))
    monkeypatch.setattr(_feature_rows, "_HELD", 0)
    monkeypatch.setattr(_feature_rows, "_ENTRIES", 71 * 40)
    tracemalloc.start()
    rows.total(Summing(features.map))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 20 * 8 * n  # in 500 blocks


def test_targets_that_the_features_explain_leave_nothing_and_no_error():
    features = FeatureRows.of(LISTS, X)
    exact = features.image(np.ones((71, 1)))
    R, targets = rotated(sums(features, exact, np.ones(N)))
    assert R.T @ targets[:71] == pytest.approx(features.at(slice(None)).T @ exact, rel=1e-6)
    assert abs(targets[71, 0]) < 1e-4 * np.linalg.norm(exact)


ROOT = np.sqrt(np.repeat([0.7, 0.2, 1.0], [30, 40, 1]))
SIGNS = np.where(F[:, 0] + 0.3 * RNG.normal(size=N) > 0.0, 1.0, -1.0)


def labelled_rows(weight):
    features = FeatureRows.of(LISTS, X)
    return Labelled(HeldRows.of(features, SIGNS[:, None], weight), features.map, ROOT)


@pytest.mark.parametrize("weight", [np.ones(N), WEIGHT], ids=["plain", "weighted"])
def test_the_logistic_mode_is_that_of_all_rows(weight):
    labelled = labelled_rows(weight)
    found = logistic(labelled, labelled.rows, 0)
    scale, coefficients = found.scale, np.sqrt(found.scale) * ROOT * found.b
    Phi = labelled.rows.features.at(slice(None))
    classes = Classes(LowRank(Phi * ROOT), 0.0, SIGNS, weight)
    assert scale == pytest.approx(classes.scaled().scale, rel=0.2)
    f = Phi @ coefficients
    loss = 0.5 * np.sum((coefficients / ROOT) ** 2) / scale + weight @ np.logaddexp(0.0, -SIGNS * f)
    assert loss <= classes.mode(scale).value + 1e-9
    coefficients = np.sqrt(scale) * ROOT * labelled.mode(scale, coefficients / (np.sqrt(scale) * ROOT))
    f = Phi @ coefficients
    stationary = scale * ROOT**2 * (Phi.T @ (weight * SIGNS * expit(-SIGNS * f)))
    assert coefficients == pytest.approx(stationary, abs=1e-3)


def test_a_start_from_some_rows_changes_nothing():
    labelled = labelled_rows(np.ones(N))
    start = attrs.evolve(labelled, rows=labelled.rows.only(np.arange(100))).mode(5.0, np.zeros(71))
    assert labelled.mode(5.0, start) == pytest.approx(labelled.mode(5.0, np.zeros(71)), abs=1e-3)
    assert labelled.mode(5.0, start + 3.0) == pytest.approx(labelled.mode(5.0, start), abs=1e-3)


def test_curvatures_are_not_computed_for_every_step_and_the_mode_is_the_same(monkeypatch):
    labelled, passes = labelled_rows(WEIGHT), []
    whole = HeldRows.total

    def counted(rows, work, **options):
        passes.append(work.curved)
        return whole(rows, work, **options)

    monkeypatch.setattr(HeldRows, "total", counted)
    found = labelled.mode(5.0, np.zeros(71))
    assert 1 <= sum(passes) <= len(passes) - 2
    passes.clear()
    monkeypatch.setattr(_feature_rows, "_HELD", 71 * N - 1)
    assert labelled.mode(5.0, np.zeros(71)) == pytest.approx(found, abs=1e-3)
    assert all(passes)  # without room for features a pass takes long with and without curvatures


def test_probabilities_are_those_of_rows_left_out_one_by_one():
    signs, noise = np.column_stack([SIGNS, -SIGNS]), 0.3
    features, weight = FeatureRows.of(LISTS, X), np.ones(N)
    Phi = features.at(slice(None)) * ROOT
    gram = LowRank(Phi)
    wanted = shares_of(gram, noise, signs, Counted.of(X, signs, weight, noise))
    sums = HeldRows.of(features, signs, weight).total(Summing(features.map))[0]
    inner = Phi.T @ Phi + noise * np.eye(71)
    found = shares(HeldRows.of(features, signs, weight), SummedMean.of(inner, sums.along, ROOT), weight, 0)
    assert found.width == pytest.approx(wanted.width, rel=1e-6)
    assert found.power == pytest.approx(wanted.power, rel=1e-3)


@pytest.mark.parametrize("size", [1.0, 0.02])
def test_a_row_that_is_left_out_is_predicted_as_by_all_others(size):
    """Rows of which the noise is so large that they count less than one copy do not say less than nothing."""
    noise, features, out = 0.3, FeatureRows.of(LISTS, X), np.array([3, 200])
    Phi = features.at(slice(None)) * ROOT

    def mean(weight):
        inner = (Phi.T * weight) @ Phi + noise * np.eye(71)
        along = features.at(slice(None)).T @ (weight[:, None] * Y)
        return SummedMean.of(inner, along, ROOT)

    weight = np.where(np.isin(np.arange(N), out), size * WEIGHT, WEIGHT)
    rows = HeldRows.of(features, Y, weight).only(out)
    found = mean(weight).left_out(rows, np.full(2, size))
    for place, row in enumerate(out):
        others = mean(weight - size * (np.arange(N) == row))  # one copy of the row is gone
        assert found[place] == pytest.approx(Y[row] - features.at(slice(None))[row] @ others.coefficients, rel=1e-6)
