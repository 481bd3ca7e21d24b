"""kernelopt reproduce: the tables' files are right, what is printed is what solve gives, nothing is lost or twice."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from sklearn.model_selection import ShuffleSplit

import kernelopt as library
from kernelopt._base._errors import InvalidData, InvalidOption, UnknownName
from kernelopt._plugins._registry import resolve
from kernelopt.cli.papers import _choice, _data, _made, _measure, _options, _programs, _reading, _work
from kernelopt.cli.papers._definition import Method, Protocol, Rows
from kernelopt.cli.papers._ledger import Ledger

Call = Callable[..., Any]
TINY = """
title = "Table 0: flowers"
source = "nobody"
reading = "nothing is misprinted"
show = ["error", "seconds"]

[protocol]
splits = 3
test = 0.4

[[methods]]
name = "list"
family = { name = "dictionary", kernels = ["linear", "rbf"] }
criterion = { name = "svc", C = "0.1 n" }

[[methods]]
name = "searched"
family = { name = "dictionary", kernels = ["rbf"] }
criterion = "svc"
grid = { "criterion.C" = [1e-6, 1.0] }

[[sets]]
name = "Iris"
data = "iris"
plus = ["versicolor"]
minus = ["virginica"]
paper.list.error = [5.0, 1.0]
paper.list.seconds = 3

[[sets]]
name = "Nowhere"
data = "no-such-set"

[[sets]]
name = "Lost"
reason = "it was lost"
paper.searched.error = [7.7, 1.7]
"""


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of a set that is bundled, one that is missing and one that has no data."""
    monkeypatch.delenv("KERNELOPT_DATA", raising=False)
    monkeypatch.setattr(_reading, "names", lambda: ("tiny",))
    monkeypatch.setattr(_reading, "load", lambda key: _reading.table_of(key, TINY))


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def changed(old: str, new: str) -> str:
    assert old in TINY
    return TINY.replace(old, new)


@pytest.mark.parametrize("key", _reading.names())
def test_every_table_names_what_there_is(key: str) -> None:
    table = _reading.load(key)
    assert len({rows.name for rows in table.sets}) == len(table.sets)
    for method in table.methods:
        grid = {path: values[-1] for path, values in method.grid.items()}
        at = {} if table.axis is None else {table.axis.option: table.places[-1]}
        options = _options.options_of(method, {**at, **grid}, {"n": 100.0, "sd": 2.0}, 5)
        if _programs.program_of(options["criterion"]) is None:
            resolve("criterion", options["criterion"])
        tuple(library._api._family_specs.terms(options["family"]))
        if options["solver"] != "auto":
            resolve("solver", options["solver"])
    for rows in table.sets:
        for told in rows.paper.values():
            assert set(told) <= set(table.show)


@pytest.mark.parametrize(("key", "other"), [("000-3", "000-2"), ("003-f4", "003-3")])
def test_a_table_that_shows_more_of_another_measures_nothing_else(key: str, other: str) -> None:
    """What the file has of the one serves the other: the same methods, rows and protocol."""
    mine, theirs = _reading.load(key), _reading.load(other)
    measured = {
        rows.name: [_work.said(rows), {one.name: _work.said(one) for one in theirs.tried_on(rows)}]
        for rows in theirs.sets
    }
    for rows in mine.sets:
        assert [_work.said(rows), {one.name: _work.said(one) for one in mine.tried_on(rows)}] == measured[rows.name]
    assert attrs.evolve(mine.protocol, splits=1) == attrs.evolve(theirs.protocol, splits=1)


@pytest.mark.skipif("KERNELOPT_DATA" not in os.environ, reason="KERNELOPT_DATA names no folder")
@pytest.mark.parametrize("key", _reading.names())
def test_every_data_set_of_a_table_is_cut_as_the_table_says(key: str) -> None:
    table = _reading.load(key)
    for rows in table.sets:
        if rows.data is None or rows.data in ("mnist", "usps", "gas_turbine"):
            continue
        data = _data.found(rows)
        ((train, test),) = _data.splits(data, rows, table.protocol, 1, 0)
        assert len(train) > 0
        if table.protocol.test or rows.test:
            assert not set(train) & set(test)


