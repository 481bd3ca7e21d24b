"""Weights of rows: so many copies of them, in all that is learned and predicted; or how noisy rows are, relatively."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor

import kernelopt
from kernelopt import Evidence

LISTED = kernelopt.Dictionary([("rbf", {"gamma": gamma}) for gamma in (0.1, 0.5, 2.0)] + ["linear"])


def drawn(n=50, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=n), rng.integers(1, 4, n)


TARGETS = {
    "numbers": lambda y: y,
    "two": lambda y: y > 0.2,
    "several": lambda y: np.digitize(y, [-0.7, 0.7]),
}


FAMILIES = {"list": LISTED, "features": kernelopt.Dictionary(["linear", ("poly", {"degree": 2, "coef0": 1.0})])}


@pytest.mark.parametrize("solver", ["scoring", "reweighted"])
@pytest.mark.parametrize("kind", TARGETS)
@pytest.mark.parametrize("family", FAMILIES)
def test_a_row_of_weight_k_is_k_rows(family, kind, solver):
    X, y, s = drawn()
    y, every = TARGETS[kind](y), np.repeat(np.arange(len(X)), s)
    criterion = Evidence(targets="numbers" if kind == "numbers" else "labels")
    asked = {
        "family": FAMILIES[family],
        "criterion": criterion,
        "solver": solver,
        "tol": 1e-7 if solver == "scoring" else 1e-5,
    }
    one = kernelopt.solve(X, y, sample_weight=s.astype(float), **asked)
    copies = kernelopt.solve(X[every], y[every], **asked)
    assert one.status is kernelopt.Status.STATIONARY
    assert one.objective == pytest.approx(copies.objective, abs=1e-3)
    assert one.certificate.lower <= one.certificate.upper
    Z = drawn(30, seed=1)[0]
    assert one.kernel(Z) == pytest.approx(copies.kernel(Z), rel=1e-2, abs=1e-3)
    assert one.decision_function(Z) == pytest.approx(copies.decision_function(Z), abs=3e-2)
    if kind == "numbers":
        assert one.predict(Z, return_std=True)[1] == pytest.approx(copies.predict(Z, return_std=True)[1], rel=1e-2)
    else:
        assert one.predict_proba(Z) == pytest.approx(copies.predict_proba(Z), abs=1e-2)


def numbers(weight=None, **options):
    X, y, _ = drawn()
    asked = {"family": LISTED, "criterion": Evidence(targets="numbers"), "tol": 1e-7, **options}
    return kernelopt.solve(X, y, sample_weight=weight, **asked)


def test_weights_of_1_are_none():
    plain, one = numbers(), numbers(np.ones(50))
    assert one.certificate == plain.certificate
    assert np.array_equal(one.coefficients, plain.coefficients)


@pytest.mark.parametrize("weights", ["copies", "relative"])
@pytest.mark.parametrize("kind", TARGETS)
def test_weights_of_0_leave_rows_out(kind, weights):
    X, y, s = drawn()
    y, left = TARGETS[kind](y), np.arange(50) % 5 > 0
    asked = {"family": LISTED, "criterion": Evidence(weights=weights), "tol": 1e-6}
    some = kernelopt.solve(X[left], y[left], sample_weight=s[left], **asked)
    assert kernelopt.solve(X, y, sample_weight=s * left, **asked).objective == pytest.approx(some.objective, rel=1e-9)


@pytest.mark.parametrize("size", [1.0, 0.3, 1e-3])
def test_weights_that_sum_to_less_than_the_rows_are_shares(size):
    s = np.random.default_rng(4).uniform(0.2, 3.0, 50)
    s /= s.mean()
    shares, whole = numbers(size * s), numbers(s)
    assert shares.status is kernelopt.Status.STATIONARY
    assert shares.objective == pytest.approx(whole.objective, rel=1e-9)
    assert shares.coefficients == pytest.approx(whole.coefficients, rel=1e-6)


@pytest.mark.parametrize("family", FAMILIES)
def test_certify_agrees_with_the_run(family):
    X, y, s = drawn()
    asked = {"family": FAMILIES[family], "criterion": Evidence(targets="numbers"), "sample_weight": s.astype(float)}
    run = kernelopt.solve(X, y, tol=1e-7, **asked)
    certificate = kernelopt.certify(X, y, mixture=run.mixture, **asked)
    assert certificate.upper == pytest.approx(run.objective, abs=1e-6)
    assert certificate.lower == pytest.approx(run.certificate.lower, abs=1e-3)
    assert certificate.lower <= certificate.upper


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", TARGETS)
def test_at_a_given_kernel_the_bounds_are_those_of_the_copies(family, kind):
    """To rounding: nothing is learned that a tolerance would stop."""
    X, y, s = drawn()
    y, every = TARGETS[kind](y), np.repeat(np.arange(len(X)), s)
    asked = {"family": FAMILIES[family], "criterion": Evidence()}
    mixture = kernelopt.solve(X, y, **asked).mixture
    one = kernelopt.certify(X, y, mixture=mixture, sample_weight=s.astype(float), **asked)
    copies = kernelopt.certify(X[every], y[every], mixture=mixture, **asked)
    assert one.upper == pytest.approx(copies.upper, rel=1e-10)
    assert one.lower == pytest.approx(copies.lower, rel=1e-2)


@pytest.mark.parametrize("kind", TARGETS)
def test_a_row_of_weight_k_is_k_rows_to_the_default_list(kind):
    """The list is that of as many rows as it gets: the kernels are near, and those of as many rows as they are."""
    X, y, s = drawn(100)
    y, every = TARGETS[kind](y), np.repeat(np.arange(100), s)
    asked = {"family": "auto", "criterion": Evidence(effort="quick"), "tol": 1e-4}
    one = kernelopt.solve(X, y, sample_weight=s.astype(float), **asked)
    copies = kernelopt.solve(X[every], y[every], **asked)
    assert one.status is kernelopt.Status.STATIONARY
    assert one.objective == pytest.approx(copies.objective, abs=0.01 * s.sum())
    Z = drawn(100, seed=1)[0]
    off = np.abs(one.decision_function(Z) - copies.decision_function(Z))
    assert off.mean() < 0.1 * np.abs(copies.decision_function(Z)).mean()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_row_of_weight_k_is_k_rows_to_kernels_that_join(seed):
    """The same rows are held out, trees are grown on the same draws, and so the same kernels join."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 3))
    y = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=80) > 0.0, "yes", "no")
    s, Z = np.random.default_rng(3).integers(1, 4, 80), rng.normal(size=(2000, 3))
    one = kernelopt.solve(X, y, sample_weight=s)
    copies = kernelopt.solve(np.repeat(X, s, axis=0), np.repeat(y, s))
    assert one.objective == pytest.approx(copies.objective, abs=1.0)
    assert np.mean(one.predict(Z) != copies.predict(Z)) < 0.01
    joined = [[note.partition(" joined")[0] for note in s.notes if " joined the list" in note] for s in (one, copies)]
    assert joined[0] == joined[1]


