"""Several targets of numbers may be in any units: each is learned in that of its own standard deviation."""

import itertools

import numpy as np
import pytest
from some_rows import some_rows

import kernelopt
from kernelopt._api import _target_units
from kernelopt._api.data import _surveyed
from kernelopt._rows import _arrays

N = 500
ROWS = some_rows(N)
X, Z = ROWS.X, ROWS.Z
Y = np.column_stack([ROWS.numbers, 0.3 * X[:, 3] + np.random.default_rng(1).standard_t(3.0, N)])
UNITS = np.array([1e-3, 1e4])
QUICK = kernelopt.Evidence(targets="numbers", effort="quick", noise="gaussian")
FAMILY = kernelopt.Dictionary(("rbf", "linear"))


def few(X, Y):
    """The first rows, for a family that is searched anew in each step."""
    return X[:60], Y[:60]


def both(rows=lambda X, Y: (X, Y), family=FAMILY, **options):
    """What is learned from targets in two units."""
    criterion = options.pop("criterion", QUICK)
    return (kernelopt.solve(*rows(X, T), family=family, criterion=criterion, **options) for T in (Y, Y * UNITS))


def assert_alike(one, other):
    (mean, deviation), (scaled, wide) = one.predict(Z, return_std=True), other.predict(Z, return_std=True)
    assert scaled == pytest.approx(mean * UNITS, rel=1e-5)
    assert wide == pytest.approx(deviation * UNITS, rel=1e-5)
    assert other.certificate.upper == pytest.approx(one.certificate.upper, abs=1e-6)
    assert other.score(X, Y * UNITS) == pytest.approx(one.score(X, Y), abs=1e-6)
    likely = one.score_samples(X, Y) - np.log(UNITS).sum()
    assert other.score_samples(X, Y * UNITS) == pytest.approx(likely, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("noise", ["gaussian", "student"])
@pytest.mark.parametrize(
    ("family", "rows"),
    [(FAMILY, lambda X, Y: (X[:200], Y[:200])), (["gaussian", "constant"], few)],
    ids=["list", "union"],
)
def test_units_of_targets_are_those_of_what_is_predicted(family, rows, noise):
    criterion = kernelopt.Evidence(targets="numbers", effort="quick", noise=noise)
    one, other = both(rows, family=family, criterion=criterion)
    assert_alike(one, other)
    learned = rows(X, Y)[0]
    by_rows = other.kernel(Z, learned) @ other.coefficients + other.predictor.intercept
    assert other.decision_function(Z) == pytest.approx(by_rows, rel=1e-8, abs=1e-9)


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("family", [FAMILY, kernelopt.Dictionary([("laplacian", {"gamma": 1.0})])], ids=str)
def test_units_of_many_targets(family):
    criterion = kernelopt.Evidence(targets="numbers", noise="gaussian")
    assert_alike(*both(family=family, criterion=criterion))


@pytest.mark.usefixtures("few_are_many")
def test_units_of_targets_in_blocks(monkeypatch):
    monkeypatch.setattr(_surveyed, "MANY", 400)
    monkeypatch.setattr(_arrays, "_BYTES", 8 * 4 * 130)
    assert_alike(*both(rows=lambda X, T: (kernelopt.row_blocks(X, T), None)))


def test_models_know_the_units(tmp_path):
    _, s = both()
    s.save(tmp_path / "units.kernelopt")
    read = kernelopt.load(tmp_path / "units.kernelopt")
    assert np.array_equal(read.predict(Z, return_std=True), s.predict(Z, return_std=True))


def test_a_certificate_is_in_the_same_units():
    _, s = both(criterion=kernelopt.Evidence(targets="numbers", effort="quick", noise="gaussian"))
    found = kernelopt.certify(X, Y * UNITS, family=FAMILY, criterion=s.criterion, mixture=s.mixture)
    assert found.upper == pytest.approx(s.certificate.upper, rel=1e-6)


def test_a_constant_target_is_predicted_as_it_is():
    """Even if rounding leaves something of it beside its mean, which is not made large for the others to bear."""
    weight = np.random.default_rng(2).uniform(0.5, 1.5, N)
    zero, other = (
        kernelopt.solve(
            X, np.column_stack([Y[:, 0], np.full(N, value)]), family=FAMILY, criterion=QUICK, sample_weight=weight
        )
        for value in (0.0, 1e5 + 0.1)
    )
    assert other.predict(Z)[:, 1] == pytest.approx(1e5 + 0.1, rel=1e-9)
    assert other.predict(Z)[:, 0] == pytest.approx(zero.predict(Z)[:, 0], abs=1e-4)


def constant_beside(*values, n=N):
    """The first target between constant ones."""
    return np.column_stack([*(np.full(n, value) for value in values[:1]), Y[:n, 0], *np.tile(values[1:], (n, 1)).T])


@pytest.mark.parametrize("noise", ["gaussian", "student"])
def test_constant_targets_say_nothing_of_the_others(noise):
    """Nor of how sure the others are; they are predicted with a deviation of 0."""
    criterion = kernelopt.Evidence(targets="numbers", effort="quick", noise=noise)
    alone = kernelopt.solve(X, Y[:, 0], family=FAMILY, criterion=criterion)
    beside = kernelopt.solve(X, constant_beside(3.0, -1e5, 0.0), family=FAMILY, criterion=criterion)
    wanted, found = (np.stack(s.predict(Z, return_std=True)) for s in (alone, beside))
    assert found[:, :, 1] == pytest.approx(wanted, rel=1e-5)
    assert np.array_equal(found[:, 0, [0, 2, 3]], [[3.0, -1e5, 0.0], [0.0, 0.0, 0.0]])
    assert beside.certificate.upper == pytest.approx(alone.certificate.upper, abs=1e-6)
    T = constant_beside(3.0, -1e5, 0.0)
    assert beside.score_samples(X, T) == pytest.approx(alone.score_samples(X, Y[:, 0]), abs=1e-4)
    assert any("3 of 4 targets are constant, numbers 0, 2, 3" in note for note in beside.notes)
    assert not any("share one kernel" in note for note in beside.notes)


def test_constant_targets_are_kept_in_files_and_by_certificates(tmp_path):
    T = constant_beside(3.0, -1.0)
    s = kernelopt.solve(X, T, family=FAMILY, criterion=QUICK)
    s.save(tmp_path / "constant.kernelopt")
    read = kernelopt.load(tmp_path / "constant.kernelopt")
    assert np.array_equal(read.predict(Z, return_std=True), s.predict(Z, return_std=True))
    found = kernelopt.certify(X, T, family=FAMILY, criterion=s.criterion, mixture=s.mixture)
    assert found.upper == pytest.approx(s.certificate.upper, rel=1e-6)


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("blocks", [False, True])
def test_constant_targets_of_many_rows(blocks, monkeypatch):
    monkeypatch.setattr(_surveyed, "MANY", 400)
    monkeypatch.setattr(_arrays, "_BYTES", 8 * 4 * 130)
    monkeypatch.setattr("kernelopt._evidence._effort._SAMPLE", {"normal": 200})
    T = constant_beside(3.0, -1.0)
    rows = (kernelopt.row_blocks(X, T), None) if blocks else (X, T)
    alone = (kernelopt.row_blocks(X, T[:, 1]), None) if blocks else (X, T[:, 1])
    for family in (FAMILY, kernelopt.Dictionary([("laplacian", {"gamma": 1.0})])):
        criterion = kernelopt.Evidence(targets="numbers", noise="gaussian")
        wanted, found = (
            np.stack(kernelopt.solve(*one, family=family, criterion=criterion).predict(Z, return_std=True))
            for one in (alone, rows)
        )
        assert found[:, :, 1] == pytest.approx(wanted, rel=1e-5, abs=1e-8)
        assert np.array_equal(found[:, 0, [0, 2]], [[3.0, -1.0], [0.0, 0.0]])


@pytest.mark.parametrize("values", [[7e-6], [0.0], [0.1, -3.0], [1e30, 0.0, 5.0]], ids=str)
@pytest.mark.parametrize("weight", [None, np.linspace(0.5, 1.5, N)], ids=["equal", "weighted"])
def test_targets_that_are_all_constant_are_predicted_as_they_are(values, weight):
    """Without a doubt, without a warning, and with bounds that meet; likely values are these alone."""
    T = np.tile(values, (N, 1)) if len(values) > 1 else np.full(N, values[0])
    s = kernelopt.solve(X, T, family=FAMILY, criterion=QUICK, sample_weight=weight)
    mean, deviation = (np.reshape(found, (len(Z), -1)) for found in s.predict(Z, return_std=True))
    assert mean == pytest.approx(np.tile(values, (len(Z), 1)), rel=1e-12)
    assert not deviation.any()
    assert not s.score_samples(X[:3], T[:3]).any()
    assert (s.score_samples(X[:3], T[:3] + 1.0 + np.abs(T[:3])) == -np.inf).all()
    assert s.status is kernelopt.Status.STATIONARY
    assert "constant" in " ".join(s.notes)


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("blocks", [False, True])
@pytest.mark.parametrize("values", [[1.5], [1.5, 2.0]], ids=str)
def test_constant_targets_of_many_rows_alone(values, blocks, monkeypatch):
    monkeypatch.setattr(_surveyed, "MANY", 400)
    monkeypatch.setattr(_target_units, "_ENOUGH", 100)
    T = np.tile(values, (N, 1)) if len(values) > 1 else np.full(N, values[0])
    rows = (kernelopt.row_blocks(X, T), None) if blocks else (X, T)
    s = kernelopt.solve(*rows, family=FAMILY, criterion=kernelopt.Evidence(targets="numbers"))
    mean, deviation = (np.reshape(found, (len(Z), -1)) for found in s.predict(Z, return_std=True))
    assert mean == pytest.approx(np.tile(values, (len(Z), 1)), rel=1e-12)
    assert not deviation.any()


@pytest.mark.parametrize("size", [1e-80, 1e-19, 1e30, 1e80])
def test_one_target_may_be_of_any_size(size):
    one, other = (kernelopt.solve(X, y, family=FAMILY, criterion=QUICK) for y in (Y[:, 0], size * Y[:, 0]))
    mean, deviation = one.predict(Z, return_std=True)
    found = other.predict(Z, return_std=True)
    assert found[0] == pytest.approx(mean * size, rel=1e-5, abs=1e-6 * size)
    assert found[1] == pytest.approx(deviation * size, rel=1e-5)
    assert other.status is kernelopt.Status.STATIONARY
    assert any("units of its standard deviation" in note for note in other.notes)


@pytest.mark.parametrize(
    ("y", "criterion", "told"),
    [(Y, QUICK, True), (Y[:, :1], QUICK, False), (Y, "ridge", False), (ROWS.three, "evidence", False)],
    ids=["several", "one", "ridge", "classes"],
)
def test_a_note_says_that_targets_share_a_kernel(y, criterion, told):
    s = kernelopt.solve(X, y, family=FAMILY, criterion=criterion)
    assert any("targets share one kernel and one noise" in note for note in s.notes) is told


@pytest.mark.parametrize("unit", [1e-6, 1e6])
@pytest.mark.parametrize("solver", ["ipm", "fw"])
@pytest.mark.parametrize(
    ("family", "criterion"),
    [
        *itertools.product(["tk", "gpk"], [kernelopt.Ridge(), kernelopt.Ridge(10.0), kernelopt.Ridge(1e-3)]),
        ("tk", "alignment"),
    ],
    ids=str,
)
def test_one_target_is_learned_in_any_unit_with_a_learned_matrix(family, criterion, solver, unit):
    """Variables without walls do not begin at 0, where the first step of a master says nothing of the matrix."""
    y = ROWS.numbers[:40]
    one, other = (
        kernelopt.solve(X[:40, :2], scale * y, family=family, criterion=criterion, solver=solver, tol=1e-5)
        for scale in (1.0, unit)
    )
    assert other.status.name == one.status.name == "CONVERGED"
    assert len(other.trace) == len(one.trace)
    assert other.objective == pytest.approx(unit**2 * one.objective, rel=1e-5)
    assert other.predict(Z[:, :2]) == pytest.approx(unit * one.predict(Z[:, :2]), rel=1e-3, abs=1e-3 * unit)


@pytest.mark.parametrize("offset", [2**53, 2**60])
def test_a_target_that_varies_as_rounding_does_is_told_from_a_constant_one(offset):
    steps = np.rint(100.0 * X[:, 0]).astype(np.int64)
    one, constant = (
        kernelopt.solve(X, y, family=FAMILY, criterion=QUICK) for y in (steps + offset, steps * 0 + offset)
    )
    assert any("the target varies by less than 1e-12 of the mean" in note for note in one.notes)
    assert any("the target is constant" in note for note in constant.notes)
    moved = steps + offset
    assert kernelopt.solve(X, moved - moved.min(), family=FAMILY, criterion=QUICK).score(X, steps - steps.min()) > 0.99


def test_targets_that_vary_as_rounding_does_are_named():
    near = 1e15 + np.arange(N) % 2
    s = kernelopt.solve(X, np.column_stack([Y[:, 0], near, Y[:, 1]]), family=FAMILY, criterion=QUICK)
    assert any("1 of 3 targets, numbers 1, vary by less than 1e-12" in note for note in s.notes)