def test_without_a_name_the_tables_are_listed(kernelopt: Call) -> None:
    shown = kernelopt("reproduce")
    assert shown.exit_code == 0, shown.stderr
    for key in _reading.names():
        assert key in shown.stdout


def test_an_unknown_table_is_told_with_the_nearest_name(kernelopt: Call) -> None:
    shown = kernelopt("reproduce", "003-33")
    assert shown.exit_code == 2
    assert "did you mean '003-3'" in shown.stderr
    with pytest.raises(UnknownName, match="no table is called 'x'"):
        _reading.load("x")


def test_the_numbers_are_those_of_solve_on_the_same_splits(kernelopt: Call, tiny: None, tmp_path: Path) -> None:
    options = ("--methods", "list", "--sets", "Iris", "--seed", 5, "--out", tmp_path / "f", "--no-progress", "--json")
    shown = kernelopt("reproduce", "tiny", *options)
    assert shown.exit_code == 0, shown.stderr
    (line,) = json.loads(shown.stdout)["lines"]
    assert line["paper"] == {"error": [5.0, 1.0], "seconds": [3.0, None]}
    data = library.datasets.load("iris")
    kept = data.y != "setosa"
    X, y = data.X[kept], np.where(data.y[kept] == "versicolor", 1, -1)
    parts = list(ShuffleSplit(3, test_size=0.4, random_state=5).split(X))
    assert len(line["splits"]) == len(line["rbf_svm"]) == 3
    for told, (train, test) in zip(line["splits"], parts, strict=True):
        family, criterion = {"name": "dictionary", "kernels": ["linear", "rbf"]}, {"name": "svc", "C": 0.1 * len(train)}
        solution = library.solve(X[train], y[train], family=family, criterion=criterion, seed=5)
        assert told["error"] == pytest.approx(100.0 - 100.0 * solution.score(X[test], y[test]))
        assert told["training error"] == pytest.approx(100.0 - 100.0 * solution.score(X[train], y[train]))
        assert told["gap"] == solution.certificate.relative_gap


def test_a_set_without_data_is_a_line_that_says_so(kernelopt: Call, tiny: None, tmp_path: Path) -> None:
    shown = kernelopt("reproduce", "tiny", "--quick", "--out", tmp_path / "f", "--no-progress")
    assert shown.exit_code == 0, shown.stderr
    words = " ".join(shown.stdout.split())
    assert "Nowhere: not run: no data set 'no-such-set': set KERNELOPT_DATA to the folder that has it" in words
    assert "Lost: not run: it was lost" in words
    assert words.count("not run:") == 2, "the reason stands there once for all methods"
    assert "5.0 ± 1.0" in words
    assert "7.7 ± 1.7" in words, "the paper's numbers are there without data, too"
    assert words.count("splits not run") == 4, "each line says so itself"


def test_a_grid_is_chosen_from_by_folds(kernelopt: Call, tiny: None, tmp_path: Path) -> None:
    out = tmp_path / "f"
    kernelopt("reproduce", "tiny", "--methods", "searched", "--splits", 2, "--folds", 2, "--out", out, "--no-progress")
    choices = [line for line in lines_of(out) if line["kind"] == "choice"]
    assert [line["split"] for line in choices] == [0, 1]
    assert all(line["values"] == {"criterion.C": 1.0} for line in choices)


