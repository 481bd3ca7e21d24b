"""More rows than Grams can have: a kernel from some of them, landmarks, and a machine that all of them made."""

import signal

import attrs
import numpy as np
import pytest
from some_rows import smooth, some_rows

import kernelopt
from kernelopt._api import _choose
from kernelopt._api._validate import Settings, validated
from kernelopt._api.growth import _grown
from kernelopt._api.growth._rounds import Rounds
from kernelopt._api.many_rows import _begun, _fit, _on_landmarks
from kernelopt._base._status import Status
from kernelopt._families.features import _feature_rows
from kernelopt._families.features._feature_rows import FeatureMap
from kernelopt._families.variances._delta import Delta
from kernelopt._saddle._objective import Growth

N = 600
ROWS = some_rows(N)
X, F, NUMBERS, LABELS, THREE, Z = ROWS.X, ROWS.F, ROWS.numbers, ROWS.labels, ROWS.three, ROWS.Z
TRUE = 3.0 + smooth(Z)
ROUGH = kernelopt.Dictionary([("laplacian", {"gamma": 1.0})])
QUICK = {
    "numbers": kernelopt.Evidence(targets="numbers", effort="quick", noise="gaussian"),
    "labels": kernelopt.Evidence(targets="labels", effort="quick"),
}
NORMAL = attrs.evolve(QUICK["numbers"], effort="normal")
pytestmark = pytest.mark.usefixtures("few_are_many")