def relative(weight=None, kind="numbers", **options):
    X, y, _ = drawn()
    asked = {"family": LISTED, "criterion": Evidence(weights="relative"), "tol": 1e-6, **options}
    return kernelopt.solve(X, TARGETS[kind](y), sample_weight=weight, **asked)


UNEVEN = np.exp(np.random.default_rng(5).uniform(-2.0, 2.0, 50))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", TARGETS)
def test_a_factor_to_relative_weights_changes_nothing_and_equal_ones_are_none(family, kind):
    found, larger = (relative(size * UNEVEN, kind, family=FAMILIES[family]) for size in (1.0, 7.0))
    assert larger.objective == pytest.approx(found.objective, rel=1e-9)
    assert larger.coefficients == pytest.approx(found.coefficients, rel=1e-4, abs=1e-6)
    plain, equal = (relative(weight, kind, family=FAMILIES[family]) for weight in (None, np.full(50, 3.3)))
    assert equal.coefficients == pytest.approx(plain.coefficients, rel=1e-4, abs=1e-6)
    assert not np.allclose(found.coefficients, plain.coefficients, rtol=1e-2)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("solver", ["scoring", "reweighted"])
def test_relative_weights_are_a_noise_for_each_row_as_in_scikit_learn(family, solver, tmp_path):
    found = relative(UNEVEN, family=FAMILIES[family], solver=solver)
    assert found.certificate.lower <= found.certificate.upper
    X, y, _ = drawn()
    mean, noise = np.average(y, weights=UNEVEN), found.posterior.noise
    process = GaussianProcessRegressor(
        found.kernel.for_gaussian_process(), alpha=noise * UNEVEN.mean() / UNEVEN, optimizer=None
    ).fit(X, y - mean)
    constant = 0.5 * np.sum(np.log(UNEVEN / UNEVEN.mean()))
    assert found.objective == pytest.approx(constant - process.log_marginal_likelihood_value_, abs=1e-6)
    Z = drawn(30, seed=1)[0]
    wanted, deviation = process.predict(Z, return_std=True)
    found.save(tmp_path / "model")
    for machine in (found, kernelopt.load(tmp_path / "model")):
        got, sure = machine.predict(Z, return_std=True)
        assert got == pytest.approx(wanted + mean, abs=1e-6)
        assert sure == pytest.approx(np.sqrt(machine.posterior.doubt * (deviation**2 + noise)), rel=1e-5)