def test_a_choice_that_takes_long_goes_on_where_it_was(
    kernelopt: Call, tiny: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loss, calls = _work._measure.loss, []

    def counted(*arguments: Any) -> float:
        calls.append(arguments)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return loss(*arguments)

    monkeypatch.setattr(_work._measure, "loss", counted)
    options = ("--methods", "searched", "--sets", "Iris", "--splits", 1, "--folds", 3, "--out", tmp_path / "f")
    assert kernelopt("reproduce", "tiny", *options, "--no-progress").exit_code == 130
    assert kernelopt("reproduce", "tiny", *options, "--no-progress").exit_code == 0
    assert len(calls) == 2 * 3 + 1, "two values on three folds, and the solve that was interrupted"


def test_solves_that_choose_share_the_time_and_tell_when_it_was_too_short(
    kernelopt: Call, tiny: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two values on two folds of two splits, and two solves: ten in all, so the first has a tenth of ten minutes."""
    loss, shares = _work._measure.loss, []

    def cut(task: Any, data: Any, part: Any, options: Any) -> Any:
        shares.append(options["max_seconds"])
        return attrs.evolve(loss(task, data, part, options), cut=len(shares) == 2)

    monkeypatch.setattr(_work._measure, "loss", cut)
    monkeypatch.setattr(_work.time, "monotonic", lambda: 0.0)
    options = ("--methods", "searched", "--sets", "Iris", "--splits", 2, "--folds", 2, "--out", tmp_path / "f")
    (line,) = json.loads(kernelopt("reproduce", "tiny", *options, "--no-progress", "--json").stdout)["lines"]
    assert shares == pytest.approx([600.0 / left for left in range(10, 2, -1)])
    assert line["notes"] == ["1 of the 8 solves that choose ended with their share of 10 minutes"]


def test_few_rows_may_choose(kernelopt: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        _reading, "load", lambda key: _reading.table_of(key, changed("test = 0.4", "test = 0.4\nrows = 30"))
    )
    loss, parts = _work._measure.loss, []

    def seen(task: Any, data: Any, part: Any, options: Any) -> Any:
        parts.append(part)
        return loss(task, data, part, options)

    monkeypatch.setattr(_work._measure, "loss", seen)
    options = ("--methods", "searched", "--sets", "Iris", "--splits", 1, "--folds", 2, "--out", tmp_path / "f")
    assert kernelopt("reproduce", "tiny", *options, "--no-progress").exit_code == 0
    data = _data.found(Rows(name="d", data="iris", plus=["versicolor"], minus=["virginica"]))
    train, _ = next(ShuffleSplit(3, test_size=0.4, random_state=0).split(data.X))
    assert [sorted(np.concatenate(part)) for part in parts] == [sorted(train[:30])] * 4


def test_the_least_loss_wins_and_what_cannot_be_solved_does_not() -> None:
    def lost(part: Any, values: Any) -> float:
        if values["a"] == 1:
            raise InvalidOption("no")
        return abs(values["a"] - 3) + abs(values["b"]) + part

    assert _choice.best({"a": [1, 2, 3], "b": [5, -1, 1]}, [0.0, 1.0], lost) == {"a": 3, "b": -1}
    with pytest.raises(InvalidOption, match="no"):
        _choice.best({"a": [1], "b": [0]}, [0.0], lost)


def test_the_median_of_choices_is_that_in_the_order_of_the_grid() -> None:
    choices = [{"a": 1}, {"a": 9}, {"a": 2}, {"a": 3}]
    assert _choice.median({"a": [1, 2, 3, 9]}, choices) == {"a": 2}
    assert _choice.median({"a": ["3 / n", "10 / n"]}, [{"a": "10 / n"}, {"a": "3 / n"}]) == {"a": "3 / n"}


def test_what_is_in_the_file_is_not_measured_again(
    kernelopt: Call, tiny: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "f"
    options = ("--methods", "list", "--sets", "Iris", "--out", out, "--no-progress", "--json")
    fewer = kernelopt("reproduce", "tiny", "--splits", 1, *options)
    first = kernelopt("reproduce", "tiny", *options)
    assert [line["split"] for line in lines_of(out) if line["kind"] == "solve"] == [0, 1, 2]
    monkeypatch.setattr(library, "solve", None)
    second = kernelopt("reproduce", "tiny", *options)
    assert first.stdout == second.stdout
    assert json.loads(fewer.stdout)["lines"][0]["splits"] == json.loads(first.stdout)["lines"][0]["splits"][:1]
    assert kernelopt("reproduce", "tiny", "--seed", 1, *options).exit_code != 0, "another seed needs other solves"


def test_a_time_limit_ends_a_line_and_more_time_goes_on(kernelopt: Call, tiny: None, tmp_path: Path) -> None:
    options = ("--methods", "list", "--sets", "Iris", "--out", tmp_path / "f", "--no-progress")
    short = kernelopt("reproduce", "tiny", "--minutes", 1e-9, *options)
    assert short.exit_code == 0, short.stderr
    assert "Iris: over time: 1e-09 minutes sufficed for 0 of 3 splits" in " ".join(short.stdout.split())
    assert "splits over time" in " ".join(short.stdout.split())
    longer = kernelopt("reproduce", "tiny", "--minutes", 5, *options, "--json")
    assert len(json.loads(longer.stdout)["lines"][0]["splits"]) == 3


def test_a_split_that_ended_with_its_time_is_told_apart_from_one_that_did_not_converge(
    kernelopt: Call, tiny: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured, statuses = _work._measure.outcome, ["MAX_SECONDS", "STALLED", "CONVERGED"]
    monkeypatch.setattr(
        _work._measure, "outcome", lambda *arguments: attrs.evolve(measured(*arguments), status=statuses.pop(0))
    )
    options = ("--methods", "list", "--sets", "Iris", "--out", tmp_path / "f", "--no-progress", "--json")
    (line,) = json.loads(kernelopt("reproduce", "tiny", *options).stdout)["lines"]
    assert line["notes"] == ["over time: 1 of 3 ended after 10 minutes, before the tolerance", "1 of 3 not converged"]


def test_figures_of_few_steps_tell_which_points_lacked_time(
    kernelopt: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    axis = '\n[axis]\noption = "max_steps"\ntitle = "steps"\nvalues = [1, 2]\n'
    text = TINY.replace("paper.list.error = [5.0, 1.0]\npaper.list.seconds = 3\n", "") + axis
    monkeypatch.setattr(_reading, "load", lambda key: _reading.table_of(key, text))
    measured, statuses = _work._measure.outcome, ["MAX_STEPS", "MAX_SECONDS"]
    monkeypatch.setattr(
        _work._measure, "outcome", lambda *arguments: attrs.evolve(measured(*arguments), status=statuses.pop(0))
    )
    options = ("--methods", "list", "--sets", "Iris", "--splits", 1, "--out", tmp_path / "f", "--no-progress")
    lines = json.loads(kernelopt("reproduce", "tiny", *options, "--json").stdout)["lines"]
    assert [line["notes"] for line in lines] == [[], ["over time: 1 of 1 ended after 10 minutes, before the tolerance"]]


def test_ctrl_c_keeps_what_there_is(
    kernelopt: Call, tiny: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured, calls = _work._measure.outcome, []

    def interrupted(*arguments: Any) -> Any:
        calls.append(arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return measured(*arguments)

    monkeypatch.setattr(_work._measure, "outcome", interrupted)
    options = ("--methods", "list", "--out", tmp_path / "f", "--no-progress")
    shown = kernelopt("reproduce", "tiny", *options)
    assert shown.exit_code == 130
    assert "goes on where it was" in shown.stderr
    monkeypatch.setattr(_work._measure, "outcome", measured)
    assert kernelopt("reproduce", "tiny", *options).exit_code == 0
    assert [line["split"] for line in lines_of(tmp_path / "f") if line["kind"] == "solve"] == [0, 1, 2]


def test_a_killed_run_loses_no_line_and_repeats_none(kernelopt: Call, tiny: None, tmp_path: Path) -> None:
    """A process is killed in the middle, its last line is cut off as a crash of the machine may do it; it goes on."""
    out = tmp_path / "f"
    command = (
        "import sys\nfrom kernelopt.cli.papers import _reading\nfrom pathlib import Path\n"
        f"text = Path({str(tmp_path / 'tiny.toml')!r}).read_text()\n"
        "_reading.load = lambda key: _reading.table_of(key, text)\n"
        "from kernelopt.cli import main\nsys.argv = ['kernelopt', *sys.argv[1:]]\nmain()\n"
    )
    (tmp_path / "tiny.toml").write_text(TINY, encoding="utf-8")
    options = ["reproduce", "tiny", "--methods", "list", "--sets", "Iris", "--no-progress", "--out", str(out)]
    process = subprocess.Popen([sys.executable, "-c", command, *options, "--splits", "3"], stdout=subprocess.DEVNULL)
    try:
        while process.poll() is None and not (out.exists() and out.read_bytes().count(b"\n")):
            time.sleep(0.01)
    finally:
        process.send_signal(signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
        process.wait()
    before = lines_of(out)
    assert before
    with out.open("ab") as file:
        file.write(b'{"settings": "x", "kind": "so')
    assert kernelopt(*options).exit_code == 0
    whole = [line for line in out.read_text(encoding="utf-8").splitlines() if line.endswith("}")]
    after = [json.loads(line) for line in whole]
    assert after[: len(before)] == before
    keys = [(line["settings"], line["kind"], line["split"]) for line in after]
    assert len(keys) == len(set(keys))
    assert sorted(line["split"] for line in after if line["kind"] == "solve") == [0, 1, 2]


def test_a_file_of_something_else_is_not_appended_to(kernelopt: Call, tiny: None, tmp_path: Path) -> None:
    out = tmp_path / "letter.txt"
    out.write_text("Dear friend,\n", encoding="utf-8")
    shown = kernelopt("reproduce", "tiny", "--out", out)
    assert shown.exit_code == 2
    assert "holds no results of this command" in shown.stderr
    assert out.read_text(encoding="utf-8") == "Dear friend,\n"
    with pytest.raises(InvalidOption, match="cannot be written"):
        Ledger.at(tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--sets", "iris"), "--sets: the table has no 'iris'; it has Iris, Nowhere, Lost"),
        (("--methods", "x"), "--methods: the table has no 'x'; it has list, searched"),
        (("--splits", 0), "--splits: got 0, wanted 1 or more"),
        (("--minutes", 0), "--minutes: got 0, wanted a number above 0"),
        (("--folds", 1), "Protocol: folds must be an integer of at least 2, got 1"),
        (("--chosen-on", 0), "Protocol: on must be an integer of at least 1, got 0"),
    ],
)
def test_options_out_of_range_are_refused(
    kernelopt: Call, tiny: None, tmp_path: Path, options: tuple[Any, ...], message: str
) -> None:
    shown = kernelopt("reproduce", "tiny", "--out", tmp_path / "f", *options)
    assert shown.exit_code == 2
    assert message in shown.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title = ", "the table bad is no TOML file"),
        (changed('source = "nobody"\n', ""), "the table bad: source is missing"),
        (changed('title = "Table 0: flowers"', "title = 3"), "the table bad: title: got 3, wanted some words"),
        (changed('["error", "seconds"]', '["errors"]'), "show: 'errors' is no quantity; there are error"),
        (changed("splits = 3", "split = 3"), "bad, protocol: no entry is called 'split'; there are splits, test"),
        (
            changed("splits = 3", "splits = 0"),
            "bad, protocol: Protocol: splits must be an integer of at least 1, got 0",
        ),
        (changed("test = 0.4", "test = 1.5"), "test: got 1.5, wanted a share of the rows below 1"),
        (changed('"criterion.C" =', "C ="), "grid: got 'C', wanted an option such as family.beta or criterion.C"),
        (changed("[1e-6, 1.0]", "3"), "grid: criterion.C is 3, wanted a list of numbers, or of texts such as"),
        (changed('data = "iris"\n', ""), "Iris: wanted either data, the name of a data set, or reason"),
        (changed('minus = ["virginica"]\n', ""), "Iris: plus and minus belong together"),
        (changed("paper.list.error", "paper.lists.error"), "Iris: 'lists' is no method of the table"),
        (changed("paper.list.error", "paper.list.errors"), "paper: 'errors' is no quantity"),
        (changed("[5.0, 1.0]", "[5.0]"), "paper.list.error: got [5.0], wanted a number, or a number and its deviation"),
        (TINY.split("[[sets]]")[0] + "[sets]\nname = 'x'\n", "the table bad: sets is no list; write [[sets]]"),
    ],
)
def test_a_mistake_in_a_file_is_told(text: str, message: str) -> None:
    with pytest.raises(InvalidOption) as told:
        _reading.table_of("bad", text)
    assert message in str(told.value)


AXIS = '\n[axis]\noption = "rows"\ntitle = "rows"\nvalues = [20, 40]\n'


def test_an_axis_has_a_line_and_a_number_for_each_of_its_places(
    kernelopt: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = TINY.replace("paper.list.error = [5.0, 1.0]", "paper.list.error = [nan, [5.0, 1.0]]")
    text = head.replace("paper.list.seconds = 3\n", "") + AXIS
    monkeypatch.setattr(_reading, "load", lambda key: _reading.table_of(key, text))
    options = ("--methods", "list", "--sets", "Iris", "--splits", 1, "--out", tmp_path / "f", "--no-progress")
    told = json.loads(kernelopt("reproduce", "tiny", *options, "--json").stdout)["lines"]
    assert [line["place"] for line in told] == [20, 40]
    assert [line["paper"]["error"] for line in told] == [None, [5.0, 1.0]]
    solves = [line["place"] for line in lines_of(tmp_path / "f") if line["kind"] == "solve"]
    assert solves == [{"rows": 20}, {"rows": 40}]
    averaged = TINY + AXIS.replace("values", "average = true\nvalues")
    monkeypatch.setattr(_reading, "load", lambda key: _reading.table_of(key, averaged))
    (line,) = json.loads(kernelopt("reproduce", "tiny", *options, "--json").stdout)["lines"]
    assert [one["error"] for one in line["splits"]] == [one["splits"][0]["error"] for one in told]
    with pytest.raises(InvalidOption, match="wanted a list of 2 numbers, one for each place of the axis"):
        _reading.table_of("bad", TINY + AXIS)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("100 n", 700.0), ("2 n^2", 98.0), ("1e-2 n", 0.07), ("14 / n", 2.0), ("0.5 sd", 1.5), ("n", "n"), ("none", None)],
)
def test_a_text_may_stand_for_a_number_of_the_rows(text: str, wanted: Any) -> None:
    (found,) = _options.with_units({"a": [text]}, {"n": 7.0, "sd": 3.0})["a"]
    assert found == (pytest.approx(wanted) if isinstance(wanted, float) else wanted)


def test_the_deviation_is_that_of_the_training_targets(
    kernelopt: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = """
title = "numbers"
source = "nobody"
reading = "none"
show = ["mse"]
[protocol]
splits = 1
[[methods]]
name = "a"
family = { name = "dictionary", kernels = ["rbf"] }
criterion = { name = "svr", epsilon = "0.1 sd", C = "2 sd" }
max_steps = 3
[[sets]]
name = "diabetes"
data = "diabetes"
"""
    monkeypatch.setattr(_reading, "load", lambda key: _reading.table_of(key, text))
    shown = kernelopt("reproduce", "x", "--out", tmp_path / "f", "--no-progress", "--json")
    data = library.datasets.load("diabetes")
    train, test = next(ShuffleSplit(1, test_size=0.2, random_state=0).split(data.X))
    sd = float(np.std(data.y[train], ddof=1))
    options = {"criterion": {"name": "svr", "epsilon": 0.1 * sd, "C": 2.0 * sd}, "max_steps": 3}
    solution = library.solve(data.X[train], data.y[train], family={"name": "dictionary", "kernels": ["rbf"]}, **options)
    (told,) = json.loads(shown.stdout)["lines"][0]["splits"]
    assert told["mse"] == pytest.approx(np.mean((solution.predict(data.X[test]) - data.y[test]) ** 2))


def test_an_option_of_a_union_is_one_of_its_member() -> None:
    method = Method(name="m", family=["cosine", {"name": "gaussian", "eta": 1.0}, "delta"], criterion="margin")
    family = _options.options_of(method, {"family.cosine.beta": 2.0}, {}, 2)["family"]
    assert family == [{"name": "cosine", "beta": 2.0}, {"name": "gaussian", "eta": 1.0}, "delta"]
    with pytest.raises(InvalidOption, match="the union has cosine, gaussian, delta"):
        _options.options_of(method, {"family.tk.margin": 2.0}, {}, 2)


def test_classes_of_numbers_and_of_digits_and_targets_in_the_unit_interval() -> None:
    digits = _data.found(Rows(name="d", data="digits", plus=[3], minus=[8]))
    held = library.datasets.load("digits")
    assert len(digits.y) == np.isin(held.y, [3, 8]).sum()
    assert digits.X[digits.y == 1] == pytest.approx(held.X[held.y == 3])
    numbers = library.datasets.load("diabetes").y
    assert (_data.found(Rows(name="d", data="diabetes", above="median")).y == 1).sum() == (
        numbers > np.median(numbers)
    ).sum()
    unit = _data.found(Rows(name="d", data="diabetes", target="unit")).y
    assert (unit.min(), unit.max()) == (0.0, 1.0)


def test_another_column_is_predicted_and_the_target_takes_part_in_the_prediction() -> None:
    held = library.datasets.load("diabetes")
    other = _data.found(Rows(name="d", data="diabetes", predicts=2))
    assert np.array_equal(other.y, held.X[:, 2])
    assert np.array_equal(other.X, np.column_stack([held.X[:, :2], held.X[:, 3:], held.y]))
    with pytest.raises(InvalidData, match="got column 10, wanted one from 0 to 9"):
        _data.found(Rows(name="d", data="diabetes", predicts=10))
    with pytest.raises(InvalidData, match="whose target is text"):
        _data.found(Rows(name="d", data="iris", predicts=2))


def test_the_own_splits_of_a_set_keep_the_order_of_their_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELOPT_DATA", str(tmp_path))
    y = np.array([0, 1, 2, 0, 1, 2])
    np.savez(tmp_path / "mine.npz", X=np.eye(6), y=y, train_splits=[[5, 4, 3, 0]], test_splits=[[2, 1]])
    rows = Rows(name="m", data="mine", plus=[0], minus=[2], first=2)
    data = _data.found(rows)
    ((train, test),) = _data.splits(data, rows, Protocol(own=True, splits=7), 7, 0)
    assert data.X[train].argmax(axis=1).tolist() == [5, 3]
    assert data.X[test].argmax(axis=1).tolist() == [2]


def test_the_two_spirals_wind_around_each_other() -> None:
    data = _made.spiral(400)
    radius = np.hypot(*data.X.T)
    angle = 104.0 * (1.0 - radius / 6.5) * np.pi / 16.0
    along = (data.X * np.column_stack([np.sin(angle), np.cos(angle)])).sum(axis=1)
    assert along / radius == pytest.approx(data.y)
    assert (data.y > 0).sum() == 200
    assert 0.0 < radius.min() < radius.max() <= 6.5


def test_the_kernels_are_those_of_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last step has more: the answer keeps one kernel more than support vectors at most."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 6))
    y = np.where(X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3] > 0.0, 1, -1)
    family = {"name": "cosine", "beta": 0.1, "starts": 64}
    solution = library.solve(X, y, family=family, criterion="svc", tol=1e-3, max_steps=5)
    assert solution.mixture.count < solution.trace[-1].atoms
    monkeypatch.setattr(library, "solve", lambda *_arguments, **_options: solution)
    whole = np.arange(len(X)), np.arange(len(X))
    found = _measure.outcome("classification", _data.Data(X, y, ()), whole, {"criterion": "svc"})
    assert found.values["atoms"] == solution.mixture.count
