"""A run that begins at an earlier solution takes its kernels, those that joined the list too, and never ends worse."""

import numpy as np
import pytest

import kernelopt
from kernelopt import Evidence
from kernelopt._families.dictionary.kernels._base_kernels import PlacedKernel
from kernelopt._families.dictionary.seen._leaves import Leaves
from kernelopt._families.dictionary.seen._places import Metric

pytestmark = pytest.mark.usefixtures("two_parts")
TAKEN = "the kernels of start were taken"
RBF, WIDE = ("rbf", {"gamma": 1.0}), ("rbf", {"gamma": 0.1})


def steps(n=240, d=6, seed=0):
    """Rows, and numbers that change in steps, for which metrics and trees join the default list."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, 2.0 * (X[:, 0] > 0.3) + (X[:, 1] > -0.2) * (X[:, 2] > 0.0) + 0.1 * rng.normal(size=n)


def grown_kernels(solution):
    """How many kernels of metrics and of trees are on its list."""
    places = [one.place for one in solution.kernel.leaves[0].family.listed if isinstance(one, PlacedKernel)]
    return sum(isinstance(place, Metric | Leaves) for place in places)


@pytest.fixture(scope="module")
def first(two_parts):
    s = kernelopt.solve(*steps())
    assert grown_kernels(s) > 0
    return s


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"tol": 1e-5},
        {"criterion": Evidence(effort="quick")},
        {"criterion": Evidence(noise="student")},
        {"max_steps": 1},
        {"max_seconds": 30.0},
        {"solver": "ipm"},
    ],
    ids=str,
)
def test_the_default_begins_at_an_earlier_solution_and_never_ends_worse(first, options):
    again = kernelopt.solve(*steps(), start=first, **options)
    assert any(TAKEN in note for note in again.notes)
    assert 0 < grown_kernels(again) <= grown_kernels(first)
    if again.tails is None:  # the objective of Student's t is that of rows with other weights
        assert again.trace[0].upper == pytest.approx(first.objective, rel=1e-9)
        assert again.objective <= first.objective + 1e-9 * abs(first.objective)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("targets", ["numbers", "labels"])
def test_no_start_ends_worse_where_nothing_joined(targets, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3))
    y = np.sin(X[:, 0]) + 0.3 * rng.normal(size=60)
    y = y if targets == "numbers" else y > 0.0
    rough = kernelopt.solve(X, y, tol=0.3, max_steps=1)
    fine = kernelopt.solve(X, y, start=rough)
    assert fine.objective <= rough.objective + 1e-9 * abs(rough.objective)


def test_a_start_without_learned_kernels_learns_them():
    X, y = steps()
    quick = kernelopt.solve(X, y, criterion=Evidence(effort="quick"))
    s = kernelopt.solve(X, y, start=quick)
    assert grown_kernels(quick) == 0 < grown_kernels(s)
    assert s.objective < quick.objective


def test_the_kernels_of_a_start_are_the_same_functions_on_other_rows(first):
    """The splits of trees are not moved by the other means and deviations of these rows."""
    X, y = steps()
    fewer = kernelopt.solve(X[:200], y[:200], start=first)
    assert grown_kernels(fewer) > 0
    used = [part.mass > 0.0 for part in first.mixture.parts]
    assert used[0]
    one, other = (s.kernel.leaves[0].family.seen(X) for s in (first, fewer))
    np.testing.assert_array_equal(one, other)
    Z, new = steps(seed=5)
    assert np.mean((fewer.predict(Z) - new) ** 2) < 1.2 * np.mean((first.predict(Z) - new) ** 2)


def test_a_list_with_kernels_on_each_column_starts_one_without(first):
    X, y = steps()
    assert len(first.kernel.leaves[0].family.listed) > 13
    few = kernelopt.solve(X[:100], y[:100], criterion=Evidence(effort="quick"))
    assert len(few.kernel.leaves[0].family.listed) == 13  # too few rows for kernels on each column
    more = kernelopt.solve(X, y, start=few, criterion=Evidence(effort="quick"))
    back = kernelopt.solve(X[:100], y[:100], start=more, criterion=Evidence(effort="quick"))
    assert back.status.converged
    assert back.objective <= few.objective + 1.0


def test_an_estimator_is_fitted_again_and_again():
    X, y = steps()
    machine = kernelopt.KernelRegressor(warm_start=True)
    for rows in (slice(None), slice(0, 200), slice(None)):
        machine.fit(X[rows], y[rows])
        assert machine.solution_.status.converged
        assert grown_kernels(machine.solution_) > 0


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["linear", RBF], [RBF, "linear", WIDE]),
        ([RBF, WIDE], [WIDE, RBF]),
        ([lambda X, Z: X @ Z.T, RBF], [lambda X, Z: X @ Z.T, RBF]),
    ],
    ids=["longer", "turned", "a function that was written anew"],
)
def test_kernels_of_a_list_are_found_at_other_places(before, after):
    X, y = steps(60, 3)
    one, other = (kernelopt.Dictionary(kernels, normalize="trace") for kernels in (before, after))
    was = kernelopt.solve(X, y, family=one, criterion="ridge", tol=1e-6)
    s = kernelopt.solve(X, y, family=other, criterion="ridge", solver="fw", tol=1e-6, start=was)
    assert s.trace[0].upper == pytest.approx(was.objective, rel=1e-6)


@pytest.mark.parametrize("after", [["linear"], ["linear", "cosine"], ["linear", WIDE, RBF]], ids=str)
def test_a_list_without_the_kernels_of_a_start_is_refused_in_one_sentence(after):
    X, y = steps(60, 3)
    was = kernelopt.solve(X, y, family=kernelopt.Dictionary(["linear", "laplacian"]), criterion="ridge", tol=1e-6)
    assert 1.0 in was.mixture.parts[0].kept().atoms
    with pytest.raises(kernelopt.InvalidOption, match="gives weight to kernels of its dictionary that the dictionary"):
        kernelopt.solve(X, y, family=kernelopt.Dictionary(after), criterion="ridge", start=was)


def test_a_mixture_alone_is_refused_with_the_way_out(first):
    with pytest.raises(kernelopt.InvalidOption, match="pass the solution itself, whose kernels are then taken"):
        kernelopt.solve(*steps(), criterion=Evidence(effort="quick"), start=first.mixture)


def test_a_start_whose_kernel_landmarks_stand_for_is_taken_for_few_rows_too(monkeypatch):
    """Learned from many rows or in little time; the advice of a run that ended early is to go on from it."""
    random = np.random.default_rng(0)
    X = random.normal(size=(250, 2))
    y = np.sin(2.0 * X[:, 0]) + 0.1 * random.normal(size=250)
    with monkeypatch.context() as patched:
        patched.setattr("kernelopt._api.many_rows._begun.MANY", 200)
        before = kernelopt.solve(X, y)
    assert "landmarks" in [leaf.family.name for leaf in before.kernel.leaves]
    after = kernelopt.solve(X, y, start=before)
    assert [leaf.family.name for leaf in after.kernel.leaves] == ["dictionary", "constant", "delta"]
    assert after.score(X, y) == pytest.approx(before.score(X, y), abs=0.02)
    hasty = kernelopt.solve(X[:100], y[:100], start=before, max_seconds=600.0)
    assert "family: the kernel of start was taken" in hasty.notes
    assert hasty.score(X, y) == pytest.approx(before.score(X, y), abs=0.05)


@pytest.fixture(scope="module")
def wave(two_parts):
    """Rows, targets, and what was learned of them."""
    random = np.random.default_rng(0)
    X = random.normal(size=(250, 2))
    y = np.sin(2.0 * X[:, 0]) + 0.1 * random.normal(size=250)
    return X, y, kernelopt.solve(X, y)


@pytest.mark.parametrize(("seconds", "told"), [(1e9, True), (0.0, False)], ids=["too long", "in time"])
def test_a_run_that_goes_on_keeps_to_its_limit(seconds, told, wave, monkeypatch):
    """Where all rows at once would take longer, by the time of a factorisation, landmarks represent the kernel."""
    X, y, before = wave
    monkeypatch.setattr("kernelopt._api._resumed.seconds_of_a_factor", lambda order: seconds)
    after = kernelopt.solve(X, y, start=before, max_seconds=600.0)
    assert any("landmarks represent the kernel of start" in note for note in after.notes) is told
    assert after.predict(X) == pytest.approx(before.predict(X), abs=0.02)
    assert kernelopt.solve(X, y, start=before).objective == pytest.approx(before.objective)


def outliers(seed=22):
    """Rows of which some targets are far from what the others say."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(30, 90)), int(rng.integers(1, 7))
    X = rng.normal(size=(n, d))
    y = np.sin(2 * X[:, 0]) + X[:, -1] ** 2 * rng.integers(0, 2) + 0.1 * rng.standard_t(2, size=n)
    count = int(rng.integers(1, 4))
    y[rng.choice(n, count, replace=False)] += rng.normal(size=count) * rng.choice([1, 5, 50])
    return X, y


