"""Views in files of their own on the command line: matched by order or by a key, refused where they do not match."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kernelopt as library

Call = Callable[..., Any]
LINEAR = ("--family", "dictionary:kernels=linear|", "--criterion", "ridge", "--no-progress")
N = 40


def written(path: Path, columns: dict[str, Any]) -> Path:
    """A CSV file of these columns."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


@pytest.fixture(name="files")
def _files(tmp_path: Path) -> dict[str, Any]:
    """A table of people with a score, and their scans and visits in files of their own; also all in one file."""
    random = np.random.default_rng(0)
    people = [f"p{i:02}" for i in range(N)]
    scan, visit = random.normal(size=(N, 3)), random.normal(size=(N, 2))
    score = visit[:, 0] - visit[:, 1] + 0.1 * random.normal(size=N)
    scans = {f"v{j}": scan[:, j] for j in range(3)}
    visits = {"v0": visit[:, 0], "word": np.where(visit[:, 1] > 0, "high", "low")}
    whole = {f"mri.{name}": values for name, values in scans.items()}
    whole |= {f"visit.{name}": values for name, values in visits.items()}
    turned = random.permutation(N)
    return {
        "people": written(tmp_path / "people.csv", {"patient": people, "score": score}),
        "mri": written(tmp_path / "mri.csv", scans),
        "visit": written(tmp_path / "visit.csv", visits),
        "one": written(tmp_path / "one.csv", {**whole, "score": score}),
        "mri by key": written(
            tmp_path / "keyed.csv",
            {name: values[turned] for name, values in {"patient": np.array(people), **scans}.items()},
        ),
        "visit by key": written(tmp_path / "visits.csv", {"patient": people, **visits}),
        "fewer": written(
            tmp_path / "fewer.csv", {"patient": people[5:], **{name: one[5:] for name, one in visits.items()}}
        ),
        "twice": written(
            tmp_path / "twice.csv", {"patient": [people[0], *people[:-1]], "v0": scan[:, 0], "v1": scan[:, 1]}
        ),
        "others": written(tmp_path / "others.csv", {"patient": [f"q{i}" for i in range(N)], "v0": scan[:, 0]}),
        "out": tmp_path / "out.csv",
        "model": tmp_path / "model.kernelopt",
    }


def told(kernelopt: Call, *options: Any) -> dict[str, Any]:
    shown = kernelopt("solve", *options, *LINEAR, "--json", "--no-check")
    assert shown.exit_code == 0, shown.stderr
    return dict(json.loads(shown.stdout))


