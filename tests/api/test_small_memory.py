"""Memory that is too small for all rows at once: landmarks represent the kernel, and a note says so."""

import attrs
import numpy as np
import pytest
from some_rows import some_rows

import kernelopt
from kernelopt._api import _learned
from kernelopt._base import _memory

N = 1000
ROWS = some_rows(N)
QUICK = {"family": kernelopt.Dictionary([("rbf", {"gamma": g}) for g in (0.03, 0.1, 0.3, 1.0)])}
NUMBERS = kernelopt.Evidence(targets="numbers", effort="quick")
LABELS = kernelopt.Evidence(targets="labels", effort="quick")


@pytest.fixture
def small(monkeypatch):
    """A memory with room for the arrays of a third of the rows, and not for those of all; both are asked about."""
    monkeypatch.setattr(_memory, "LITTLE", 0)
    monkeypatch.setattr(_memory, "available_bytes", lambda: 20 * 8 * (N // 2) ** 2)


def told(solution):
    """What a note says of memory."""
    return [note for note in solution.notes if "GiB" in note or "MiB" in note]


@pytest.mark.parametrize(("criterion", "y"), [(NUMBERS, ROWS.numbers), (LABELS, ROWS.three)], ids=["numbers", "three"])
def test_the_kernel_of_some_rows_is_represented_by_landmarks(criterion, y, small, monkeypatch):
    s = kernelopt.solve(ROWS.X, y, criterion=criterion, **QUICK)
    (note,) = told(s)
    assert note.startswith(f"data: {N} rows would take ")
    assert "the kernel was learned from 333 of the rows, and landmarks represent it for all rows" in note
    assert not any("max_seconds" in other for other in s.notes)
    assert len(s.coefficients) == N
    monkeypatch.undo()
    whole = kernelopt.solve(ROWS.X, y, criterion=criterion, **QUICK)
    assert told(whole) == []
    one, other = (np.asarray(solution.decision_function(ROWS.Z)) for solution in (s, whole))
    assert np.mean((one - other) ** 2) < 0.01 * np.var(other)


def test_rows_of_which_a_ninth_has_room_learn_from_it(small, monkeypatch):
    monkeypatch.setattr(_memory, "available_bytes", lambda: 20 * 8 * (N // 6) ** 2)
    (note,) = told(kernelopt.solve(ROWS.X, ROWS.numbers, criterion=attrs.evolve(NUMBERS, rough=60), **QUICK))
    assert "learned from 111 of the rows" in note


@pytest.mark.usefixtures("small")
def test_where_landmarks_cannot_it_is_refused():
    """A run that goes on from a start looks at no fewer rows."""
    few = kernelopt.solve(ROWS.X[:100], ROWS.numbers[:100], criterion=NUMBERS, **QUICK)
    with pytest.raises(kernelopt.NotEnoughMemory, match=f"{N} rows would take .* solve on fewer rows"):
        kernelopt.solve(ROWS.X, ROWS.numbers, **QUICK, criterion=NUMBERS, start=few)


def test_what_is_bound_already_is_not_asked_for_again(monkeypatch):
    """Weights of rows that change leave all arrays where they are."""
    left = [10**9]

    def built(*known):
        problem = honest(*known)
        left[0] = 0
        return problem

    honest = _learned.built
    monkeypatch.setattr(_learned, "built", built)
    monkeypatch.setattr(_memory, "LITTLE", 0)
    monkeypatch.setattr(_memory, "available_bytes", lambda: left[0])
    noisy = ROWS.numbers[:300] + 0.1 * np.random.default_rng(0).standard_t(2.0, size=300)
    heavy = attrs.evolve(NUMBERS, noise="student")
    assert kernelopt.solve(ROWS.X[:300], noisy, criterion=heavy, **QUICK).tails is not None
