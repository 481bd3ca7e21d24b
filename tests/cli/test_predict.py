"""A model from `solve --save` says of a file what the solution said, to the bit."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

import kernelopt as library
from kernelopt._prediction._predictor import Predictor

Call = Callable[..., Any]
FEW = ("--family", "dictionary:kernels=rbf|linear")
QUICK = ("--target", "kind", "--ignore", "place", *FEW, "--tol", "0.05")


def test_it_says_what_solve_said_to_the_bit(kernelopt: Call, table: Path, tmp_path: Path, model: Path) -> None:
    out = tmp_path / "out.csv"
    assert (
        kernelopt("solve", table, *QUICK, "--no-progress", "--no-check", "--predict", table, "--out", out).exit_code
        == 0
    )
    shown = kernelopt("predict", model, table)
    assert shown.exit_code == 0, shown.stderr
    assert shown.stdout == out.read_text(encoding="utf-8")
    assert kernelopt("predict", model, table, "--out", "-").stdout == shown.stdout
    assert kernelopt("predict", model, table, "--out", out.with_suffix(".two")).stdout == ""
    assert out.with_suffix(".two").read_text(encoding="utf-8") == shown.stdout


def test_columns_are_found_by_name(kernelopt: Call, tmp_path: Path, model: Path) -> None:
    (tmp_path / "new.csv").write_text("colour,height,width\nred,3,2.5\nblue,0.5,0\n", encoding="utf-8")
    told = json.loads(kernelopt("predict", model, tmp_path / "new.csv", "--json").stdout)
    machine = library.load(model)
    assert machine.columns == ("width", "height")
    assert told["decision_function"] == machine.decision_function([[2.5, 3.0], [0.0, 0.5]]).tolist()
    assert told["prediction"] == ["dog", "cat"]
    assert told["errors"] == {}


def test_the_right_answers_give_the_error(kernelopt: Call, tmp_path: Path, model: Path) -> None:
    (tmp_path / "new.csv").write_text("width,height,kind\n3,3,dog\n3,3,dog\n0,0,dog\n0,0,cat\n", encoding="utf-8")
    shown = kernelopt("predict", model, tmp_path / "new.csv", "--target", "kind", "--json")
    assert json.loads(shown.stdout)["errors"] == {"wrong labels": 0.25}
    assert "wrong labels: 0.25" in shown.stderr


def test_numbers_and_several_classes(kernelopt: Call, tmp_path: Path) -> None:
    path = tmp_path / "m.kernelopt"
    options = (*FEW, "--max-steps", 1, "--no-progress", "--no-check", "--save", path)
    assert kernelopt("solve", "dataset:diabetes", *options, "--criterion", "ridge").exit_code == 0
    data = library.datasets.load("diabetes")
    told = json.loads(kernelopt("predict", path, "dataset:diabetes", "--json").stdout)
    error = np.sqrt(np.mean((np.array(told["prediction"]) - data.y) ** 2))
    assert told["errors"] == {"root mean squared error": pytest.approx(error)}
    assert kernelopt("solve", "dataset:iris", *options).exit_code == 0
    head, *lines = kernelopt("predict", path, "dataset:iris").stdout.splitlines()
    assert head == "prediction,decision_function setosa,decision_function versicolor,decision_function virginica"
    for line in lines:
        label, *values = line.split(",")
        assert label == ("setosa", "versicolor", "virginica")[int(np.argmax([float(value) for value in values]))]


def test_probabilities_of_classes_and_deviations_of_numbers_stand_beside_the_predictions(
    kernelopt: Call, write: Callable[..., Path], tmp_path: Path
) -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=60)
    lines = [f"{value:.6f},{'abc'[int(value > -0.4) + int(value > 0.4)]},{2 * value:.6f}" for value in x]
    path = write("\n".join(["x,word,number", *lines]))
    model, out = tmp_path / "m.kernelopt", tmp_path / "out.csv"
    quick = ("--criterion", "evidence:effort=quick", "--no-progress", "--no-check", "--save", model)
    new = ("--predict", path, "--out", out)
    assert kernelopt("solve", path, "--target", "word", "--ignore", "number", *quick, *new).exit_code == 0
    shown = kernelopt("predict", model, path)
    told = json.loads(kernelopt("predict", model, path, "--json").stdout)
    assert shown.stdout == out.read_text(encoding="utf-8")
    classes = np.array(["a", "b", "c"])
    names = [f"probability {label}" for label in classes]
    assert list(told)[-4:-1] == names
    shares = np.column_stack([told[name] for name in names])
    np.testing.assert_array_equal(shares, library.load(model).predict_proba(x.round(6)[:, None]))
    np.testing.assert_array_equal(classes[shares.argmax(axis=1)], told["prediction"])
    assert kernelopt("solve", path, "--target", "number", "--ignore", "word", *quick).exit_code == 0
    told = json.loads(kernelopt("predict", model, path, "--json").stdout)
    wanted = library.load(model).predict(x.round(6)[:, None], return_std=True)
    np.testing.assert_array_equal((told["prediction"], told["standard_deviation"]), wanted)


def test_words_as_answers_to_a_model_of_numbers_are_refused(kernelopt: Call, tmp_path: Path) -> None:
    path, new = tmp_path / "m.kernelopt", tmp_path / "new.csv"
    library.solve(np.eye(4), np.arange(4.0), criterion="ridge", family="dictionary", max_steps=1).save(path)
    new.write_text("a,b,c,d,late\n1,2,3,4,yes\n", encoding="utf-8")
    shown = kernelopt("predict", path, new, "--target", "late")
    assert shown.exit_code == 2
    assert shown.stderr == "error: --target: 'late' holds words, such as 'yes'; the model predicts numbers\n"


def test_several_targets_have_columns_of_their_own(kernelopt: Call, write: Callable[..., Path], tmp_path: Path) -> None:
    X = np.linspace(-1.0, 1.0, 20)[:, None]
    solution = library.solve(X, np.hstack([X, X**2]), criterion="evidence", family="dictionary", max_steps=5)
    solution.save(tmp_path / "m.kernelopt")
    path, out = write("x\n0.5\n0.25\n"), tmp_path / "out.csv"
    shown = kernelopt("predict", tmp_path / "m.kernelopt", path, "--out", out)
    assert shown.exit_code == 0, shown.stderr
    assert "2 predictions written" in shown.stderr
    head = out.read_text(encoding="utf-8").splitlines()[0]
    assert head == "decision_function 0,decision_function 1,standard_deviation 0,standard_deviation 1"
    shown = kernelopt("predict", tmp_path / "m.kernelopt", write("x,y\n0.5,1\n"), "--target", "y")
    assert "note: targets: the model predicts several targets, so no error is measured with column 'y'" in shown.stderr


def test_a_model_without_names_takes_columns_in_their_order(kernelopt: Call, tmp_path: Path, model: Path) -> None:
    machine = library.load(model)
    path = tmp_path / "nameless.kernelopt"
    kernel = attrs.evolve(machine.kernel, names=())
    attrs.evolve(machine, predictor=attrs.evolve(machine.predictor, kernel=kernel)).save(path)
    (tmp_path / "new.csv").write_text("a,b,kind\n2.5,3,dog\n", encoding="utf-8")
    told = json.loads(kernelopt("predict", path, tmp_path / "new.csv", "--target", "kind", "--json").stdout)
    assert told["decision_function"] == machine.decision_function([[2.5, 3.0]]).tolist()
    shown = kernelopt("predict", path, tmp_path / "new.csv")
    assert shown.exit_code == 2
    assert "has 3 columns, the model wants 2" in shown.stderr


def test_what_is_no_model_is_refused_in_one_line(kernelopt: Call, table: Path, tmp_path: Path, model: Path) -> None:
    for path in (table, tmp_path / "none.kernelopt"):
        shown = kernelopt("predict", path, table)
        assert shown.exit_code == 2
        assert shown.stderr.startswith("error: ")
        assert shown.stderr.count("\n") == 1
    shown = kernelopt("predict", model, "dataset:iris")
    assert shown.exit_code == 2
    assert "lacks 2 columns: 'width', 'height'" in shown.stderr


def test_folders_that_do_not_exist_are_told_before_the_work(kernelopt: Call, table: Path, tmp_path: Path) -> None:
    shown = kernelopt("solve", table, *QUICK, "--save", tmp_path / "nowhere" / "m.kernelopt")
    assert shown.exit_code == 2
    assert "--save: the folder" in shown.stderr


@pytest.mark.parametrize(
    "options", [("solve", "--save", "-"), ("solve", "--predict", "{}", "--out", "-"), ("report", "--out", "-")]
)
def test_no_file_of_the_name_of_a_stream_is_written(
    kernelopt: Call, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    command, *rest = (one.format(table) for one in options)
    shown = kernelopt(command, table, *QUICK, *rest)
    assert shown.exit_code == 2
    assert "got '-', wanted the name of a file" in shown.stderr
    assert not Path("-").exists()


def test_labels_of_another_kind_are_wrong_and_no_crash(kernelopt: Call, tmp_path: Path, model: Path) -> None:
    (tmp_path / "new.csv").write_text("width,height,kind\n3,3,1\n0,0,2\n", encoding="utf-8")
    shown = kernelopt("predict", model, tmp_path / "new.csv", "--target", "kind", "--json")
    assert json.loads(shown.stdout)["errors"] == {"wrong labels": 1.0}
    assert "holds none of the classes that were learned, such as 'cat', but values such as 1" in shown.stderr
    (tmp_path / "new.csv").write_text("width,height,kind\n3,3,cat\n0,0,rat\n", encoding="utf-8")
    assert "holds none" not in kernelopt("predict", model, tmp_path / "new.csv", "--target", "kind").stderr


def test_a_prediction_computes_the_kernel_once_and_shows_how_far_it_is(
    kernelopt: Call, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "new.csv").write_text("width,height\n2.5,3\n1,2\n", encoding="utf-8")
    asked, values = [], Predictor.decision_function

    def counted(self: Predictor, Z: Any, *arguments: Any) -> Any:
        asked.append(len(Z))
        return values(self, Z, *arguments)

    monkeypatch.setattr(Predictor, "decision_function", counted)
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = kernelopt("predict", model, tmp_path / "new.csv")
    assert shown.exit_code == 0, shown.stderr
    assert "predicting" in shown.stderr
    assert asked.count(2) == 1  # and once for the row that tests the model when it is loaded
    quiet = kernelopt("predict", model, tmp_path / "new.csv", "--no-progress")
    assert quiet.stdout == shown.stdout
    assert "predicting" not in quiet.stderr


def test_a_prediction_loads_nothing_that_only_learning_needs(table: Path, model: Path) -> None:
    code = """
