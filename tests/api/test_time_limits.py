"""A time limit is kept by the default, by a clock that goes on by itself only where kernels are computed."""

import re
from contextlib import contextmanager

import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt._api import _choose, _rows_in_time
from kernelopt._api._learned import prolonged
from kernelopt._api._validate import Settings, validated
from kernelopt._api.beginning import _first_size
from kernelopt._api.many_rows import _begun
from kernelopt._api.outliers import _outliers
from kernelopt._base._status import Status
from kernelopt._families.dictionary.grams._blocks import Blocks

RNG = np.random.default_rng(0)
X = RNG.normal(size=(1200, 4))
F = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2]
NUMBERS = F + 0.2 * RNG.normal(size=len(X))
LABELS = np.where(F > 0.0, "yes", "no")
SECONDS = 1e-6
"""What a value of a kernel between two rows takes."""
QUICK = {"criterion": {"name": "evidence", "effort": "quick"}, "tol": 1e-6}


def for_each_value(block):
    return SECONDS * block.size


def for_fresh_memory(block):
    """Between up to 500 rows each takes the same, between more of them each takes longer."""
    return SECONDS * block.shape[0] * max(block.shape[1], 500)


@contextmanager
def ticking(seconds=for_each_value):
    now, between = [0.0], Blocks.between

    def slowly(self, *asked, **options):
        for number, block in between(self, *asked, **options):
            now[0] += seconds(block)
            yield number, block

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("time.monotonic", lambda: now[0])
        patched.setattr(Blocks, "between", slowly)
        yield now


@pytest.fixture
def clock():
    with ticking() as now:
        yield now


@pytest.fixture
def few_are_many(monkeypatch):
    monkeypatch.setattr(_begun, "MANY", 500)
    monkeypatch.setattr(_choose, "MANY", 500)


def solved(clock, y, limit, **options):
    began = clock[0]
    s = kernelopt.solve(X[: len(y)], y, max_seconds=limit, **(QUICK | options))
    return s, clock[0] - began


@pytest.fixture(scope="module")
def whole():
    """What all rows take."""
    with ticking() as now:
        return solved(now, NUMBERS, 1e9)[1]


@pytest.mark.parametrize("share", [0.7, 0.4, 0.25])
def test_what_would_take_longer_is_learned_from_fewer_rows(clock, whole, share):
    s, took = solved(clock, NUMBERS, share * whole)
    assert took <= 1.1 * share * whole
    assert any("max_seconds was too short for a sample of 1200 rows" in note for note in s.notes)
    assert s.certificate.lower <= s.certificate.upper
    assert np.mean((s.predict(X) - F) ** 2) < 0.2 * np.var(F)


@pytest.mark.parametrize("share", [0.5, 0.4])
def test_the_kernel_is_learned_from_as_many_rows_as_half_of_the_time_allows(clock, whole, share):
    """A ninth of the rows, 150 at least, and a third of them learn it first: for more there is no time, or hardly."""
    s, took = solved(clock, NUMBERS, share * whole)
    assert took <= 1.1 * share * whole
    rows = [int(word) for note in s.notes for word in re.findall(r"learned from (\d+) of 1200 rows", note)]
    assert len(rows) == 1
    assert 1.3 * 150 <= rows[0] < 400


def test_with_time_for_all_rows_they_are_all_learned_from(clock, whole):
    s, took = solved(clock, NUMBERS, 10.0 * whole)
    assert took == pytest.approx(whole)
    assert s.status is Status.STATIONARY
    assert not any("max_seconds" in note for note in s.notes)


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("y", [NUMBERS, LABELS], ids=["numbers", "classes"])
def test_a_limit_that_is_far_away_changes_nothing(y, many, monkeypatch, request):
    """Where there are rows for two looks."""
    if many:
        request.getfixturevalue("few_are_many")
    monkeypatch.setattr("kernelopt._evidence._effort._ROUNDS", {"normal": (1, 90)})
    monkeypatch.setattr("kernelopt._evidence._effort._SAMPLE", {"normal": 300})
    monkeypatch.setattr("kernelopt._evidence._effort._LANDMARKS", {"normal": 100})
    noted = []
    values = []
    for limit in (None, 1e6):
        s = kernelopt.solve(X[:520], y[:520], max_seconds=limit)
        noted.append(s.notes)
        values.append(s.predict(X) if y is NUMBERS else s.predict_proba(X))
    assert noted[0] == noted[1]
    np.testing.assert_array_equal(*values)


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize(
    ("y", "shares"), [(NUMBERS[:800], (0.8, 0.5)), (LABELS[:800], (0.5,))], ids=["numbers", "classes"]
)
def test_many_rows_have_fewer_landmarks_where_time_is_short(clock, y, shares):
    _, whole = solved(clock, y, 1e9)
    for share in shares:
        s, took = solved(clock, y, share * whole)
        assert took <= 1.1 * share * whole
        assert s.score(X[: len(y)], y) > 0.7
        assert any("max_seconds" in note for note in s.notes)


