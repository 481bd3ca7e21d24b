"""kernelopt compare: what stands in the table is what solve gives, and an interruption loses nothing."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from sklearn.model_selection import KFold, StratifiedKFold

import kernelopt as library
from kernelopt._base._errors import InvalidOption
from kernelopt._base.tables._tables import Table
from kernelopt.cli.judging import _compare, _trials
from kernelopt.cli.reading._rows import Rows

Call = Callable[..., Any]
TWO = ("--family", "dictionary:kernels=rbf|linear", "--family", "dictionary:kernels=rbf|", "--solver", "fw")
QUICK = ("--target", "kind", "--ignore", "place", "--tol", "0.05", "--no-progress")


def test_the_table_holds_what_solve_gives_on_the_same_folds(kernelopt: Call) -> None:
    shown = kernelopt("compare", "dataset:iris", "--family", "dictionary", "--folds", 3, "--seed", 7, "--json")
    assert shown.exit_code == 0, shown.stderr
    (entry,) = json.loads(shown.stdout)["entries"]
    data = library.datasets.load("iris")
    parts = StratifiedKFold(3, shuffle=True, random_state=7).split(data.X, data.y)
    for told, (train, test) in zip(entry["trials"], parts, strict=True):
        solution = library.solve(data.X[train], data.y[train], family="dictionary", seed=7)
        assert told["relative_gap"] == solution.certificate.relative_gap
        assert told["error"] == pytest.approx(1.0 - solution.score(data.X[test], data.y[test]))
        assert told["support"] == len(solution.support)
        assert told["status"] == solution.status.name


@pytest.mark.parametrize(
    ("options", "names", "asked"),
    [
        ((), ("auto", "evidence"), {}),
        (("--criterion", "evidence"), ("auto", "evidence"), {"criterion": "evidence"}),
        (("--criterion", "ridge"), ("tk", "ridge"), {"criterion": "ridge"}),
    ],
)
def test_what_is_left_open_is_what_solve_takes(
    kernelopt: Call, write: Callable[..., Path], options: tuple[str, ...], names: tuple[str, str], asked: dict[str, str]
) -> None:
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = X[:, 0] + 0.1 * X[:, 1] ** 2
    lines = ["a,b,y", *(f"{a!r},{b!r},{t!r}" for (a, b), t in zip(X.tolist(), y.tolist(), strict=True))]
    limits = ("--target", "y", "--folds", 2, "--max-steps", 1, "--no-progress", "--json")
    shown = kernelopt("compare", write("\n".join(lines) + "\n"), *limits, *options)
    assert shown.exit_code == 0, shown.stderr
    (entry,) = json.loads(shown.stdout)["entries"]
    assert (entry["family"], entry["criterion"]) == names
    train, test = next(KFold(2, shuffle=True, random_state=0).split(X))
    solution = library.solve(X[train], y[train], max_steps=1, **asked)
    wanted = np.sqrt(np.mean((solution.predict(X[test]) - y[test]) ** 2))
    assert entry["trials"][0]["error"] == pytest.approx(wanted)


def test_errors_of_numbers_are_root_mean_squares(kernelopt: Call) -> None:
    options = ("--family", "dictionary", "--criterion", "ridge", "--folds", 2, "--max-steps", 2, "--json")
    shown = kernelopt("compare", "dataset:diabetes", *options)
    told = json.loads(shown.stdout)
    assert told["measure"] == "root mean squared error"
    data = library.datasets.load("diabetes")
    train, test = next(KFold(2, shuffle=True, random_state=0).split(data.X))
    solution = library.solve(data.X[train], data.y[train], family="dictionary", criterion="ridge", max_steps=2)
    wanted = np.sqrt(np.mean((solution.predict(data.X[test]) - data.y[test]) ** 2))
    assert told["entries"][0]["trials"][0]["error"] == pytest.approx(wanted)


def test_a_reader_gets_one_line_for_each_combination(kernelopt: Call, table: Path) -> None:
    shown = kernelopt("compare", table, *QUICK, *TWO)
    assert shown.exit_code == 0, shown.stderr
    assert shown.stdout.count("CONVERGED") == 2
    assert "12 of 40 rows held out" in " ".join(shown.stdout.split())
    assert "wrong" in shown.stdout


def test_a_refused_combination_is_told_and_the_others_are_solved(kernelopt: Call, table: Path) -> None:
    options = ("--solver", "smo", "--solver", "fw", "--family", "hyperkernel")
    shown = kernelopt("compare", table, *QUICK, *options, "--json")
    assert shown.exit_code == 0, shown.stderr
    first, second = json.loads(shown.stdout)["entries"]
    assert "smo cannot solve hyperkernel" in first["reason"]
    assert first["trials"] == []
    assert second["reason"] is None
    assert second["trials"]


def test_where_all_are_refused_there_is_no_answer(kernelopt: Call, table: Path) -> None:
    shown = kernelopt("compare", table, *QUICK, "--solver", "smo", "--family", "hyperkernel")
    assert shown.exit_code == 2
    assert "refused" in shown.stdout
    assert "smo cannot solve hyperkernel" in " ".join(shown.stdout.split())


def test_a_name_that_does_not_exist_is_told_before_any_work(
    kernelopt: Call, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "solve", None)
    for options, name in ((("--family", "tkk"), "tkk"), (("--solver", "fww"), "fww"), (("--criterion", "svv"), "svv")):
        shown = kernelopt("compare", table, *QUICK, "--family", "dictionary", *options)
        assert shown.exit_code == 2
        assert f"is called '{name}'" in shown.stderr


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_an_interruption_keeps_what_there_is(
    kernelopt: Call, table: Path, monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    solve, calls = library.solve, []

    def interrupted(*arguments: Any, **options: Any) -> Any:
        if len(calls) == kept:
            raise KeyboardInterrupt
        calls.append(options)
        return solve(*arguments, **options)

    monkeypatch.setattr(library, "solve", interrupted)
    shown = kernelopt("compare", table, *QUICK, *TWO, "--solver", "ipm", "--json")
    assert shown.exit_code == 130
    told = json.loads(shown.stdout)
    assert told["interrupted"] is True
    assert [len(entry["trials"]) for entry in told["entries"]] == [*[1] * kept, 0]


def test_an_interrupted_solve_is_the_last_one_and_counts() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(30, 2))
    rows = Rows(X, np.arange(30) % 2, ("a", "b"), "y")
    parts = _trials.splits(rows, "classification", 3, 0.0, 0)
    tried = _compare.candidates(["dictionary"], ["fw"], ["svc"])
    begun = []

    def watch(_: _compare.Candidate, part: int) -> dict[str, Any]:
        begun.append(part)
        return {"callback": lambda _: part == 1}

    found = _compare.compare(rows, "classification", tried * 2, parts, watch, tol=1e-9)
    assert found.interrupted
    assert begun == [0, 1]
    assert [trial.interrupted for trial in found.entries[0].trials] == [False, True]


def test_progress_is_shown_on_stderr_only(kernelopt: Call, table: Path) -> None:
    loud = [option for option in QUICK if option != "--no-progress"]
    json.loads(kernelopt("compare", table, *loud, *TWO, "--json").stdout)


def test_criteria_for_different_targets_are_refused(kernelopt: Call, table: Path) -> None:
    shown = kernelopt("compare", table, *QUICK, "--criterion", "svc", "--criterion", "svr")
    assert shown.exit_code == 2
    assert "classification and regression" in shown.stderr


@pytest.mark.parametrize("options", [("--folds", 25), ("--held-out", 0.01)])
def test_too_few_rows_are_refused(kernelopt: Call, table: Path, options: tuple[Any, ...]) -> None:
    shown = kernelopt("compare", table, *QUICK, "--family", "dictionary", *options)
    assert shown.exit_code == 2
    assert shown.stderr.startswith("error: ")


def test_folds_are_disjoint_and_hold_every_row_once() -> None:
    rows = Rows(np.zeros((23, 1)), np.arange(23.0), ("a",), "y")
    parts = _trials.splits(rows, "regression", 4, 0.0, 3)
    assert sorted(i for _, test in parts for i in test) == list(range(23))
    assert all(not set(train) & set(test) for train, test in parts)


def test_an_interruption_among_folds_keeps_those_that_are_done(
    kernelopt: Call, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    solve, calls = library.solve, []

    def interrupted(*arguments: Any, **options: Any) -> Any:
        calls.append(options)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return solve(*arguments, **options)

    monkeypatch.setattr(library, "solve", interrupted)
    shown = kernelopt("compare", table, *QUICK, *TWO, "--folds", 4, "--json")
    assert shown.exit_code == 130
    assert [len(entry["trials"]) for entry in json.loads(shown.stdout)["entries"]] == [4, 1]


def test_the_own_splits_of_a_set_are_taken(kernelopt: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELOPT_DATA", str(tmp_path))
    random = np.random.default_rng(0)
    X = np.vstack([random.normal(size=(20, 2)), random.normal(size=(20, 2)) + 2.0])
    y, order = np.repeat([1, 2], 20), random.permutation(40)
    parts = {"train_splits": [order[:25], order[10:35]], "test_splits": [order[25:], np.r_[order[:10], order[35:]]]}
    np.savez(tmp_path / "mine.npz", X=X, y=y, **parts)
    options = ("--splits", "own", "--family", "dictionary", "--no-progress")
    told = json.loads(kernelopt("compare", "dataset:mine", *options, "--json").stdout)
    assert told["splits"] == 2
    for trial, train, test in zip(told["entries"][0]["trials"], *parts.values(), strict=True):
        solution = library.solve(X[train], y[train], family="dictionary")
        assert trial["error"] == pytest.approx(1.0 - solution.score(X[test], y[test]))
    assert "2 splits of its own" in kernelopt("compare", "dataset:mine", *options).stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("dataset:iris", "--splits", "own"), "--splits own: dataset:iris has no splits of its own"),
        (("dataset:iris", "--splits", "5"), "--splits: got '5', wanted own; --folds takes a number of folds"),
        (("dataset:iris", "--splits", "own", "--folds", 3), "--splits own and --folds exclude each other"),
    ],
)
def test_splits_that_are_not_there_are_refused(
    kernelopt: Call, monkeypatch: pytest.MonkeyPatch, options: tuple[Any, ...], message: str
) -> None:
    monkeypatch.delenv("KERNELOPT_DATA", raising=False)
    shown = kernelopt("compare", *options)
    assert shown.exit_code == 2
    assert message in shown.stderr


def test_a_file_has_no_splits_of_its_own(kernelopt: Call, table: Path) -> None:
    shown = kernelopt("compare", table, *QUICK, "--splits", "own")
    assert shown.exit_code == 2
    assert "only a data set by name has splits: write dataset:NAME" in shown.stderr


GROUPED = ("--target", "score", "--groups", "patient", "--criterion", "evidence", "--no-progress", "--json")


@pytest.fixture(name="patients")
def _patients(write: Callable[..., Path]) -> Path:
    """Four measurements of each of twelve patients, in the order of their names' letters."""
    random = np.random.default_rng(0)
    effect = random.normal(size=12)
    lines = ["patient,age,score"]
    for k in range(48):
        age = random.normal()
        lines.append(f"p{k % 12},{age},{age + effect[k % 12] + 0.2 * random.normal()}")
    return write("\n".join(lines) + "\n")