@pytest.fixture(scope="module")
def doubtful(two_parts):
    """Rows some of which are far out, and what was learned of them."""
    X, y = outliers()
    return X, y, kernelopt.solve(X, y)


@pytest.mark.parametrize(("seed", "limits"), [(33, {}), (3, {"max_seconds": 0.5})], ids=["no limit", "little time"])
def test_a_run_goes_on_with_the_noise_of_its_start(seed, limits):
    """Which Gaussian noise, tried first from the same kernel, need not find doubtful, or leaves no time for."""
    X, y = outliers(seed)
    s = kernelopt.solve(X, y, tol=1e-4)
    assert s.tails is not None
    again = kernelopt.solve(X, y, start=s, tol=1e-4, **limits)
    assert again.tails is not None
    assert again.objective == pytest.approx(s.objective, abs=0.05)
    assert again.predict(X) == pytest.approx(s.predict(X), abs=0.05)


def test_noise_of_a_start_does_not_stay_where_targets_have_none_of_it(doubtful):
    X, _, s = doubtful
    clean = np.sin(2.0 * X[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=len(X))
    again = kernelopt.solve(X, clean, start=s)
    assert again.tails is None or again.tails.weight.min() > 0.3
    wanted = kernelopt.solve(X, clean, start=s, criterion=Evidence(targets="numbers", noise="gaussian"))
    assert again.predict(X) == pytest.approx(wanted.predict(X), abs=0.1)


def test_noise_of_a_start_is_that_of_its_own_rows(doubtful):
    """Of other rows, here fewer of them, it says nothing."""
    X, y, s = doubtful
    again = kernelopt.solve(X[:-1], y[:-1], start=s, criterion=Evidence(targets="numbers"))
    assert again.tails is None or len(again.tails.weight) == len(y) - 1