def test_outliers_are_asked_for_only_where_there_is_time(clock):
    y = NUMBERS[:400].copy()
    y[:3] += 100.0
    s = kernelopt.solve(X[:400], y, max_seconds=12.0, **QUICK)
    assert clock[0] <= 13.2
    assert any("no time was left to try Student's t noise" in note for note in s.notes)
    assert not any("Student's t with" in note for note in s.notes)


def test_rows_that_are_weighed_too_few_times_for_want_of_time_are_told_of(clock):
    y = NUMBERS[:60].copy()
    y[:3] += 100.0
    criterion = {"name": "evidence", "effort": "quick", "noise": "student"}
    told, whole = [], 1e9
    for share in (1.0, 0.5):
        s, whole = solved(clock, y, share * whole, criterion=criterion)
        told.append(any("no time was left to weigh the rows again" in note for note in s.notes))
    assert told == [False, True]


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("limit", [10.0, 20.0, 40.0])
def test_targets_far_out_get_time_for_both_kinds_of_noise_where_there_are_many_rows(clock, monkeypatch, limit):
    """Gaussian noise leaves so much time that Student's t is tried, which takes twice as long at least."""
    tried, first = [], _outliers._first
    monkeypatch.setattr(_outliers, "_first", lambda *known: tried.append(len(known)) or first(*known))
    y = NUMBERS.copy()
    y[::40] += 100.0 * np.random.default_rng(1).normal(size=30)
    s = kernelopt.solve(X, y, max_seconds=limit, **QUICK)
    assert clock[0] <= 1.1 * limit
    assert tried
    assert not any("no time was left to try Student's t noise" in note for note in s.notes)


SVC = {"criterion": {"name": "svc", "C": 10.0}, "tol": 1e-9}


@pytest.mark.parametrize("solver", ["fw", "ipm", "smo"])
@pytest.mark.parametrize("share", [1e9, 0.7, 0.4])
def test_a_named_family_is_learned_from_as_many_rows_as_there_is_time_for(clock, solver, share):
    """Binding alone moves the clock, and the limit is a share of what it takes for all rows."""
    family = kernelopt.Dictionary(("rbf", "laplacian"), normalize="trace")
    limit = share * 2 * SECONDS * len(X) ** 2
    began = clock[0]
    s = kernelopt.solve(X, LABELS, family=family, solver=solver, max_seconds=limit, max_steps=3, **SVC)
    assert clock[0] - began <= 1.1 * limit
    said = [note for note in s.notes if "max_seconds is too short for 1200 rows" in note]
    assert len(said) == (share < 1.0)
    assert (len(s.coefficients) < len(X)) == (share < 1.0)
    assert s.certificate.lower <= s.certificate.upper
    assert set(s.support) <= set(range(len(X)))
    assert s.score(X, LABELS) > 0.8


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("y", [NUMBERS, LABELS], ids=["numbers", "classes"])
def test_where_there_is_time_for_nothing_few_rows_are_looked_at_once_and_a_machine_is_trained(y, monkeypatch):
    def counted(request, choice, rows, gate):
        looks.append(len(rows))
        return taken(request, choice, rows, gate)

    looks, taken = [], _rows_in_time._taken
    monkeypatch.setattr(_rows_in_time, "_taken", counted)
    family = kernelopt.Dictionary(("rbf", "laplacian"), normalize="trace")
    s = kernelopt.solve(X, y, family=family, max_seconds=1e-9)
    assert looks == [125]
    assert len(s.coefficients) == 125
    assert s.status is Status.MAX_SECONDS
    assert s.score(X, y) > 0.3
    assert not any("no support vector" in note for note in s.notes)


def test_a_machine_is_trained_where_the_time_ends_while_the_first_gram_is_formed(clock, monkeypatch):
    """Nobody can wait for a Gram in parts, and memory that is filled for the first time may take long."""
    size = _first_size._size

    def slowly(*asked):
        clock[0] += 10.0
        return size(*asked)

    monkeypatch.setattr(_first_size, "_size", slowly)
    s = kernelopt.solve(X[:120], LABELS[:120], family=kernelopt.fixed("rbf"), max_seconds=1.0, **SVC)
    assert s.score(X[:120], LABELS[:120]) > 0.8


@pytest.mark.parametrize("share", [0.4, 1e-9])
def test_fewer_rows_have_one_of_each_class_at_least(clock, share):
    """The margin refuses a class without rows."""
    y, family = (F > 0.0).astype(int), kernelopt.Dictionary(("rbf", "laplacian"), normalize="trace")
    y[[5, 500, 900]] = 2, 3, 4
    limit = share * 2 * SECONDS * len(X) ** 2
    s = kernelopt.solve(X, y, family=family, criterion="margin", solver="apd", max_seconds=limit, max_steps=1, tol=1e-9)
    assert len(s.coefficients) < len(X)
    assert {5, 500, 900} <= set(s.support)
    assert s.certificate.lower <= s.certificate.upper


