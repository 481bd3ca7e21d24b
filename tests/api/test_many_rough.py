"""Rough kernels of many rows: the whole kernel predicts, on all rows or on as many as it has room for."""

import math
import signal
import time
from functools import partial
from types import SimpleNamespace

import attrs
import numpy as np
import pytest
from some_rows import smooth, some_rows

import kernelopt
from kernelopt._api import _choose
from kernelopt._api.data import _surveyed
from kernelopt._api.many_rows import _begun, _remainder, _result, _rough, _roughness, _whole
from kernelopt._api.many_rows._deviation import beside
from kernelopt._api.many_rows._fit import weight_of_copy
from kernelopt._api.many_rows._pace import Pace
from kernelopt._api.many_rows._whole import _Clock
from kernelopt._base._budget import Budget
from kernelopt._base._status import Status
from kernelopt._evidence import _whole_kernel
from kernelopt._evidence.classes._newton import Mode
from kernelopt._evidence.classes._whole_classes import WholeClasses
from kernelopt._families.features._feature_rows import FeatureRows, HeldRows, holdable, most_held
from kernelopt._rows import _arrays

N = 600
ROWS = some_rows(N)
X, F, NUMBERS, LABELS, THREE, Z = ROWS.X, ROWS.F, ROWS.numbers, ROWS.labels, ROWS.three, ROWS.Z
TRUE = 3.0 + smooth(Z)
ROUGH = kernelopt.Dictionary([("laplacian", {"gamma": 1.0})])
QUICK = kernelopt.Evidence(targets="numbers", effort="quick", noise="gaussian")
pytestmark = pytest.mark.usefixtures("few_are_many")