@pytest.mark.parametrize("options", [("--folds", 3), ("--held-out", 0.25)])
def test_groups_are_held_out_whole_and_learned(
    kernelopt: Call, patients: Path, options: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    solve, told = library.solve, []
    monkeypatch.setattr(library, "solve", lambda X, y, **rest: told.append(rest["groups"]) or solve(X, y, **rest))
    linear = ("--family", "dictionary:kernels=linear|")
    shown = kernelopt("compare", patients, *GROUPED, *linear, *options)
    assert shown.exit_code == 0, shown.stderr
    kept = 8 if options[0] == "--folds" else 9
    for groups in told:
        assert sorted(np.unique(groups, return_counts=True)[1]) == [4] * kept
    other = kernelopt("compare", patients, *GROUPED, *linear, *options, "--criterion", "ridge")
    assert other.exit_code == 0, other.stderr
    assert told[-1] is None


def test_solve_learns_groups_and_measures_with_whole_ones(kernelopt: Call, patients: Path) -> None:
    shown = kernelopt("solve", patients, *GROUPED, "--family", "dictionary:kernels=linear|")
    assert shown.exit_code == 0, shown.stderr
    told = json.loads(shown.stdout)
    assert any("48 rows are of 12 groups" in note for note in told["notes"])
    assert sorted(told["check"]["held_out"]) == [8, 8, 8, 12, 12]
    words = kernelopt("solve", patients, *GROUPED[:-1], "--family", "dictionary:kernels=linear|")
    assert "groups kept whole" in " ".join(words.stdout.split())


def test_groups_that_are_too_few_are_refused(kernelopt: Call, patients: Path) -> None:
    for options, words in ((("--folds", 13), "12 groups, too few for 13 folds"), (("--groups", "score"), "to learn")):
        shown = kernelopt("compare", patients, *GROUPED, *options)
        assert shown.exit_code == 2
        assert words in " ".join(shown.stderr.split())


@pytest.mark.parametrize("options", [("--folds", 4), ("--held-out", 0.3)])
def test_a_class_of_one_row_is_a_training_row_of_each_part(kernelopt: Call, table: Path, options: tuple) -> None:
    text = table.read_text(encoding="utf-8")
    table.write_text(f"{text}1.5,1.5,north,Cat\n", encoding="utf-8")
    shown = kernelopt("compare", table, *QUICK, "--family", "dictionary:kernels=rbf|linear", *options)
    assert shown.exit_code == 0, shown.stderr
    assert "note: held out: the class 'Cat' has only one row, which is always learned from" in shown.stderr


def test_rows_of_classes_of_their_own_are_never_held_out() -> None:
    y = np.array(["no", "Yes", "yes", "no", "yes", "yes", "no", "yes", "No", "yes", "no"])
    rows = Rows(Table(np.arange(11.0)[:, None], {}), y, ("a",), "y")
    for folds, held_out in ((2, 0.0), (None, 0.5)):
        for train, test in _trials.splits(rows, "classification", folds, held_out, 0):
            assert {1, 8} <= set(train.tolist())
            assert sorted([*train.tolist(), *test.tolist()]) == list(range(11))
            assert set(y[test]) == {"yes", "no"}
    (note,) = _trials.lone_note(rows, "classification")
    assert note == "held out: 2 classes, such as 'Yes', have only one row each; it is always learned from"
    assert _trials.lone_note(rows, "regression") == ()
    each = attrs.evolve(rows, y=np.arange(11))
    with pytest.raises(InvalidOption, match="each class has only one row, so that none can be held out"):
        _trials.splits(each, "classification", None, 0.3, 0)