import sys
from contextlib import suppress
from kernelopt.cli import main
sys.argv = ["kernelopt", "predict", *sys.argv[1:]]
with suppress(SystemExit):
    main()
print([m for m in ("numba", "sklearn.model_selection", "kernelopt.sklearn") if m in sys.modules])
"""
    command = [sys.executable, "-c", code, str(model), str(table), "--out", str(table.with_name("out.csv"))]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout == "[]\n", done.stderr


def test_intervals_are_those_of_the_model(kernelopt: Call, tmp_path: Path) -> None:
    path = tmp_path / "m.kernelopt"
    options = (*FEW, "--criterion", "evidence", "--max-steps", 1, "--no-progress", "--no-check", "--save", path)
    assert kernelopt("solve", "dataset:diabetes", *options).exit_code == 0
    told = json.loads(kernelopt("predict", path, "dataset:diabetes", "--interval", 0.8, "--json").stdout)
    lower, upper = library.load(path).predict_interval(library.datasets.load("diabetes").X, 0.8)
    assert told["lower"] == lower.tolist()
    assert told["upper"] == upper.tolist()
    assert "lower" not in json.loads(kernelopt("predict", path, "dataset:diabetes", "--json").stdout)
    for share in (95, 0, 1):
        wrong = kernelopt("predict", path, "dataset:diabetes", "--interval", share)
        assert wrong.exit_code == 2
        assert f"--interval must be a number between 0 and 1, got {float(share)}; 0.95 asks for 95 %" in wrong.stderr


def test_a_model_without_deviations_has_no_intervals(kernelopt: Call, table: Path, model: Path) -> None:
    shown = kernelopt("predict", model, table, "--interval", 0.95)
    assert shown.exit_code == 2
    assert "--interval: only a regression with the evidence has standard deviations" in shown.stderr


def test_a_word_among_numbers_is_told_with_its_file(kernelopt: Call, tmp_path: Path, model: Path) -> None:
    """The words beside it are numbers that were read as words because of it."""
    (tmp_path / "new.csv").write_text("colour,height,width\nred,3,2.5\nblue,0.5,oops\n", encoding="utf-8")
    shown = kernelopt("predict", model, tmp_path / "new.csv")
    assert shown.exit_code == 2
    assert "new.csv: column 'width' holds 'oops', wanted numbers as in training" in " ".join(shown.stderr.split())


def test_a_model_of_usual_rows_measures_no_error(kernelopt: Call, write: Callable[..., Path], tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(30, 1))
    library.solve(X, criterion="one-class", family="dictionary", max_steps=5).save(tmp_path / "m.kernelopt")
    shown = kernelopt("predict", tmp_path / "m.kernelopt", write("x,kind\n0.5,odd\n"), "--target", "kind")
    assert shown.exit_code == 0, shown.stderr
    assert (
        "note: targets: the model says how usual rows are, so no error is measured with column 'kind'" in shown.stderr
    )
    assert "counts as wrong" not in shown.stderr
