"""kernelopt reproduce along the steps of one run: each place goes on from the answer of the place before."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import ShuffleSplit

import kernelopt as library
from kernelopt._base._errors import InvalidOption
from kernelopt._saddle._certificate import Certificate
from kernelopt.cli.papers import _data, _measure, _reading
from kernelopt.cli.papers._definition import Rows

Call = Callable[..., Any]
STEPS = """
title = "Figure 0: flowers, step by step"
source = "nobody"
reading = "nothing is misprinted"
show = ["error", "steps", "seconds"]

[protocol]
test = 0.4

[axis]
option = "max_steps"
title = "steps"
values = [1, 2, 5]
follow = true

[[methods]]
name = "TK"
family = "tk"
criterion = { name = "svc", C = 20.0 }
solver = "plain-fw"
tol = 1e-9

[[sets]]
name = "Iris"
data = "iris"
plus = ["versicolor"]
minus = ["virginica"]
"""


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The figure can be run, and the options of every solve of it are listed."""
    monkeypatch.setattr(_reading, "load", lambda key: _reading.table_of(key, STEPS))
    monkeypatch.setattr(_measure, "warmed", lambda *_: None)
    solve, found = library.solve, []

    def listed(X: Any, y: Any, **options: Any) -> Any:
        found.append(options)
        return solve(X, y, **options)

    monkeypatch.setattr(library, "solve", listed)
    return found


def points(shown: Any) -> list[dict[str, Any]]:
    assert shown.exit_code == 0, shown.stderr
    return [line["splits"][0] for line in json.loads(shown.stdout)["lines"]]


def test_what_is_printed_is_what_solve_gives_from_the_answer_before(
    kernelopt: Call, calls: list[dict[str, Any]], tmp_path: Path
) -> None:
    """The steps and the times are those of the whole run, and the gap never grows."""
    found = points(kernelopt("reproduce", "steps", "--out", tmp_path / "f", "--no-progress", "--json"))
    assert [call["max_steps"] for call in calls] == [1, 1, 3]
    assert [point["steps"] for point in found] == [1, 2, 5]
    assert found[0]["seconds"] < found[1]["seconds"] < found[2]["seconds"]
    assert found[2]["step"] == pytest.approx(found[2]["seconds"] / 5)
    data = _data.found(Rows(name="d", data="iris", plus=["versicolor"], minus=["virginica"]))
    assert len(data.y) == 2 * len(load_iris().target) // 3
    ((train, _),) = ShuffleSplit(1, test_size=0.4, random_state=0).split(data.X)
    options: dict[str, Any] = {"family": "tk", "criterion": {"name": "svc", "C": 20.0}, "solver": "plain-fw"}
    solution, gaps, best = None, [], -np.inf
    for steps in (1, 1, 3):
        solution = library.solve(data.X[train], data.y[train], start=solution, max_steps=steps, tol=1e-9, **options)
        best = max(best, solution.certificate.lower)
        gaps.append(attrs.evolve(solution.certificate, lower=best).relative_gap)
    assert [point["gap"] for point in found] == gaps
    assert gaps[0] > gaps[1] > gaps[2]


def test_a_run_whose_answers_are_in_no_memory_begins_again(
    kernelopt: Call, calls: list[dict[str, Any]], tmp_path: Path
) -> None:
    out = tmp_path / "f"
    options = ("--out", out, "--no-progress", "--json")
    whole = points(kernelopt("reproduce", "steps", *options))
    kept = [line for line in out.read_text(encoding="utf-8").splitlines() if '"max_steps": 5' not in line]
    out.write_text("\n".join(kept) + "\n", encoding="utf-8")
    calls.clear()
    found = points(kernelopt("reproduce", "steps", *options))
    assert [(call["max_steps"], call.get("start")) for call in calls] == [(5, None)]
    assert found[:2] == whole[:2]
    assert found[2]["steps"] == 5


def test_the_best_lower_bound_of_a_followed_run_stays_unless_it_turns_out_wrong() -> None:
    first, second = Certificate(upper=3.0, lower=1.5, exact=False), Certificate(upper=2.0, lower=1.0)
    assert _measure._sharper(second, first) == Certificate(upper=2.0, lower=1.5, exact=False)
    assert _measure._sharper(first, second) == first
    wrong = attrs.evolve(first, lower=2.5)
    assert _measure._sharper(second, wrong) == second


@pytest.mark.parametrize(
    ("old", "new"), [('option = "max_steps"', 'option = "rows"'), ("values = [1, 2, 5]", "values = [1, 5, 2]")]
)
def test_only_rising_steps_can_be_followed(old: str, new: str) -> None:
    assert old in STEPS
    with pytest.raises(InvalidOption, match="a run can only be followed along its steps"):
        _reading.table_of("steps", STEPS.replace(old, new))