def the_same(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert one["views"] == pytest.approx(other["views"])
    assert one["certificate"]["upper"] == pytest.approx(other["certificate"]["upper"])


@pytest.fixture(name="one")
def _one(kernelopt: Call, files: dict[str, Any]) -> dict[str, Any]:
    """What is learned of the same columns in one file."""
    return told(kernelopt, files["one"], "--target", "score", "--view", "mri=mri.*", "--view", "visit=visit.*")


def test_files_of_one_order_are_one_table(kernelopt: Call, files: dict[str, Any], one: dict[str, Any]) -> None:
    views = ("--view", f"mri={files['mri']}", "--view", f"visit={files['visit']}")
    found = told(kernelopt, files["people"], "--target", "score", *views, "--ignore", "patient")
    the_same(found, one)
    assert found["views"]["visit"] > 0.8


def test_rows_are_matched_by_a_key(kernelopt: Call, files: dict[str, Any], one: dict[str, Any]) -> None:
    views = ("--view", f"mri={files['mri by key']}", "--view", f"visit={files['visit by key']}", "--key", "patient")
    model = ("--save", files["model"])
    the_same(told(kernelopt, files["people"], "--target", "score", *views, *model), one)
    done = kernelopt("predict", files["model"], files["people"], *views, "--target", "score", "--out", files["out"])
    assert done.exit_code == 0, done.stderr
    predicted = np.genfromtxt(files["out"], delimiter=",", skip_header=1)
    score = np.genfromtxt(files["people"], delimiter=",", skip_header=1)[:, 1]
    assert np.corrcoef(predicted.reshape(N, -1)[:, 0], score)[0, 1] > 0.8


def test_columns_of_no_view_are_not_wanted_of_new_rows(kernelopt: Call, files: dict[str, Any], tmp_path: Path) -> None:
    views = ("--view", f"mri={files['mri by key']}", "--view", f"visit={files['visit by key']}", "--key", "patient")
    lines = files["people"].read_text(encoding="utf-8").splitlines()
    sites = ["site", *("north" if k % 2 else "south" for k in range(N))]
    more = tmp_path / "more.csv"
    more.write_text("\n".join(f"{line},{site}" for line, site in zip(lines, sites, strict=True)), encoding="utf-8")
    found = told(kernelopt, more, "--target", "score", *views, "--save", files["model"])
    assert any("1 of 6 columns are in no view and are not learned from: site" in note for note in found["notes"])
    done = kernelopt("predict", files["model"], *views, "--out", files["out"])
    assert done.exit_code == 0, done.stderr


def test_dates_in_the_file_of_a_view_stay_dates(kernelopt: Call, files: dict[str, Any], tmp_path: Path) -> None:
    days = np.datetime64("2020-01-01") + np.arange(N)
    visits = written(tmp_path / "days.csv", {"day": [f"{day.item():%m/%d/%Y}" for day in days]})
    views = ("--view", f"visit={visits}", "--view", f"mri={files['mri']}")
    found = told(
        kernelopt, files["people"], "--target", "score", "--ignore", "patient", *views, "--save", files["model"]
    )
    assert any("(month first) were taken as numbers" in note for note in found["notes"])
    done = kernelopt("predict", files["model"], *views, "--out", files["out"])
    assert done.exit_code == 0, done.stderr


def test_no_other_file_is_needed(kernelopt: Call, files: dict[str, Any]) -> None:
    views = ("--view", f"mri={files['mri']}", "--view", f"people={files['people']}")
    found = told(kernelopt, *views, "--target", "mri.v0", "--ignore", "people.patient")
    assert set(found["views"]) == {"mri", "people"}


def test_rows_without_a_row_in_each_file_are_left_out_with_a_word(kernelopt: Call, files: dict[str, Any]) -> None:
    views = ("--view", f"visit={files['fewer']}", "--key", "patient")
    found = told(kernelopt, files["people"], "--target", "score", *views, "--save", files["model"])
    assert any("5 of 40 rows of" in note and "are left out" in note for note in found["notes"])
    shown = kernelopt("predict", files["model"], files["people"], *views)
    assert shown.exit_code == 2
    assert "got no row for 5 of the 40 values of 'patient'" in shown.stderr


def test_a_view_may_be_columns_beside_one_that_is_a_file(kernelopt: Call, files: dict[str, Any]) -> None:
    views = ("--view", "own=mri.v0,visit.*", "--view", f"scan={files['mri']}")
    found = told(kernelopt, files["one"], "--target", "score", *views)
    assert set(found["views"]) == {"own", "scan"}
    shown = kernelopt("compare", files["one"], "--target", "score", *views, *LINEAR)
    assert shown.exit_code == 0, shown.stderr


@pytest.mark.parametrize(
    ("view", "more", "words"),
    [
        ("fewer", (), "has 35 rows and"),
        ("fewer", (), "such as --key patient"),
        ("mri", ("--key", "patient"), "has no column 'patient'"),
        ("twice", ("--key", "patient"), "the key 'patient' is p00 in row 1 and in row 2"),
        ("others", ("--key", "patient"), "got no row for 40 of the 40 values of 'patient'"),
    ],
)
def test_files_that_do_not_match_are_refused(
    kernelopt: Call, files: dict[str, Any], view: str, more: tuple[str, ...], words: str
) -> None:
    for command in ("solve", "compare"):
        given = ("--target", "score", "--view", f"scan={files[view]}", *more)
        shown = kernelopt(command, files["people"], *given, *LINEAR)
        assert shown.exit_code == 2
        assert words in shown.stderr


def test_what_files_of_views_cannot_be_is_refused(kernelopt: Call, files: dict[str, Any], tmp_path: Path) -> None:
    people, mri = files["people"], f"mri={files['mri']}"
    cases = {
        "DATA: got no file": (),
        "--key: got no view in a file of its own": (people, "--key", "patient"),
        "is given twice; name one file": (people, "--view", mri, "--view", mri),
        "--predict: got views in files": (people, "--view", mri, "--predict", people, "--out", files["out"]),
        "gone.csv": (people, "--view", f"mri={tmp_path / 'gone.csv'}"),
    }
    for words, given in cases.items():
        shown = kernelopt("solve", *given, "--target", "score", *LINEAR)
        assert shown.exit_code == 2
        assert words in shown.stderr
    library.solve(np.eye(4), [0, 1, 0, 1], criterion="svc").save(files["model"])
    shown = kernelopt("predict", files["model"], people, "--view", "mri=v0,v1")
    assert shown.exit_code == 2
    assert "wanted name=file such as mri=mri.csv" in shown.stderr
