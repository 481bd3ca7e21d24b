"""The one loop: why it stops, what it keeps, and that nothing is lost."""

import signal
import time

import attrs
import numpy as np
import pytest
from kernelopt_fw import PlainFrankWolfe

import kernelopt
from kernelopt import Status
from kernelopt._base._working_time import compiling
from kernelopt._saddle._loop import _gained
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._trace import Record
from kernelopt.testing import Waves

RNG = np.random.default_rng(1)
X = RNG.normal(size=(60, 4))
Y = np.where(np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + 0.3 * RNG.normal(size=60) > 0.5, 1, -1)
FAMILY = kernelopt.Dictionary([("rbf", {"gamma": g}) for g in (0.01, 0.1, 0.5, 2.0)], normalize="trace")
SLOW = {"name": "plain-fw", "searches": 2}


def solve(**options):
    return kernelopt.solve(
        X, Y, **({"family": FAMILY, "solver": SLOW, "criterion": {"name": "svc", "C": 10}} | options)
    )


def test_converges_to_a_true_certificate():
    s = solve(tol=1e-2)
    assert s.status is Status.CONVERGED
    assert s.certificate.exact
    assert 0 <= s.certificate.relative_gap <= 1e-2
    assert s.certificate.upper <= s.baseline


def test_best_bounds_are_monotone_and_the_trace_is_whole():
    s = solve(tol=1e-4, max_steps=15)
    assert [record.step for record in s.trace] == list(range(len(s.trace)))
    upper = np.array([record.upper for record in s.trace])
    lower = np.array([record.lower for record in s.trace])
    assert (np.diff(upper) <= 0).all()
    assert (np.diff(lower) >= 0).all()
    assert (lower <= upper).all()


def test_a_familys_note_on_its_search_comes_with_the_step_that_asked_it():
    @attrs.frozen
    class Talking(Waves):
        def best_atoms(self, data, V, query):
            return attrs.evolve(super().best_atoms(data, V, query), note="a grid and its best cell")

    s = solve(family=Talking(), solver="ipm", tol=1e-3)
    said = ["a grid and its best cell" in record.note for record in s.trace]
    asked = [record.step == 0 or "exchange" in record.note for record in s.trace]
    assert said == asked
    assert len(set(said)) == 2


def test_step_limit():
    s = solve(tol=1e-9, max_steps=3)
    assert s.status is Status.MAX_STEPS
    assert s.steps == 3


def record(upper, lower):
    gap = (upper - lower) / max(abs(upper), abs(lower))
    return Record(step=0, seconds=0.0, upper=upper, lower=lower, relative_gap=gap, atoms=1, support=1, note="")


@pytest.mark.parametrize(
    ("upper", "lower", "gained"),
    [
        (10.0, 9.0, False),
        (9.995, 8.995, False),  # it falls by less than a hundredth of the gap
        (9.5, 8.5, True),  # the gap is as wide as before, but a tangent's bound moves with the kernel
        (9.5, 8.0, True),
        (10.0, 9.02, True),
        (10.0, 9.005, False),
        (11.0, 10.0, False),
    ],
)
def test_steps_are_of_use_where_the_gap_closes_or_the_objective_falls(upper, lower, gained):
    assert _gained(record(10.0, 9.0), record(upper, lower)) is gained


def test_time_limit():
    s = solve(tol=1e-9, max_seconds=1e-6)
    assert s.status is Status.MAX_SECONDS
    assert s.certificate.lower <= s.certificate.upper


@pytest.mark.parametrize("after", [0, 1, 4])
def test_interruption_returns_the_best_so_far(after):
    def interrupt(record):
        if record.step == after:
            raise KeyboardInterrupt

    s = solve(tol=1e-9, callback=interrupt)
    assert s.status is Status.INTERRUPTED
    assert s.steps == after
    assert s.certificate.lower <= s.certificate.upper
    assert len(s.predict(X)) == len(X)