@pytest.mark.parametrize("limit", [0.1, 0.2, 0.4, 0.8])
def test_looks_themselves_take_no_longer_than_there_is_time(clock, limit):
    """The Grams of 500 rows take half a second, as long as a look at them or longer than all that is left."""
    family = kernelopt.Dictionary(("rbf", "laplacian"), normalize="trace")
    s = kernelopt.solve(X, LABELS, family=family, solver="smo", max_seconds=limit, max_steps=3, **SVC)
    assert clock[0] <= 1.1 * limit
    assert len(s.coefficients) >= 125


def test_few_rows_of_which_much_would_be_held_are_looked_at_too(clock, monkeypatch):
    """A long list takes long on few rows."""
    family = kernelopt.Dictionary(("rbf", "laplacian"), normalize="trace")
    rows, limit = slice(0, 900), 0.5 * 2 * SECONDS * 900**2
    monkeypatch.setattr(_rows_in_time, "_LITTLE", 1 << 20)
    s = kernelopt.solve(X[rows], LABELS[rows], family=family, solver="smo", max_seconds=limit, max_steps=3, **SVC)
    assert clock[0] <= 1.1 * limit
    assert any("max_seconds is too short for 900 rows" in note for note in s.notes)


@pytest.mark.parametrize("share", [0.9, 0.8])
def test_time_grows_at_least_as_memory_does(share):
    """Few rows take a time that grows as their number, many one that grows as its square, as their Grams do."""
    family = kernelopt.Dictionary(("rbf", "laplacian"), normalize="trace")
    limit = share * 2 * SECONDS * len(X) ** 2
    with ticking(for_fresh_memory) as now:
        s = kernelopt.solve(X, LABELS, family=family, solver="smo", max_seconds=limit, max_steps=3, **SVC)
        assert now[0] <= 1.1 * limit
    assert any("max_seconds is too short for 1200 rows" in note for note in s.notes)


def test_most_of_the_time_is_left_for_steps(clock):
    """Binding alone moves the clock: with trials on few rows it takes a good half of a limit that is short for all."""
    family = kernelopt.Dictionary(("rbf", "laplacian"), normalize="trace")
    limit = 0.9 * 2 * SECONDS * len(X) ** 2
    kernelopt.solve(X, LABELS, family=family, solver="smo", max_seconds=limit, max_steps=3, **SVC)
    assert clock[0] <= 0.6 * limit


@pytest.mark.usefixtures("few_are_many")
def test_targets_that_few_rows_do_not_explain_are_not_called_noise(monkeypatch):
    """Where the limit left no time for more of them, it is the limit that a note names."""
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(1200, 3)), rng.normal(size=1200)
    told = " ".join(kernelopt.solve(X, y, **QUICK).notes)
    assert "look like noise" in told
    monkeypatch.setattr(_begun, "_sample", lambda *known: np.arange(200))
    told = " ".join(kernelopt.solve(X, y, **QUICK, max_seconds=600.0).notes)
    assert "look like noise" not in told
    assert "max_seconds left time for too few rows" in told


@pytest.mark.parametrize("same", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("growth", [1.0, 1.6, 3.0])
def test_seconds_that_any_number_of_rows_takes_are_no_reason_for_fewer_rows(same, growth):
    """Rows that take a + b n^growth seconds: a fifth of what a leaves is for b n^growth, up to the largest trial."""
    grows = 0.1
    few, more = same + grows * 0.5**growth, same + grows
    for k in (50, 200, 499):
        left = same + grows * (k / 500) ** growth / _rows_in_time._SHARE
        assert abs(_rows_in_time._affordable(few, more, 500, growth, left) - k) <= 1
    plenty = 100.0 * more
    found = _rows_in_time._affordable(few, more, 500, growth, plenty)
    assert found == pytest.approx(500 * 20.0 ** (1.0 / growth), abs=1)
    assert _rows_in_time._affordable(few, more, 500, growth, 0.0) == 0


def test_half_of_what_is_left_once_many_rows_are_prepared_is_for_their_kernel(clock):
    request = validated(X, NUMBERS, None, None, None, None, Settings(max_seconds=100.0))
    clock[0] += 60.0
    assert _begun._with_its_share(request).deadline == pytest.approx(clock[0] + 20.0)
    clock[0] += 60.0
    assert _begun._with_its_share(request).deadline == pytest.approx(clock[0])
    shared = _begun._with_its_share(attrs.evolve(request, began=clock[0]))
    assert shared.deadline == pytest.approx(clock[0] + 50.0)
    assert prolonged(shared).deadline == pytest.approx(clock[0] + 75.0)
    far = np.where(np.arange(len(X)) % 40 == 0, 100.0 * NUMBERS, NUMBERS)
    asked = attrs.evolve(validated(X, far, None, None, None, None, request.settings), began=clock[0])
    first = _begun._with_its_share(asked)
    assert first.deadline == pytest.approx(clock[0] + 20.0)
    assert prolonged(first).deadline == pytest.approx(clock[0] + 75.0)
    unlimited = validated(X, NUMBERS, None, None, None, None, Settings())
    assert _begun._with_its_share(unlimited).deadline is None
