"""The live line: what it says of the time that is left, and that it works wherever it is asked for."""

import builtins
import io
import math
import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kernelopt
from kernelopt._api._progress import Bar, _share, in_words, rounded, time_left
from kernelopt._saddle._trace import Record

X, Y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2


@given(st.integers(3, 40), st.floats(0.2, 0.9), st.floats(0.01, 100.0))
def test_a_gap_that_shrinks_evenly_is_told_to_the_second(steps: int, factor: float, pace: float) -> None:
    course = [(pace * k, factor**k) for k in range(steps)]
    tol = 1e-3 * course[-1][1]
    left = time_left(course, tol)
    assert left is not None
    gap = course[-1][1]
    assert math.isclose(gap * factor ** (left / pace), tol, rel_tol=1e-6)


@given(st.lists(st.tuples(st.floats(0.0, 10.0), st.floats(1e-8, math.inf)), min_size=1, max_size=20))
def test_a_time_left_is_never_negative_and_a_share_is_one(steps: list[tuple[float, float]]) -> None:
    steps = [(sum(pause for pause, _ in steps[: k + 1]), gap) for k, (_, gap) in enumerate(steps)]
    left = time_left(steps, 1e-4)
    assert left is None or left >= 0.0
    assert 0.0 <= _share(steps, 1e-4) <= 1.0


@pytest.mark.parametrize("course", [[(0.0, 1.0)], [(0.0, 1.0), (1.0, 0.5)], [(0.0, 0.5)] * 3, [(0.0, math.inf)] * 5])
def test_where_there_is_nothing_to_go_by_nothing_is_said(course: list[tuple[float, float]]) -> None:
    assert time_left(course, 1e-3) is None


def test_a_gap_that_is_reached_leaves_nothing() -> None:
    assert time_left([(0.0, 1.0), (1.0, 1e-4)], 1e-3) == 0.0


@pytest.mark.parametrize(("seconds", "words"), [(0.2, "0 s"), (59.6, "60 s"), (150.0, "2 min"), (7300.0, "2 h")])
def test_times_are_told_in_their_largest_unit(seconds: float, words: str) -> None:
    assert rounded(seconds) == words


def test_the_line_has_the_numbers_of_the_step() -> None:
    words = in_words(Record(3, 1.5, 2.5, 1.25, 0.5, 7, 11))
    for part in ("1.25 .. 2.5", "gap 5e-01", "7 atoms", "11 SV"):
        assert part in words


def solved(**options: Any) -> kernelopt.Solution:
    return kernelopt.solve(X, Y, family="dictionary", solver="fw", tol=1e-3, **options)


def test_a_stream_that_is_no_terminal_gets_the_last_line(capfd: pytest.CaptureFixture[str]) -> None:
    solution = solved(progress=True)
    shown = capfd.readouterr()
    assert shown.out == ""
    assert f"step {solution.steps}" in shown.err
    assert shown.err.count("gap") == 1


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A session that looks like a notebook's to rich and to us; IPython without ipywidgets."""
    shown: list[str] = []

    class Handle:
        def update(self, data: dict[str, str], *, raw: bool) -> None:
            assert raw
            shown[-1] = data["text/plain"]

    def display(data: dict[str, str], *, raw: bool, display_id: bool) -> Handle:
        assert raw
        assert display_id
        shown.append(data["text/plain"])
        return Handle()

    shell = type("ZMQInteractiveShell", (), {})()
    module = ModuleType("IPython.display")
    module.display = display
    monkeypatch.setattr(builtins, "get_ipython", lambda: shell, raising=False)
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    return shown


def test_in_a_notebook_one_output_is_renewed_in_place(notebook: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    solution = solved(progress=True)
    assert len(notebook) == 1
    assert f"step {solution.steps}" in notebook[0]
    assert "100%" in notebook[0]
    assert capfd.readouterr() == ("", "")


def test_in_a_notebook_an_interrupted_run_ends_its_line(notebook: list[str]) -> None:
    solved(progress=True, callback=lambda record: record.step == 1)
    assert "step 1" in notebook[0]


def test_a_line_says_about_what_is_left(notebook: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with Bar(1e-6) as bar:
        for k in range(5):
            bar(Record(k, 2.0 * k, 1.0, 0.5, 10.0**-k, 1, 1))
    assert "about 4 s left" in notebook[0]


def test_progress_changes_nothing_but_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    loud, quiet = solved(progress=True), solved()
    assert loud.certificate == quiet.certificate


@pytest.mark.parametrize("stop", [True, np.bool_(True)], ids=repr)
def test_a_comparison_of_numbers_stops_the_run(stop: bool | np.bool_) -> None:
    assert solved(callback=lambda _: stop).status is kernelopt.Status.INTERRUPTED


def test_callbacks_see_every_record_of_the_trace() -> None:
    seen: list[Record] = []
    assert tuple(solved(callback=seen.append).trace) == tuple(seen)
    assert len(seen) > 1


def test_what_is_left_goes_by_the_second_half_of_the_time() -> None:
    fast = [(0.1 * k, 0.1**k) for k in range(4)]
    slow = [(0.3 + k, fast[-1][1] * 0.5**k) for k in range(1, 9)]
    left = time_left([*fast, *slow], 0.25 * slow[-1][1])
    assert left == pytest.approx(2.0)


def test_rounds_before_the_first_step_are_told(notebook: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Most of the time of a small fit may go into rounds that decide on kernels: the line must not stand still."""
    told: list[tuple[str, float]] = []
    draw = Bar.stage

    def stage(bar: Bar, words: str, share: float) -> None:
        told.append((words, share))
        draw(bar, words, share)
        assert words in bar._line._text

    monkeypatch.setattr(Bar, "stage", stage)
    rows = np.random.default_rng(1).normal(size=(80, 4))
    criterion = kernelopt.Evidence(targets="numbers")
    kernelopt.solve(rows, np.sin(2.0 * rows[:, 0]), family="auto", criterion=criterion, progress=True)
    words = [one for one, _ in told]
    assert words[0] == "no round of learned metrics, part 1 of 5"
    assert "round 1 of learned metrics, part 5 of 5" in words
    shares = [share for one, share in told if "part " in one]
    assert shares == sorted(shares)
    assert 0.0 <= shares[0] < shares[-1] < 1.0