def test_an_interruption_of_the_final_look_loses_nothing(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    whole = solve(tol=1e-6)
    monkeypatch.setattr("kernelopt._saddle._saddle_objective.SaddleObjective.recertified", interrupted)
    s = solve(tol=1e-6)
    assert s.status is Status.INTERRUPTED
    assert s.certificate.upper == pytest.approx(whole.certificate.upper, rel=1e-5)
    assert any(note.startswith("certificate: the final computation was interrupted") for note in s.notes)
    assert (s.predict(X) == whole.predict(X)).all()


def test_a_final_look_for_which_nobody_waits_is_given_up(monkeypatch):
    def pressed(record):
        if record.step == 4:
            signal.raise_signal(signal.SIGINT)

    looked = []

    def endless(*_):
        looked.append(1)
        for _ in range(60_000):  # a single wait would not hear of the timer before it is over
            time.sleep(0.001)

    monkeypatch.setattr("kernelopt._base._interrupts._PATIENCE", 0.01)
    monkeypatch.setattr("kernelopt._saddle._saddle_objective.SaddleObjective.recertified", endless)
    s = solve(tol=1e-9, callback=pressed)
    assert looked
    assert s.status is Status.INTERRUPTED
    assert (s.certificate.upper, s.certificate.lower) == (s.trace[-1].upper, s.trace[-1].lower)
    assert any(note.startswith("certificate: the final computation was interrupted") for note in s.notes)


def test_a_callback_may_stop_the_run():
    s = solve(tol=1e-9, callback=lambda record: record.step == 2)
    assert s.status is Status.INTERRUPTED
    assert s.steps == 2


def test_a_run_goes_on_from_a_solution():
    first = solve(tol=1e-9, max_steps=5)
    second = solve(tol=1e-9, max_steps=1, start=first)
    assert second.trace[0].upper == pytest.approx(first.certificate.upper, rel=1e-9)
    assert second.baseline == first.baseline


def test_a_run_goes_on_from_its_checkpoint(tmp_path):
    path = tmp_path / "run.ckpt"
    first = solve(tol=1e-9, max_steps=5, checkpoint=path)
    second = solve(tol=1e-9, max_steps=1, checkpoint=path)
    assert second.trace[0].upper == pytest.approx(first.certificate.upper, rel=1e-9)


def test_a_checkpoint_of_another_problem_is_refused(tmp_path):
    path = tmp_path / "run.ckpt"
    solve(max_steps=1, checkpoint=path)
    with pytest.raises(kernelopt.InvalidData, match="checkpoint of another problem"):
        kernelopt.solve(X[:50], Y[:50], family=FAMILY, solver="plain-fw", checkpoint=path)


@pytest.mark.parametrize("criterion", ["svc", "evidence"])
def test_a_run_over_kernels_of_any_size_goes_on_from_its_checkpoint(tmp_path, criterion):
    path = tmp_path / "run.ckpt"
    family = FAMILY if criterion == "evidence" else kernelopt.priced(FAMILY, 0.1)
    options = {"family": family, "criterion": criterion, "solver": "fw" if criterion == "svc" else "auto", "tol": 1e-9}
    first = kernelopt.solve(X, Y, max_steps=3, checkpoint=path, **options)
    second = kernelopt.solve(X, Y, max_steps=1, checkpoint=path, **options)
    assert second.trace[0].upper == pytest.approx(first.certificate.upper, rel=1e-9)


def test_a_model_is_no_checkpoint(tmp_path):
    path = tmp_path / "model"
    solve(max_steps=1).save(path)
    with pytest.raises(kernelopt.InvalidData, match="checkpoint of another problem"):
        solve(max_steps=1, checkpoint=path)


def test_certify_agrees_with_solve_and_with_anybody():
    s = solve(tol=1e-2)
    again = kernelopt.certify(X, Y, family=FAMILY, criterion={"name": "svc", "C": 10}, mixture=s.mixture)
    assert again.upper == pytest.approx(s.certificate.upper, rel=1e-4)
    part = kernelopt.Part(np.array([[0.0]]), np.array([1.0]))
    poor = kernelopt.certify(
        X, Y, family=FAMILY, criterion={"name": "svc", "C": 10}, mixture=kernelopt.Mixture((part,))
    )
    assert poor.upper >= s.certificate.lower
    assert poor.lower <= s.certificate.upper


def test_certify_refuses_a_mixture_of_another_family():
    part = kernelopt.Part(np.zeros((1, 7)), np.array([1.0]))
    with pytest.raises(kernelopt.InvalidOption, match="7 numbers each, wanted 1"):
        kernelopt.certify(X, Y, family=FAMILY, mixture=kernelopt.Mixture((part,)))
    half = kernelopt.Part(np.zeros((1, 1)), np.array([0.5]))
    with pytest.raises(kernelopt.InvalidOption, match=r"sum to 0\.5, wanted 1"):
        kernelopt.certify(X, Y, family=FAMILY, mixture=kernelopt.Mixture((half,)))


def test_sample_weights_are_copies():
    weight = np.where(np.arange(60) % 7 == 0, 2.0, 1.0)
    weight[3] = 0.0
    copies = np.repeat(np.arange(60), weight.astype(int))
    family = kernelopt.fixed(("rbf", {"gamma": 0.3}))
    options = {"family": family, "criterion": {"name": "svc", "C": 2}, "tol": 1e-8, "solver": "plain-fw"}
    weighted = kernelopt.solve(X, Y, sample_weight=weight, **options)
    repeated = kernelopt.solve(X[copies], Y[copies], **options)
    assert weighted.certificate.upper == pytest.approx(repeated.certificate.upper, rel=1e-6)
    assert weighted.decision_function(X) == pytest.approx(repeated.decision_function(X), abs=1e-3)
    assert 3 not in weighted.support


def test_balanced_classes_are_class_weights():
    label, count = np.unique(Y, return_counts=True)
    options = {"family": kernelopt.fixed("rbf"), "solver": "plain-fw", "tol": 1e-8}
    balanced = kernelopt.solve(X, Y, class_weight="balanced", **options)
    named = kernelopt.solve(X, Y, class_weight={k: 60 / (2 * c) for k, c in zip(label, count, strict=True)}, **options)
    assert balanced.certificate.upper == named.certificate.upper


def test_a_fixed_kernel_agrees_with_libsvm():
    from sklearn.svm import SVC

    s = kernelopt.solve(X, Y, family=kernelopt.fixed(("rbf", {"gamma": 0.3})), scale=1.0, tol=1e-8, solver="plain-fw")
    theirs = SVC(C=1.0, gamma=0.3, tol=1e-9).fit(X, Y)
    assert s.decision_function(X) == pytest.approx(theirs.decision_function(X), abs=1e-4)


def test_the_kernel_is_accepted_by_scikit_learn():
    from sklearn.svm import SVC

    s = solve(tol=1e-2)
    theirs = SVC(C=10, kernel=s.kernel, tol=1e-6).fit(X, Y)
    assert np.mean(theirs.predict(X) == s.predict(X)) > 0.95
    assert np.allclose(np.diagonal(s.kernel(X)), s.kernel.diag(X))


def test_the_first_line_that_anyone_types():
    s = kernelopt.solve(family=kernelopt.fixed("linear"), tol=1e-2)
    assert any("breast cancer" in note for note in s.notes)
    assert "breast cancer" in str(s)
    assert set(s.predict(np.zeros((2, 30)))) <= {"malignant", "benign"}


def test_a_gap_that_rounding_alone_closes_is_told_and_the_advice_works():
    rows = X + np.array([1e6, 0.0, 0.0, 0.0])
    options = {"family": kernelopt.Dictionary(["linear", "rbf"]), "criterion": "margin"}
    told = "certificate: the relative gap is 1, and the run counts as converged because the gap, "
    far = kernelopt.solve(rows, Y, **options)
    assert far.status is Status.CONVERGED
    assert [told in note for note in far.notes].count(True) == 1
    near = kernelopt.solve(rows - rows.mean(axis=0), Y, **options)
    asked = kernelopt.solve(rows, Y, atol=far.certificate.gap, **options)
    for s in (near, asked):
        assert s.status is Status.CONVERGED
        assert not any(told in note for note in s.notes)
    assert near.certificate.relative_gap < 1e-3


def test_an_optimum_of_zero_is_reached():
    """No kernel is worth its price where every number is within epsilon of the middle."""
    prices = {"family": kernelopt.priced(kernelopt.fixed("rbf"), 0.1), "criterion": {"name": "svr", "epsilon": 9.0}}
    s = kernelopt.solve(X, X[:, 0], tol=1e-3, solver="ipm", **prices)
    assert s.status is Status.CONVERGED
    assert 0.0 <= s.certificate.upper < 1e-20


@pytest.fixture
def clock(monkeypatch):
    """A clock that only a look at the oracle moves, by 10 s: one in each state, and one or two at the end."""
    now, looked = [0.0], Problem.ceiling

    def slowly(*arguments, **options):
        now[0] += 10.0
        return looked(*arguments, **options)

    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr(Problem, "ceiling", slowly)
    return now


@pytest.mark.parametrize("limit", [60.0, 65.0, 35.0])
def test_no_step_begins_that_would_leave_no_time_for_the_last_look(clock, limit):
    s = solve(tol=1e-12, max_seconds=limit)
    assert s.status is Status.MAX_SECONDS
    assert s.steps == limit // 10.0 - 2
    assert clock[0] <= limit + 10.0


def test_a_step_leaves_time_for_the_last_look(clock, monkeypatch):
    """Which takes as long as the first state at most: 10 s."""
    step, left = PlainFrankWolfe.step, []

    def told(self, problem, state, budget):
        left.append(budget.remaining())
        return step(self, problem, state, budget)

    monkeypatch.setattr(PlainFrankWolfe, "step", told)
    solve(tol=1e-12, max_seconds=65.0)
    assert left == [45.0, 35.0, 25.0, 15.0]
    left.clear()
    solve(tol=1e-12, max_steps=2)
    assert left == [None, None]


def test_a_run_that_made_the_steps_it_was_asked_for_lacked_no_time(clock):
    s = solve(tol=1e-12, max_seconds=35.0, max_steps=1)
    assert s.steps == 1
    assert s.status is Status.MAX_STEPS


def test_where_one_look_takes_longer_than_the_limit_its_state_is_the_answer(clock):
    s = solve(tol=1e-12, max_seconds=5.0)
    assert s.steps == 0
    assert clock[0] <= 30.0
    assert s.certificate.lower <= s.certificate.upper


def test_what_numba_compiles_in_one_step_is_not_expected_of_the_next(clock, monkeypatch):
    looked, waited = Problem.ceiling, []

    def compiled_first(*arguments, **options):
        if not waited:
            compiling().begin()
            clock[0] += 30.0
            waited.append(clock[0])
            compiling().end()
        return looked(*arguments, **options)

    monkeypatch.setattr(Problem, "ceiling", compiled_first)
    s = solve(tol=1e-12, max_seconds=85.0)
    assert waited == [30.0]
    assert s.steps == 3  # 55 of the 85 seconds are left, as in a run without compilation


@pytest.mark.parametrize("C", [1e30, 1e100])
def test_the_lower_bound_of_nu_svr_is_true_where_its_dual_variables_are_huge(C):
    """Their differences alone count; with C=1e100 a lower bound of 4e83 was told."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=30)
    options = {"family": kernelopt.Dictionary([("rbf", {"gamma": 0.5}), "linear"]), "max_seconds": 0.7}
    known = kernelopt.solve(
        X, y, criterion={"name": "nu-svr", "C": 1e6}, **options
    ).certificate  # as if C were infinite
    s = kernelopt.solve(X, y, criterion={"name": "nu-svr", "C": C}, solver="qcqp", **options)
    assert s.status.proved
    assert s.certificate.lower <= known.upper <= s.certificate.upper


@pytest.mark.parametrize("solver", ["fw", "ipm", "qcqp"])
@pytest.mark.parametrize("C", [1e30, 1e90, 1e100])
def test_a_run_with_an_enormous_price_of_slack_says_how_far_it_came(C, solver):
    """Its first upper bound is enormous too, and no measure of what rounding leaves of the optimum."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=30) > 0.0, 1, -1)
    for criterion, targets in (({"name": "svc", "C": C}, y), ({"name": "svr", "C": C, "epsilon": 0.01}, X[:, 0] ** 2)):
        s = kernelopt.solve(X, targets, family="tk", criterion=criterion, solver=solver, max_steps=3)
        assert s.status.converged == (s.certificate.relative_gap <= 1e-3)