@pytest.fixture(scope="module")
def quick():
    """The run on all numbers, which many tests begin with."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_begun, "MANY", 400)
        patched.setattr(_choose, "MANY", 400)
        return kernelopt.solve(X, NUMBERS, criterion=QUICK["numbers"])


def exactly(y, criterion, monkeypatch, **options):
    with monkeypatch.context() as patched:
        patched.setattr(_begun, "MANY", 10**6)
        patched.setattr(_choose, "MANY", 10**6)
        return kernelopt.solve(X, y, criterion=criterion, **options)


def test_numbers_are_predicted_as_with_whole_grams_and_as_surely(quick, monkeypatch):
    s, whole = quick, exactly(NUMBERS, QUICK["numbers"], monkeypatch)
    assert s.status is Status.STATIONARY
    mean, deviation = s.predict(Z, return_std=True)
    other, sure = whole.predict(Z, return_std=True)
    assert mean == pytest.approx(other, abs=0.1)
    assert deviation == pytest.approx(sure, rel=0.1)
    assert np.mean((mean - TRUE) ** 2) < 0.05 * np.var(TRUE)
    assert s.certificate.upper == pytest.approx(whole.certificate.upper, rel=0.05)
    assert any("landmark rows represent it" in note for note in s.notes)


@pytest.mark.parametrize("labels", [LABELS, THREE], ids=["two", "three"])
def test_classes_are_predicted_as_with_whole_grams_and_as_probable(labels, monkeypatch):
    s, whole = kernelopt.solve(X, labels, criterion=QUICK["labels"]), exactly(labels, QUICK["labels"], monkeypatch)
    assert np.mean(s.predict(Z) != whole.predict(Z)) < 0.03
    assert s.predict_proba(Z) == pytest.approx(whole.predict_proba(Z), abs=0.12)
    assert s.predict_proba(Z).sum(axis=1) == pytest.approx(np.ones(200))


@pytest.mark.parametrize("y", [NUMBERS, LABELS, THREE, np.column_stack([NUMBERS, F])], ids=["n", "2", "3", "nn"])
def test_the_machine_is_a_sum_over_all_training_rows(y):
    s = kernelopt.solve(X, y, criterion=QUICK["numbers" if y.dtype == float else "labels"])
    assert s.coefficients.shape == (N, s.response.V.shape[1])
    by_rows = s.kernel(Z, X) @ s.coefficients + s.predictor.intercept
    assert s.decision_function(Z).reshape(200, -1) == pytest.approx(by_rows, abs=0.05)


def test_a_list_with_features_of_its_own_is_solved_exactly(monkeypatch):
    family = kernelopt.sampled("cosine", 40)
    criterion = kernelopt.Evidence(targets="numbers", noise="gaussian")
    s = kernelopt.solve(X, NUMBERS, family=family, criterion=criterion, tol=1e-8)
    whole = exactly(NUMBERS, criterion, monkeypatch, family=family, tol=1e-8)
    assert s.certificate.upper == pytest.approx(whole.certificate.upper, rel=1e-6)
    assert s.certificate.lower == pytest.approx(whole.certificate.lower, rel=1e-6)
    assert s.predict(Z) == pytest.approx(whole.predict(Z), abs=1e-3)
    assert not any("landmark rows represent it" in note for note in s.notes)


def test_a_weight_of_zero_leaves_a_row_out():
    weight = np.ones(N)
    weight[:100] = 0.0
    s = kernelopt.solve(X, NUMBERS, criterion=QUICK["numbers"], sample_weight=weight)
    other = kernelopt.solve(X[100:], NUMBERS[100:], criterion=QUICK["numbers"])
    assert s.predict(Z) == pytest.approx(other.predict(Z), rel=1e-9)
    assert s.support.tolist() == list(range(100, N))


def test_heavy_rows_draw_the_mean():
    weight = np.where(NUMBERS > 3.0, 9.0, 1.0)
    criterion = attrs.evolve(QUICK["numbers"], weights="relative")
    plain = kernelopt.solve(X, NUMBERS, criterion=criterion)
    heavy = kernelopt.solve(X, NUMBERS, criterion=criterion, sample_weight=weight)
    twice = kernelopt.solve(X, NUMBERS, criterion=criterion, sample_weight=2.0 * weight)
    above = NUMBERS > 3.0
    assert np.mean((heavy.predict(X) - NUMBERS)[above] ** 2) < np.mean((plain.predict(X) - NUMBERS)[above] ** 2)
    assert twice.predict(Z) == pytest.approx(heavy.predict(Z), rel=1e-9)


def test_files_keep_the_machine_to_the_bit(quick, tmp_path):
    s = quick
    s.save(tmp_path / "many.kernelopt")
    read = kernelopt.load(tmp_path / "many.kernelopt")
    for mine, other in zip(read.predict(Z, return_std=True), s.predict(Z, return_std=True), strict=True):
        assert np.array_equal(mine, other)


def test_a_table_with_words_and_gaps():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, columns=list("abcd"))
    table["word"] = np.where(F > 0.0, "up", "down")
    table.loc[::7, "d"] = np.nan
    s = kernelopt.solve(table, NUMBERS, criterion=QUICK["numbers"])
    assert s.score(table, NUMBERS) > 0.9
    assert "landmarks" in str(s.kernel)


def test_classes_give_their_share_of_the_sample():
    rare = np.where(np.arange(N) < 18, "rare", LABELS)
    request = validated(X, rare, None, QUICK["labels"], None, None, Settings())
    rows = _begun._sample(request, request.training)
    assert np.sum(rare[rows] == "rare") == 18
    assert len(np.unique(rows)) == len(rows)


def test_who_watches_may_end_it_and_gets_what_is_there():
    s = kernelopt.solve(X, NUMBERS, criterion=QUICK["numbers"], callback=lambda record: True, tol=1e-12)
    assert s.status is Status.INTERRUPTED
    assert s.score(X, NUMBERS) > 0.5


def test_a_time_limit_ends_it_with_the_rows_that_were_seen():
    s = kernelopt.solve(X, NUMBERS, criterion=QUICK["numbers"], max_seconds=1e-3)
    assert s.status is Status.MAX_SECONDS
    assert np.isfinite(s.predict(Z)).all()


@pytest.mark.parametrize(("module", "stage"), [(_on_landmarks, "chosen"), (_fit, "_all")])
@pytest.mark.parametrize("y", [NUMBERS, LABELS], ids=["numbers", "classes"])
def test_control_c_ends_it_with_a_machine_of_the_rows_that_were_seen(module, stage, y, monkeypatch):
    def interrupted(*arguments, **options):
        signal.raise_signal(signal.SIGINT)
        return work(*arguments, **options)

    work = getattr(module, stage)
    monkeypatch.setattr(module, stage, interrupted)
    monkeypatch.setattr(_feature_rows, "_ENTRIES", 5000)
    s = kernelopt.solve(X, y, criterion={"name": "evidence", "effort": "quick"})
    assert s.status is Status.INTERRUPTED
    assert any("ended the choice of landmark rows" in note for note in s.notes) == (stage == "chosen")
    seen = np.flatnonzero(s.coefficients.any(axis=1))
    assert any(f"ended the run after {len(seen)} of {N} rows" in note for note in s.notes)
    by_rows = s.kernel(Z, X[seen]) @ s.coefficients[seen] + s.predictor.intercept
    assert s.decision_function(Z).reshape(200, -1) == pytest.approx(by_rows, abs=0.05 * np.abs(by_rows).max())


@pytest.mark.parametrize("family", ["auto", [kernelopt.Dictionary(["linear"]), "auto"]], ids=["alone", "union"])
def test_features_that_the_choice_of_landmarks_knows_are_not_computed_again(family, monkeypatch):
    def kept(*arguments):
        begun.append(work(*arguments))
        return begun[-1]

    begun, work = [], _begun.carried
    monkeypatch.setattr(_begun, "carried", kept)
    monkeypatch.setattr("kernelopt._evidence._effort._SAMPLE", {"quick": 200})
    kernelopt.solve(X, NUMBERS, family=family, criterion=QUICK["numbers"])
    lists = tuple(leaf for leaf in begun[0].leaves if not isinstance(leaf.family, Delta))
    again = FeatureMap.of(lists, X).at(X)
    assert begun[0].features == pytest.approx(again, abs=1e-6 * np.abs(again).max())
    monkeypatch.setattr(_on_landmarks, "_CANDIDATES", N - 1)
    kernelopt.solve(X, NUMBERS, family=family, criterion=QUICK["numbers"])
    assert begun[1].features is None


def test_what_landmarks_leave_out_is_noise_from_the_first_step(monkeypatch):
    """A sample without noise is no reason to begin without any, and to double it in each step."""
    monkeypatch.setattr("kernelopt._evidence._effort._LANDMARKS", {"quick": 15})
    s = kernelopt.solve(X, F, family=ROUGH, criterion=QUICK["numbers"])
    few = len(s.trace)
    monkeypatch.setattr(_fit, "_noisy", lambda leaf, part, least: part)
    assert 2 * few < len(kernelopt.solve(X, F, family=ROUGH, criterion=QUICK["numbers"]).trace)


@pytest.fixture
def plans(monkeypatch):
    """How many rows each round of metrics has learned from, of a plan of 50 and a sample of 400; it gains nothing."""

    def judged(learner, base, plan, *errors):
        plans.append(plan.rows)
        return attrs.evolve(work(learner, base, plan, *errors), rounds=Rounds(), steps=())

    plans, work, few = [], _grown.judged, Growth(1, 50, 2)
    monkeypatch.setattr(_grown, "judged", judged)
    monkeypatch.setattr(kernelopt.Evidence, "growth", lambda self, n, outputs: few)
    monkeypatch.setattr("kernelopt._evidence._effort._SAMPLE", {"normal": 400})
    return plans


@pytest.mark.parametrize(("outputs", "rows"), [(1, 200), (2, 200), (8, 79)])
def test_rounds_of_metrics_learn_from_half_of_the_sample_where_fewer_rows_gain_nothing(outputs, rows, plans):
    y = NUMBERS if outputs == 1 else np.digitize(F, np.quantile(F, np.linspace(0.0, 1.0, outputs + 1)[1:-1]))
    kernelopt.solve(X, y, criterion=attrs.evolve(QUICK["numbers" if outputs == 1 else "labels"], effort="normal"))
    assert plans == [50, rows]


@pytest.mark.parametrize("stays", [False, True])
def test_what_fewer_rows_gain_is_enough_if_it_stays_in_a_second_look(stays, plans, monkeypatch):
    def judged(learner, base, plan, *errors):
        return attrs.evolve(work(learner, base, plan, *errors), rounds=Rounds(1 if plan.rows == 50 else 0))

    def confirmed(learner, base, plan, found):
        return found if stays else attrs.evolve(found, rounds=Rounds())

    work = _grown.judged
    monkeypatch.setattr(_grown, "judged", judged)
    monkeypatch.setattr(_grown, "confirmed", confirmed)
    kernelopt.solve(X, NUMBERS, criterion=NORMAL)
    assert plans == ([50] if stays else [50, 200])


def test_rounds_of_metrics_learn_from_half_of_the_sample_where_there_is_time_and_there_are_many_rows(
    plans, monkeypatch
):
    kernelopt.solve(X, NUMBERS, criterion=NORMAL, max_seconds=1e9)
    assert plans == [50, 200]
    plans.clear()
    monkeypatch.setattr(_grown, "SLOWEST", 60.0)
    kernelopt.solve(X, NUMBERS, criterion=NORMAL, max_seconds=600)
    kernelopt.solve(X[:300], NUMBERS[:300], criterion=NORMAL)
    assert plans == [50, 50]


def test_bounds_of_the_sample_are_not_computed_again(monkeypatch):
    def refused(*arguments):
        raise AssertionError

    monkeypatch.setattr("kernelopt._saddle._second_look.certified", refused)
    s = kernelopt.solve(X, NUMBERS, criterion=QUICK["numbers"])
    assert s.status is Status.STATIONARY


def test_it_goes_on_from_the_kernel_of_a_solution(quick):
    again = kernelopt.solve(X, NUMBERS, criterion=QUICK["numbers"], start=quick)
    assert again.predict(Z) == pytest.approx(quick.predict(Z), abs=1e-6)
    assert any("the kernel of start was taken" in note for note in again.notes)
    machine = kernelopt.KernelRegressor(effort="quick", warm_start=True).fit(X, NUMBERS)
    assert machine.fit(X, NUMBERS).score(X, NUMBERS) > 0.9


def test_what_cannot_be_is_refused_in_one_sentence(quick):
    with pytest.raises(kernelopt.InvalidOption, match="wanted a Solution"):
        kernelopt.solve(X, NUMBERS, criterion=QUICK["numbers"], start=quick.mixture)
    with pytest.raises(kernelopt.InvalidOption, match="is of 4 columns, and X has 3"):
        kernelopt.solve(X[:, :3], NUMBERS, criterion=QUICK["numbers"], start=quick)


LISTS = [("svc", LABELS), ("l2-svc", LABELS), ("svr", NUMBERS), ("ridge", NUMBERS), ("one-class", None)]


@pytest.mark.parametrize(("criterion", "y"), LISTS, ids=[name for name, _ in LISTS])
def test_lists_that_few_rows_span_have_the_same_optimum_without_a_gram(criterion, y, monkeypatch):
    family = kernelopt.Dictionary((("linear", {}), ("poly", {"degree": 2})))
    s = kernelopt.solve(X, y, family=family, criterion=criterion, tol=1e-7)
    whole = exactly(y, criterion, monkeypatch, family=family, tol=1e-7)
    assert s.kernel.explicit
    assert not whole.kernel.explicit
    assert s.certificate.lower <= whole.certificate.upper * (1.0 + 1e-9) + 1e-9
    assert s.certificate.upper == pytest.approx(whole.certificate.upper, rel=1e-5)
    assert any("is represented by features" in note for note in s.notes)
    certificate = kernelopt.certify(X, y, family=family, criterion=criterion, mixture=s.mixture)
    assert certificate.upper == pytest.approx(s.certificate.upper, rel=1e-4)
