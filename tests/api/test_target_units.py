"""Several targets of numbers may be in any units: each is learned in that of its own standard deviation."""

import numpy as np
import pytest
from some_rows import some_rows

import kernelopt
from kernelopt._api import _surveyed
from kernelopt._rows import _arrays

N = 500
ROWS = some_rows(N)
X, Z = ROWS.X, ROWS.Z
Y = np.column_stack([ROWS.numbers, 0.3 * X[:, 3] + np.random.default_rng(1).standard_t(3.0, N)])
UNITS = np.array([1e-3, 1e4])
QUICK = kernelopt.Evidence(targets="numbers", effort="quick")
FAMILY = kernelopt.Dictionary(("rbf", "linear"))


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
@pytest.mark.parametrize("family", [FAMILY, ["gaussian", "constant"]], ids=["list", "union"])
def test_units_of_targets_are_those_of_what_is_predicted(family, noise):
    criterion = kernelopt.Evidence(targets="numbers", effort="quick", noise=noise)
    one, other = both(family=family, criterion=criterion)
    assert_alike(one, other)
    by_rows = other.kernel(Z, X) @ other.coefficients + other.predictor.intercept
    assert other.decision_function(Z) == pytest.approx(by_rows, rel=1e-8, abs=1e-9)
    assert other.predict(Z, return_std=True)[1][0] == pytest.approx(
        other.predict(Z, return_std=True)[1][0, 0] / np.std(Y[:, 0] * UNITS[0]) * np.std(Y * UNITS, axis=0)
    )


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("family", [FAMILY, kernelopt.Dictionary([("laplacian", {"gamma": 1.0})])], ids=str)
def test_units_of_many_targets(family):
    criterion = kernelopt.Evidence(targets="numbers")
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
    _, s = both()
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


@pytest.mark.parametrize(
    ("y", "criterion", "told"),
    [(Y, QUICK, True), (Y[:, :1], QUICK, False), (Y, "ridge", False), (ROWS.three, "evidence", False)],
    ids=["several", "one", "ridge", "classes"],
)
def test_a_note_says_that_targets_share_a_kernel(y, criterion, told):
    s = kernelopt.solve(X, y, family=FAMILY, criterion=criterion)
    assert any("targets share one kernel and one noise" in note for note in s.notes) is told
