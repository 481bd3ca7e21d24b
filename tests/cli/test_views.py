"""Views on the command line: groups of columns with kernels of their own."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kernelopt as library

Call = Callable[..., Any]
LINEAR = ("--family", "dictionary:kernels=linear|", "--criterion", "ridge", "--no-progress")
VIEWS = ("--view", "scan=mri_*", "--view", "person=income, age")


@pytest.fixture(name="people")
def _people(write: Callable[..., Path]) -> Path:
    """Three columns of a scan, two of a person, and a score that only the person tells."""
    random = np.random.default_rng(0)
    rows = random.normal(size=(40, 5))
    score = rows[:, 3] - rows[:, 4] + 0.1 * random.normal(size=40)
    lines = [",".join(map(str, (*row, one))) for row, one in zip(rows, score, strict=True)]
    return write("\n".join(["mri_1,mri_2,mri_3,age,income,score", *lines]) + "\n")


def test_each_view_has_kernels_of_its_own_and_its_share_is_told(kernelopt: Call, people: Path, tmp_path: Path) -> None:
    kept = tmp_path / "views.kernelopt"
    options = ("--target", "score", *VIEWS, *LINEAR, "--no-check", "--save", kept)
    shown = kernelopt("solve", people, *options, "--json")
    assert shown.exit_code == 0, shown.stderr
    told = json.loads(shown.stdout)
    assert {tuple(one["columns"]) for one in told["kernel"]} == {(0, 1, 2), (3, 4)}
    assert told["views"]["person"] > 0.9
    assert told["views"] == pytest.approx(library.load(kept).views())
    words = " ".join(kernelopt("solve", people, *options).stdout.split())
    assert f"person {told['views']['person']:.0%}" in words
    predicted = kernelopt("predict", kept, people, "--out", tmp_path / "out.csv")
    assert predicted.exit_code == 0, predicted.stderr


def test_columns_of_no_view_are_neither_read_nor_wanted_of_new_rows(
    kernelopt: Call, people: Path, tmp_path: Path
) -> None:
    text = people.read_text(encoding="utf-8").splitlines()
    days = [f"2024-01-{1 + k % 28:02d}" for k in range(40)]
    lines = [f"begun,{text[0]}", *(f"{day},{line}" for day, line in zip(days, text[1:], strict=True))]
    people.write_text("\n".join(lines) + "\n", encoding="utf-8")
    kept = tmp_path / "views.kernelopt"
    options = ("--target", "score", "--view", "scan=mri_*", *LINEAR, "--no-check", "--save", kept)
    shown = kernelopt("solve", people, *options, "--json")
    assert shown.exit_code == 0, shown.stderr
    told = json.loads(shown.stdout)
    note = "views: 3 of 6 columns are in no view and are not learned from: begun, age, income"
    assert note in told["notes"]
    assert library.load(kept).columns == ("mri_1", "mri_2", "mri_3")
    new = tmp_path / "new.csv"
    new.write_text("mri_3,mri_1,mri_2\n0.1,0.2,0.3\n", encoding="utf-8")
    predicted = kernelopt("predict", kept, new)
    assert predicted.exit_code == 0, predicted.stderr
    assert len(predicted.stdout.splitlines()) == 2


def test_views_without_a_family_are_learned_by_the_evidence(
    kernelopt: Call, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, Any]] = []

    def stop(X: Any, y: Any, **options: Any) -> Any:
        asked.append(options)
        raise library.Refused("enough")

    monkeypatch.setattr(library, "solve", stop)
    kernelopt("solve", people, "--target", "score", *VIEWS, "--no-progress")
    assert asked[0]["criterion"] == "evidence"
    assert asked[0]["family"].columns == {"scan": (0, 1, 2), "person": (3, 4)}


def test_compare_learns_on_views_too(kernelopt: Call, people: Path) -> None:
    shown = kernelopt("compare", people, "--target", "score", "--view", "scan=mri_*", *LINEAR, "--json")
    assert shown.exit_code == 0, shown.stderr
    other = kernelopt("compare", people, "--target", "score", "--view", "person=age,income", *LINEAR, "--json")
    poor, good = (json.loads(one.stdout)["entries"][0]["trials"][0]["error"] for one in (shown, other))
    assert good < 0.5 * poor
    assert "3 of 5 columns are in no view" in other.stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--view", "scan"), "wanted name=column,column"),
        (("--view", "scan="), "wanted name=column,column"),
        (("--view", "scan=ct_*"), "has the column 'ct_*', and the columns to learn from are"),
        (("--view", "scan=score"), "has the column 'score'"),
        (("--view", "scan=mri_1", "--view", "scan=mri_2"), "is given twice"),
    ],
)
def test_views_that_are_none_are_refused(kernelopt: Call, people: Path, options: tuple[str, ...], words: str) -> None:
    for command in ("solve", "compare"):
        shown = kernelopt(command, people, "--target", "score", *options, *LINEAR)
        assert shown.exit_code == 2
        assert words in shown.stderr


def test_without_targets_views_share_one_kernel_and_no_share_is_told(kernelopt: Call, people: Path) -> None:
    options = ("--criterion", "one-class", "--ignore", "score", *VIEWS, "--no-progress")
    shown = kernelopt("solve", people, *options, "--json")
    assert shown.exit_code == 0, shown.stderr
    told = json.loads(shown.stdout)
    assert "views" not in told
    assert any("each view counts as one column" in note for note in told["notes"])
    assert kernelopt("solve", people, *options).exit_code == 0