def exactly(y, criterion, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(_begun, "MANY", 10**6)
        patched.setattr(_choose, "MANY", 10**6)
        return kernelopt.solve(X, y, criterion=criterion, family=ROUGH)


def surprise(solution, seed=1):
    """Minus the mean logarithm of the density of new targets, but for a constant."""
    mean, deviation = solution.predict(Z, return_std=True)
    new = TRUE + 0.2 * np.random.default_rng(seed).normal(size=len(Z))
    return np.mean(0.5 * ((new - mean) / deviation) ** 2 + np.log(deviation))


NORMAL = kernelopt.Evidence(targets="numbers", noise="gaussian")


def evidence_of(y):
    """The criterion of numbers or of classes."""
    return NORMAL if y is NUMBERS else kernelopt.Evidence(targets="labels")


def test_where_landmarks_leave_out_much_the_machine_has_the_whole_kernel(monkeypatch, tmp_path):
    monkeypatch.setattr("kernelopt._evidence._effort._LANDMARKS", {"normal": 30})
    monkeypatch.setattr("kernelopt._families.features._landmark_choice._AT_ONCE", 3)
    s = kernelopt.solve(X, NUMBERS, family=ROUGH, criterion=NORMAL)
    assert any(f"the whole kernel predicts, on all {N} rows" in note for note in s.notes)
    by_rows = s.kernel(Z, X) @ s.coefficients[:, 0] + s.predictor.intercept
    assert s.decision_function(Z) == pytest.approx(by_rows, abs=1e-9)
    whole = exactly(NUMBERS, NORMAL, monkeypatch)
    mean, deviation = s.predict(Z, return_std=True)
    other, sure = whole.predict(Z, return_std=True)
    assert np.mean((mean - other) ** 2) < 0.02 * np.var(other)
    assert np.mean(deviation) == pytest.approx(np.mean(sure), rel=0.25)
    s.save(tmp_path / "whole.kernelopt")
    read = kernelopt.load(tmp_path / "whole.kernelopt")
    assert np.array_equal(read.predict(Z, return_std=True)[1], deviation)
    again = kernelopt.solve(X, NUMBERS, family=ROUGH, criterion=NORMAL, start=s)
    assert again.score(Z, TRUE) == pytest.approx(s.score(Z, TRUE), abs=0.02)


def test_half_of_the_landmarks_do_where_the_whole_kernel_will_predict(monkeypatch):
    monkeypatch.setattr("kernelopt._evidence._effort._LANDMARKS", {"normal": 40, "quick": 40})
    monkeypatch.setattr("kernelopt._families.features._landmark_choice._AT_ONCE", 4)

    def landmarks(criterion, y=NUMBERS, **options):
        s = kernelopt.solve(X, y, family=ROUGH, criterion=criterion, **options)
        note = next(note for note in s.notes if "landmark rows represent it" in note)
        return int(note.split(" landmark rows")[0].split()[-1])

    most = landmarks(QUICK)
    monkeypatch.setattr("kernelopt._api.many_rows._roughness._NOISIER", 0.0)
    assert landmarks(NORMAL) == most  # with fewer, equations would be solved with more noise
    assert landmarks(kernelopt.Evidence(targets="labels"), THREE) < most  # on which classes hardly depend
    monkeypatch.setattr("kernelopt._api.many_rows._roughness._NOISIER", math.inf)
    assert most // 2 <= landmarks(NORMAL) < most // 2 + 4
    assert landmarks(NORMAL, max_seconds=1e9) < most
    with monkeypatch.context() as patched:
        patched.setattr(Pace, "whole", lambda *_: False)
        assert landmarks(NORMAL, max_seconds=1e9) == most
    room_for(N - 1, monkeypatch)
    assert landmarks(NORMAL) == most


@pytest.mark.parametrize(("limit", "enough"), [(399.0, False), (460.0, True)])
def test_the_time_of_the_whole_kernel_is_told_by_that_of_landmarks(limit, enough):
    """10 seconds for 1000 rows and 100 landmarks are 200 for half a Gram of 2000 rows, and as much comes after it."""
    now = time.monotonic()
    pace = Pace(now - 10.0, 1000, 0.0, Budget(now + limit))
    assert pace.whole(100, 2000) == enough


def test_landmarks_leave_time_for_their_weights():
    """With 8 seconds for those of 100 landmarks, which go with the cube of their number, 10 are too short for 110."""
    now = time.monotonic()
    pace = Pace(now, 1000, 0.0, Budget(now + 10.0), 8.0 / 100**3)
    assert pace.ahead(50) == pytest.approx(1.0)
    assert [pace.stop(r) for r in (100, 110)] == [False, True]


def test_features_that_are_computed_anew_take_longer():
    """What took a second for 1000 rows takes 20 for 10,000 rows in two passes over features that are held, of 50
    landmarks at most, and 60 in six that compute them.
    """
    now = time.monotonic()
    pace = Pace(now - 1.0, 1000, 2e4, Budget(now + 40.0), anew=6e4, held=50)
    assert [pace.stop(r) for r in (50, 51)] == [False, True]


@pytest.mark.parametrize(
    ("rows", "device", "held"), [(None, None, 2236), ("rows of a file", None, 0), (None, "cuda", 0)]
)
def test_features_of_rows_in_files_and_on_a_device_are_computed_anew(rows, device, held):
    training = SimpleNamespace(classes=None, y=np.zeros((0, 1)))
    settings = SimpleNamespace(device=device)
    request = SimpleNamespace(training=training, n=120_000, rows=rows, settings=settings, deadline=None)
    assert Pace.of(request, SimpleNamespace(asked=False), QUICK, 1000).held == held


@pytest.mark.parametrize(("n", "most"), [(120_000, 2236), (1_000_000, 268)])
def test_so_many_features_are_held(n, most):
    """Of 2 GiB."""
    assert most_held(n) == most
    assert [holdable(n, r) for r in (most, most + 1)] == [True, False]


def test_what_is_done_before_the_first_landmark_does_not_count_for_each_of_them():
    """Of 3 seconds 2 prepared 1000 candidates, so 10,000 rows take 40 for two passes and 50 for five of 1 second."""
    now = time.monotonic()
    paces = [Pace(now - 3.0, 1000, 5e4, Budget(now + limit), 0.0, 2e4) for limit in (80.0, 100.0)]
    assert [pace.stop(60, 2.0) for pace in paces] == [True, False]
    assert paces[1].stop(60)
    assert paces[1].whole(100, 2000, 2.0)


@pytest.mark.parametrize(("limit", "share"), [(1000.0, None), (125.0, None), (115.0, 0.01), (9.0, 0.0)])
def test_the_first_rows_do_not_say_how_long_the_whole_kernel_takes(limit, share, monkeypatch):
    """They take 10 seconds; each hundredth of the Gram takes 0.75, and half of that time is asked for after it."""
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    clock, stopped = _Clock(Budget(limit)), None
    for done in np.arange(0, 101) / 100.0:
        now[0] = 10.0 + 75.0 * done
        if clock.stop(max(done, 1e-4)):
            stopped = done
            break
    assert stopped == share


def test_the_whole_kernel_takes_less_noise_where_held_out_rows_are_predicted_better(monkeypatch):
    monkeypatch.setattr("kernelopt._evidence._effort._LANDMARKS", {"normal": 30})
    monkeypatch.setattr("kernelopt._families.features._landmark_choice._AT_ONCE", 3)

    def learned(*shares):
        monkeypatch.setattr("kernelopt._api.many_rows._whole._LESS", shares)
        monkeypatch.setattr("kernelopt._api.many_rows._whole._MORE", ())
        s = kernelopt.solve(X, NUMBERS, family=ROUGH, criterion=NORMAL)
        assert any(f"the whole kernel predicts, on all {N} rows" in note for note in s.notes)
        return s, any("of the noise learned" in note for note in s.notes)

    (plain, _), (less, changed), (_, worse) = learned(), learned(0.5, 0.25), learned(9.0, 0.5)
    assert changed
    assert not worse  # a share that brings nothing is the last one that is tried
    assert np.mean((less.predict(Z) - TRUE) ** 2) < np.mean((plain.predict(Z) - TRUE) ** 2)

    assert surprise(less) < surprise(plain)


def test_the_whole_kernel_takes_more_noise_where_the_equations_of_all_rows_do_not_settle_with_less(monkeypatch):
    monkeypatch.setattr("kernelopt._evidence._effort._LANDMARKS", {"normal": 30})
    monkeypatch.setattr("kernelopt._families.features._landmark_choice._AT_ONCE", 3)
    usual, asked = _whole_kernel.Equations.solved, []

    def solved(self, R, stop, kept=None, start=None):
        """As it is, but for all rows with less noise."""
        if kept is None:
            asked.append(self.tau)
        return usual(self, R, stop, kept, start) if kept is not None or len(asked) > 1 else None

    monkeypatch.setattr(_whole_kernel.Equations, "solved", solved)
    s = kernelopt.solve(X, NUMBERS, family=ROUGH, criterion=NORMAL)
    assert any(f"the whole kernel predicts, on all {N} rows" in note for note in s.notes)
    assert len(asked) == 2
    assert asked[0] < asked[1]


def test_the_whole_kernel_takes_more_noise_where_held_out_rows_are_predicted_better(monkeypatch):
    """The sample took much of the noise for a function: with all rows it says less than landmarks do."""
    monkeypatch.setattr("kernelopt._evidence._effort._LANDMARKS", {"normal": 30})
    monkeypatch.setattr("kernelopt._families.features._landmark_choice._AT_ONCE", 3)
    usual, noisy = _rough.rough, NUMBERS + np.random.default_rng(1).normal(size=N)
    monkeypatch.setattr(_result, "rough", lambda *asked: attrs.evolve(found := usual(*asked), noise=0.05 * found.noise))
    monkeypatch.setattr(_rough, "NOISE", 0.0)

    more = kernelopt.solve(X, noisy, family=ROUGH, criterion=NORMAL)
    monkeypatch.setattr("kernelopt._api.many_rows._whole._MORE", ())
    plain = kernelopt.solve(X, noisy, family=ROUGH, criterion=NORMAL)
    assert any("16 times the noise learned" in note for note in more.notes)
    assert np.mean((more.predict(Z) - TRUE) ** 2) < np.mean((plain.predict(Z) - TRUE) ** 2)
    assert surprise(more) < surprise(plain)


def test_a_whole_kernel_that_predicts_worse_leaves_the_landmarks(monkeypatch):
    monkeypatch.setattr("kernelopt._evidence._effort._LANDMARKS", {"normal": 30})
    monkeypatch.setattr("kernelopt._families.features._landmark_choice._AT_ONCE", 3)
    usual = _rough.rough

    def right(*asked):
        found = usual(*asked)
        return attrs.evolve(found, by_landmarks=np.zeros_like(found.by_landmarks))

    monkeypatch.setattr(_result, "rough", right)
    s = kernelopt.solve(X, NUMBERS, family=ROUGH, criterion=NORMAL)
    assert "landmarks" in str(s.kernel)
    assert not any(note.startswith("machine: ") for note in s.notes)


@pytest.mark.parametrize(("weights", "share"), [("copies", [0.05, 0.05, 2.0]), ("relative", [0.05, 0.15, 2.0])])
def test_one_copy_of_a_row_counts_as_far_as_it_is_believed(weights, share):
    """A row that counts less than once is not left out as if it counted once, which would leave less than nothing."""
    given, belief = np.array([1.0, 3.0, 1.0, 7.0]), np.array([0.05, 0.05, 2.0, 1.0])
    training = SimpleNamespace(weight=given[:, None])
    criterion = kernelopt.Evidence(weights=weights)
    request = SimpleNamespace(criterion=criterion, training=training, rows=None)
    factor = 1.0 if weights == "copies" else 4.0 / given.sum()  # relative weights are 1 in the mean
    rows = HeldRows(None, None, factor * given[:3] * belief[:3], np.arange(3))
    factors = [1.0, 1.0, 1.0] if weights == "copies" else [factor, factor, factor]
    assert weight_of_copy(request, rows) == pytest.approx(np.array(share) * factors)


@pytest.mark.parametrize("labels", [LABELS, THREE], ids=["two", "three"])
def test_classes_have_the_whole_kernel_too(labels, monkeypatch):
    monkeypatch.setattr("kernelopt._evidence._effort._LANDMARKS", {"normal": 15})
    monkeypatch.setattr(
        "kernelopt._evidence.classes._class_machine.MOST", 0
    )  # where there are many rows none is left out
    criterion = kernelopt.Evidence(targets="labels")
    s, whole = (
        kernelopt.solve(X, labels, family=ROUGH, criterion=criterion),
        exactly(labels, criterion, monkeypatch),
    )
    assert any(f"the whole kernel predicts, on all {N} rows" in note for note in s.notes)
    by_rows = s.kernel(Z, X) @ s.coefficients + s.predictor.intercept
    assert s.decision_function(Z).reshape(200, -1) == pytest.approx(by_rows, abs=1e-9)
    assert np.mean(s.predict(Z) != whole.predict(Z)) < 0.06
    assert s.predict_proba(Z) == pytest.approx(whole.predict_proba(Z), abs=0.15)
    assert np.mean(np.abs(s.predict_proba(Z) - whole.predict_proba(Z))) < 0.04


def test_a_whole_kernel_that_gains_little_beside_the_error_is_not_formed(monkeypatch):
    """The noise is at its floor: what landmarks leave out is more than the noise, and far less than their error."""
    monkeypatch.setattr("kernelopt._evidence._effort._SAMPLE", {"normal": 250})
    s = kernelopt.solve(X, NUMBERS, family=ROUGH, criterion=NORMAL)
    assert "landmarks" in str(s.kernel)
    assert len(s.kernel.leaves[0].family.kernels[0]) < N
    monkeypatch.setattr(_begun, "_error", lambda *known: 0.0)
    assert len(kernelopt.solve(X, NUMBERS, family=ROUGH, criterion=NORMAL).kernel.leaves[0].family.kernels[0]) == N


def test_classes_that_are_sure_need_no_whole_kernel(monkeypatch):
    """Of three classes the values are numbers, and of two the logarithm of the odds, which has no such unit."""
    monkeypatch.setattr("kernelopt._evidence._effort._LANDMARKS", {"normal": 15})
    monkeypatch.setattr("kernelopt._api.many_rows._roughness._SURE", 100.0)
    for labels, whole in ((THREE, False), (LABELS, True)):
        s = kernelopt.solve(X, labels, family=ROUGH, criterion=kernelopt.Evidence(targets="labels"))
        assert ("landmarks" not in str(s.kernel)) is whole


@pytest.mark.parametrize("stage", ["of", "image"])
def test_control_c_leaves_the_machine_of_the_landmarks(stage, monkeypatch):
    monkeypatch.setattr("kernelopt._evidence._effort._LANDMARKS", {"normal": 15})
    work = getattr(_whole_kernel.HalfGram, stage)

    def interrupted(*arguments, **options):
        signal.raise_signal(signal.SIGINT)
        return work(*arguments, **options)

    monkeypatch.setattr(_whole_kernel.HalfGram, stage, interrupted)
    s = kernelopt.solve(X, NUMBERS, family=ROUGH, criterion=NORMAL)
    assert s.status is Status.INTERRUPTED
    assert "landmarks" in str(s.kernel)
    assert any(f"left no time for it to learn from all {N} rows" in note for note in s.notes)


@pytest.mark.parametrize("room", [N, N // 2])
@pytest.mark.parametrize("y", [NUMBERS, LABELS, THREE], ids=["numbers", "two", "three"])
def test_a_note_says_that_there_was_no_time_for_the_whole_kernel(y, room, monkeypatch):
    monkeypatch.setattr("kernelopt._evidence._effort._LANDMARKS", {"normal": 15})
    room_for(room, monkeypatch)
    monkeypatch.setattr(_Clock, "stop", lambda *_: True)
    criterion = evidence_of(y)
    s = kernelopt.solve(X, y, family=ROUGH, criterion=criterion)
    assert "landmarks" in str(s.kernel)
    rows = f"all {N} rows" if room == N else f"{room} of {N} rows"
    assert any(f"left no time for it to learn from {rows}" in note for note in s.notes)


def test_where_no_time_is_left_the_whole_kernel_is_not_compared_with_landmarks(monkeypatch):
    """Between half of the rows and their landmarks that takes long enough to miss a limit."""

    def late(*asked):
        found = rough(*asked)
        return attrs.evolve(found, follower=attrs.evolve(found.follower, budget=Budget(stop=lambda: True)))

    monkeypatch.setattr("kernelopt._evidence._effort._LANDMARKS", {"normal": 15})
    room_for(N // 2, monkeypatch)
    rough = _result.rough
    monkeypatch.setattr(_result, "rough", late)
    monkeypatch.setattr(_remainder, "known", None)
    s = kernelopt.solve(X, LABELS, family=ROUGH, criterion=kernelopt.Evidence(targets="labels"))
    assert any(f"left no time for it to learn from {N // 2} of {N} rows" in note for note in s.notes)


def test_smooth_kernels_keep_to_landmarks(monkeypatch):
    monkeypatch.setattr("kernelopt._evidence._effort._LANDMARKS", {"normal": N})
    s = kernelopt.solve(X, NUMBERS, family=kernelopt.Dictionary([("rbf", {"gamma": 0.1})]), criterion=NORMAL)
    assert "landmarks" in str(s.kernel)


def test_with_little_effort_the_whole_kernel_learns_from_fewer_rows(monkeypatch):
    monkeypatch.setattr("kernelopt._evidence._effort._LANDMARKS", {"normal": 30, "quick": 30})
    monkeypatch.setattr("kernelopt._families.features._landmark_choice._AT_ONCE", 3)
    monkeypatch.setattr("kernelopt._evidence._effort._WHOLE", {"normal": N, "quick": N // 2})
    for criterion, rows in ((NORMAL, f"all {N} rows"), (QUICK, f"{N // 2} of {N} rows")):
        s = kernelopt.solve(X, NUMBERS, family=ROUGH, criterion=criterion)
        assert any(note.startswith("machine: ") and rows in note for note in s.notes)


def room_for(rows, monkeypatch):
    """The whole kernel has room for so many rows."""
    monkeypatch.setattr("kernelopt._evidence._effort._WHOLE", {"normal": rows, "quick": rows})


def landmarks_alone(y, criterion, monkeypatch, family=ROUGH, rows=X):
    with monkeypatch.context() as patched:
        patched.setattr(_rough, "room_for", lambda request: 0)
        return kernelopt.solve(rows, y, family=family, criterion=criterion)


@pytest.fixture
def half(monkeypatch):
    """The whole kernel has room for half of the rows, and there are thirty landmarks."""
    room_for(N // 2, monkeypatch)
    monkeypatch.setattr("kernelopt._evidence._effort._LANDMARKS", {"normal": 30})
    monkeypatch.setattr("kernelopt._families.features._landmark_choice._AT_ONCE", 3)


@pytest.mark.usefixtures("half")
def test_of_more_rows_the_whole_kernel_learns_from_as_many_as_it_has_room_for(monkeypatch, tmp_path):
    s = kernelopt.solve(X, NUMBERS, family=ROUGH, criterion=NORMAL)
    assert any(f"of the targets of {N // 2} of {N} rows" in note for note in s.notes)
    assert N // 2 < len(s.support) < N
    assert s.support_vectors == pytest.approx(X[s.support])
    by_rows = s.kernel(Z, X[s.support]) @ s.coefficients[:, 0] + s.predictor.intercept
    assert s.decision_function(Z) == pytest.approx(by_rows, abs=1e-8)
    alone = landmarks_alone(NUMBERS, NORMAL, monkeypatch)
    assert "landmarks" in str(alone.kernel)
    assert np.mean((s.predict(Z) - TRUE) ** 2) < 0.8 * np.mean((alone.predict(Z) - TRUE) ** 2)
    assert surprise(s) < surprise(alone)
    s.save(tmp_path / "half.kernelopt")
    read = kernelopt.load(tmp_path / "half.kernelopt")
    assert np.array_equal(read.predict(Z, return_std=True), s.predict(Z, return_std=True))


@pytest.fixture
def blocks(monkeypatch):
    """Rows in small blocks."""
    monkeypatch.setattr(_surveyed, "MANY", 400)
    monkeypatch.setattr(_arrays, "_BYTES", 8 * 4 * 130)
    return partial(kernelopt.row_blocks, X)


@pytest.mark.usefixtures("half")
def test_of_rows_in_blocks_the_whole_kernel_learns_from_those_that_are_drawn(blocks, monkeypatch, tmp_path):
    monkeypatch.setattr(_surveyed, "WHOLE", N // 2)
    s = kernelopt.solve(blocks(NUMBERS), family=ROUGH, criterion=NORMAL)
    assert any(f"of the targets of {N // 2} of {N} rows" in note for note in s.notes)
    assert len(s.support) == len(s.support_vectors) == len(s.coefficients) == N // 2
    assert all((row == X).all(axis=1).any() for row in s.support_vectors)
    by_rows = s.kernel(Z, s.support_vectors) @ s.coefficients[:, 0] + s.predictor.intercept
    assert s.decision_function(Z) == pytest.approx(by_rows, abs=1e-8)
    alone = landmarks_alone(None, NORMAL, monkeypatch, rows=blocks(NUMBERS))
    assert "landmarks" in str(alone.kernel)
    assert len(alone.support) == len(alone.support_vectors) == len(alone.coefficients) == 0
    assert np.mean((s.predict(Z) - TRUE) ** 2) < 0.8 * np.mean((alone.predict(Z) - TRUE) ** 2)
    assert surprise(s) < surprise(alone)
    s.save(tmp_path / "blocks.kernelopt")
    read = kernelopt.load(tmp_path / "blocks.kernelopt")
    assert np.array_equal(read.predict(Z, return_std=True), s.predict(Z, return_std=True))


@pytest.mark.parametrize("weight", [None, np.arange(N) % 7 + 0.0], ids=["plain", "weighted"])
@pytest.mark.parametrize("y", [NUMBERS, LABELS, THREE], ids=["numbers", "two", "three"])
def test_where_all_rows_in_blocks_are_drawn_they_predict_as_from_memory(y, weight, blocks, monkeypatch):
    monkeypatch.setattr("kernelopt._evidence._effort._LANDMARKS", {"normal": 30})
    criterion = evidence_of(y)
    held = kernelopt.solve(X, y, family=ROUGH, criterion=criterion, sample_weight=weight)
    read = kernelopt.solve(blocks(y, sample_weight=weight), family=ROUGH, criterion=criterion, start=held)
    counted = N if weight is None else int((weight > 0.0).sum())
    assert any(f"the whole kernel predicts, on all {counted} rows" in note for note in read.notes)
    assert len(read.support) == counted
    values, others = held.decision_function(Z), read.decision_function(Z)
    assert np.mean((values - others) ** 2) < 1e-2 * np.mean(values**2)


def test_with_less_memory_the_whole_kernel_learns_from_fewer_rows(monkeypatch):
    monkeypatch.setattr("kernelopt._evidence._effort._LANDMARKS", {"normal": 30})
    monkeypatch.setattr("kernelopt._families.features._landmark_choice._AT_ONCE", 3)
    room_for(N, monkeypatch)
    for share, rows in ((9.0, N), (5.0, N // 2), (1.0, 0)):
        monkeypatch.setattr(_roughness, "available_bytes", lambda share=share: int(share * N**2))
        s = kernelopt.solve(X, NUMBERS, family=ROUGH, criterion=NORMAL)
        told = f"on all {N} rows" if rows == N else f"of {rows} of {N} rows"
        assert any(told in note for note in s.notes) is (rows > 0)
        assert ("landmarks" in str(s.kernel)) is (rows == 0)


@pytest.mark.usefixtures("half")
@pytest.mark.parametrize("y", [NUMBERS, LABELS, THREE], ids=["numbers", "two", "three"])
def test_where_nothing_is_left_to_learn_it_is_the_machine_of_the_landmarks(y, monkeypatch):
    """What landmarks say of all rows is a sum of the whole kernel over them, to the last digits."""
    criterion = evidence_of(y)
    alone = landmarks_alone(y, criterion, monkeypatch)
    monkeypatch.setattr(_whole_kernel.Equations, "solved", lambda self, R, *rest, **options: np.zeros_like(R))
    zero = np.zeros(N // 2)
    monkeypatch.setattr(WholeClasses, "mode", lambda self, scale, start: Mode(scale, zero, zero, 0.0, settled=True))
    monkeypatch.setattr("kernelopt._api.many_rows._whole._by_landmarks", lambda task: math.inf)
    s = kernelopt.solve(X, y, family=ROUGH, criterion=criterion)
    assert "landmarks" not in str(s.kernel)
    assert s.decision_function(Z) == pytest.approx(alone.decision_function(Z), abs=1e-8)
    if y is LABELS:
        assert s.predict_proba(Z) == pytest.approx(alone.predict_proba(Z), abs=1e-8)


@pytest.mark.usefixtures("half")
@pytest.mark.parametrize("y", [LABELS, THREE], ids=["two", "three"])
def test_classes_gain_by_what_half_of_the_rows_say_of_the_remainder(y, monkeypatch):
    criterion = kernelopt.Evidence(targets="labels")
    s, alone = kernelopt.solve(X, y, family=ROUGH, criterion=criterion), landmarks_alone(y, criterion, monkeypatch)
    assert any(f"of the targets of {N // 2} of {N} rows" in note for note in s.notes)
    truth = np.where(TRUE > 3.0, "yes", "no") if y is LABELS else np.digitize(TRUE - 3.0, [-0.5, 0.5])

    def loss(solution):
        rows = np.searchsorted(np.unique(y), truth)
        return -np.mean(np.log(solution.predict_proba(Z)[np.arange(len(Z)), rows] + 1e-3))

    assert loss(s) < loss(alone)


@pytest.mark.usefixtures("half")
def test_a_remainder_of_which_the_whole_kernel_says_nothing_leaves_the_landmarks_alone(monkeypatch):
    nonsense = np.random.default_rng(5).normal(size=(N // 2, 1))
    monkeypatch.setattr(_whole_kernel.Equations, "solved", lambda self, R, *rest, **options: nonsense)
    s = kernelopt.solve(X, NUMBERS, family=ROUGH, criterion=NORMAL)
    assert "landmarks" in str(s.kernel)
    assert not any("left no time" in note for note in s.notes)


@pytest.mark.usefixtures("half")
def test_of_a_union_numbers_are_learned_without_the_landmarks_and_classes_with_them_alone():
    """There landmarks of each family say what no sum of the whole kernel over them does."""
    union = [ROUGH, kernelopt.Dictionary([("poly", {"degree": 2})])]
    for y, whole in ((NUMBERS, True), (LABELS, False)):
        criterion = kernelopt.Evidence(targets="numbers" if whole else "labels")
        s = kernelopt.solve(X, y, family=union, criterion=criterion)
        assert all(part.mass > 0.0 for part in s.kernel.mixture.parts[:2])
        assert any("the whole kernel predicts" in note for note in s.notes) is whole
        assert len(s.support) == (N // 2 if whole else N)


def test_a_checkpoint_remembers_which_rows_are_landmarks(half, monkeypatch, tmp_path):
    options = {"family": ROUGH, "criterion": NORMAL, "checkpoint": tmp_path / "kept"}
    s = kernelopt.solve(X, NUMBERS, **options)
    monkeypatch.setattr("kernelopt._api.many_rows._result.begun", None)  # the kernel is not learned again
    again = kernelopt.solve(X, NUMBERS, **options)
    assert again.predict(Z) == pytest.approx(s.predict(Z), abs=1e-6)


def test_deviations_of_rows_that_are_as_landmarks_are_those_of_their_errors(monkeypatch):
    """Landmarks leave nothing out of the kernel at rows with the words of one of them. Where all rows are predicted
    worse than the noise would have it, the noise is larger, and not what landmarks leave out at the other rows.
    """
    monkeypatch.setattr("kernelopt._evidence._effort._LANDMARKS", {"normal": 40})
    monkeypatch.setattr("kernelopt._families.features._landmark_choice._AT_ONCE", 4)
    asked, names, coin = [], np.arange(N) % 150, np.random.default_rng(3)
    monkeypatch.setattr(_whole, "beside", lambda *known: asked.append(known) or beside(*known))
    rows = np.array([f"name {name}" for name in names], dtype=object)[:, None]
    kernelopt.solve(rows, coin.normal(size=150)[names], family=ROUGH, criterion=NORMAL)
    ((rough, noise, out, left),) = asked
    assert 0.25 < np.mean(rough.spanned.missing[out] < 1e-9) < 0.75
    assert noise < 1e-3
    errors = 0.3 * coin.normal(size=left.shape)
    told = beside(rough, noise, out, errors).deviation(None, rough.rows.features.X[out])
    assert told == pytest.approx(np.sqrt(np.mean(errors**2)), rel=0.25)


def test_all_rows_but_landmarks_may_be_held_out():
    """Rows that are as landmarks may be, although landmarks leave nothing out of the kernel at them."""
    rows = HeldRows(FeatureRows.of((), X), F[:, None], np.ones(N), np.arange(N)).only(np.arange(100, 200))
    for seed in range(20):
        out = _rough._held_out(rows, np.arange(0, N, 2), seed)
        assert len(out) == 20
        assert (rows.places[out] % 2 == 1).all()
    every = np.concatenate([_rough._held_out(rows, np.arange(0, N, 2), seed) for seed in range(50)])
    assert len(np.unique(every)) == 50


@pytest.mark.usefixtures("half")
def test_landmarks_that_have_seen_a_row_do_not_judge_by_it(monkeypatch):
    tasks = []
    monkeypatch.setattr("kernelopt._api.many_rows._whole._by_landmarks", lambda task: tasks.append(task) or math.inf)
    kernelopt.solve(X, NUMBERS, family=ROUGH, criterion=NORMAL)
    seen, judging = tasks[0].left[tasks[0].rough.out], tasks[0].judging
    assert (np.abs(seen) < np.abs(judging)).all()
    assert np.corrcoef(seen[:, 0], judging[:, 0])[0, 1] > 0.99
