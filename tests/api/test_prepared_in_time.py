"""A family that takes long to prepare is prepared on as many rows as a time limit allows."""

import numpy as np
import pytest

import kernelopt
from kernelopt.plugin import InvalidData

X = np.random.default_rng(0).normal(size=(1200, 2))
Y = np.where(X[:, 0] > 0.0, "right", "left")
PAIR = 1e-6
"""The seconds that a pair of rows takes."""


def for_pairs(n):
    return PAIR * n**2


def for_rows(n):
    return PAIR * n


@pytest.fixture
def clock(monkeypatch, request):
    """A clock that goes on by itself only where a list is prepared; the numbers of rows that it was prepared on."""
    now, seen, prepare = [0.0], [], kernelopt.Dictionary.prepare
    seconds = getattr(request, "param", for_pairs)

    def slowly(self, rows, weight):
        seen.append(len(rows))
        now[0] += seconds(len(rows))
        return prepare(self, rows, weight)

    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr(kernelopt.Dictionary, "prepare", slowly)
    return now, seen


def solved(limit, **options):
    return kernelopt.solve(X, Y, family=kernelopt.Dictionary(["rbf"]), criterion="svc", max_seconds=limit, **options)


def taken(s):
    return [note for note in s.notes if "to prepare the family" in note]


@pytest.mark.parametrize("share", [0.1, 0.5, 2.0])
def test_there_is_time_for_the_rows_and_a_tenth_of_it_is_used(clock, share):
    """All rows take PAIR n^2, and trials before them a part of that."""
    now, seen = clock
    limit = share * for_pairs(len(X))
    s = solved(limit)
    (note,) = taken(s)
    assert now[0] <= limit
    assert f"{seen[-1]} rows chosen at random" in note
    assert for_pairs(seen[-1]) >= 0.1 * limit
    assert len(s.support) <= seen[-1]
    assert s.certificate.lower <= s.certificate.upper


def test_a_limit_that_is_far_away_takes_all_rows_after_two_trials(clock):
    _, seen = clock
    s, whole = solved(1e6), solved(None)
    assert seen == [125, 125, len(X), len(X)]
    assert not taken(s)
    np.testing.assert_array_equal(s.decision_function(X), whole.decision_function(X))


@pytest.mark.parametrize("clock", [for_rows], indirect=True)
def test_what_takes_milliseconds_is_taken_to_grow_like_the_rows(clock):
    """With the power of pairs the same trials would say that there is no time for all rows."""
    assert not taken(solved(8.0 * for_rows(len(X))))
    assert clock[1][-1] == len(X)


def test_a_start_keeps_its_rows(clock):
    _, seen = clock
    whole = solved(None)
    seen.clear()
    assert not taken(solved(2.0 * for_pairs(len(X)), start=whole))
    assert seen == [len(X)]


def test_what_is_wrong_is_told_of_all_rows(clock):
    with pytest.raises(InvalidData, match="1200"):
        kernelopt.solve(X, Y[:-1], family=kernelopt.Dictionary(["rbf"]), criterion="svc", max_seconds=0.1)