@pytest.mark.parametrize("kind", TARGETS)
def test_copies_beyond_the_rows_are_told_of(kind):
    X, y, s = drawn()
    told = 'criterion=Evidence(weights="relative")'

    def notes(weight, **options):
        found = kernelopt.solve(X, TARGETS[kind](y), family=LISTED, sample_weight=weight, tol=1e-2, **options)
        return [note for note in found.notes if told in note]

    copies = Evidence(weights="copies")
    (note,) = notes(np.full(50, 1.1), criterion=copies)
    assert "55 for 50 rows" in note
    assert len(notes(s, criterion=Evidence())) == 1
    for weight in (None, np.full(50, 1.02), np.full(50, 0.4), UNEVEN / UNEVEN.mean()):
        assert notes(weight, criterion=copies) == []
    assert notes(s.astype(float), criterion=Evidence(weights="relative")) == []
    if kind != "numbers":
        assert notes(None, criterion=Evidence(), class_weight="balanced") == []


@pytest.mark.parametrize("inner", ["fw", "smo", "apd", "ipm"])
def test_other_solvers_take_them(inner):
    pytest.importorskip(f"kernelopt_{inner}") if inner != "ipm" else None
    solver = {"name": "reweighted", "solver": inner}
    s = drawn()[2].astype(float)
    found = numbers(s, family=FAMILIES["features"], solver=solver, tol=1e-3)
    assert found.objective == pytest.approx(numbers(s, family=FAMILIES["features"]).objective, abs=0.1)


@pytest.mark.parametrize("kind", TARGETS)
def test_whole_numbers_are_copies_and_other_weights_are_relative(kind):
    X, y, s = drawn()
    y, asked = TARGETS[kind](y), {"family": LISTED, "criterion": Evidence()}
    for weight, meant in ((s, "copies"), (s.astype(float), "copies"), (UNEVEN, "relative"), (s + 0.5, "relative")):
        found = kernelopt.solve(X, y, sample_weight=weight, **asked)
        named = kernelopt.solve(X, y, family=LISTED, criterion=Evidence(weights=meant), sample_weight=weight)
        assert found.criterion.weights == meant
        assert np.array_equal(found.coefficients, named.coefficients)
    ones = kernelopt.solve(X, y, sample_weight=np.ones(50), **asked)
    assert ones.criterion.weights == "auto"


def test_all_rows_say_what_weights_mean_and_none_that_has_no_weight():
    """One weight that is no whole number decides for all; the weights of rows that are left out say nothing."""
    X, y, s = drawn()
    s = s.astype(float)
    s[7] = 1.5
    assert kernelopt.solve(X, y, family=LISTED, criterion=Evidence(), sample_weight=s).criterion.weights == "relative"
    s[7] = 0.0
    assert kernelopt.solve(X, y, family=LISTED, criterion=Evidence(), sample_weight=s).criterion.weights == "copies"


@pytest.mark.parametrize("factor", [1e-30, 1e-3, 1e3, 1e12, 1e17, 1e40])
def test_a_common_factor_of_weights_that_are_not_whole_changes_nothing_however_large(factor):
    """Floating point numbers beyond 2^53 are all whole, and say nothing of copies: so weights in the smallest units."""
    X, y, _ = drawn()
    asked = {"family": LISTED, "criterion": Evidence()}
    one, other = (kernelopt.solve(X, y, sample_weight=w, **asked) for w in (UNEVEN, factor * UNEVEN))
    assert other.criterion.weights == "relative"
    assert other.predict(X) == pytest.approx(one.predict(X), rel=1e-6)


def test_rounding_makes_no_trust_of_numbers_of_copies():
    X, y, s = drawn()
    rounded = s * 0.1 / 0.1
    assert np.any(rounded != s)
    found = kernelopt.solve(X, y, family=LISTED, criterion=Evidence(), sample_weight=rounded)
    assert found.criterion.weights == "copies"


@pytest.mark.parametrize("kind", TARGETS)
def test_one_row_that_is_trusted_far_more_leaves_others_as_good_as_without_it(kind):
    """The rows of which single kernels are compared may then count for less than one row together."""
    X, y, _ = drawn(400)
    y = TARGETS[kind](y)
    weight = np.full(400, 0.5)
    weight[200] = 1e6
    asked = {"family": "auto", "criterion": Evidence(effort="quick")}
    without = np.arange(400) != 200
    Z, z, _ = drawn(300, seed=1)
    found = kernelopt.solve(X, y, sample_weight=weight, **asked)
    others = kernelopt.solve(X[without], y[without], **asked)
    assert found.status is kernelopt.Status.STATIONARY
    if kind == "numbers":
        assert np.mean((found.predict(Z) - z) ** 2) < 1.3 * np.mean((others.predict(Z) - z) ** 2)
