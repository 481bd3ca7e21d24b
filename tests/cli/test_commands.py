"""The commands from end to end: what they print, where, and with which exit code."""

import importlib
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

import kernelopt as library
from kernelopt.cli import _job

Call = Callable[..., Any]
QUICK = ("--family", "dictionary:kernels=rbf|linear", "--tol", "0.05", "--no-progress", "--ignore", "place")
ALONE = (*QUICK, "--no-check")
"""No error on new rows is measured, which takes far longer than to learn."""


def test_the_version_is_the_library_s(kernelopt: Call) -> None:
    assert kernelopt("--version").stdout == f"kernelopt {library.__version__}\n"


def test_the_module_runs_as_the_script_does() -> None:
    command = [sys.executable, "-m", "kernelopt", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout == f"kernelopt {library.__version__}\n"


def test_importing_the_command_line_loads_nothing_heavy() -> None:
    code = "import sys, kernelopt.cli; print([m for m in ('typer', 'rich', 'sklearn', 'numpy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout == "[]\n"


def test_plugins_lists_what_is_installed(kernelopt: Call) -> None:
    shown = kernelopt("plugins")
    assert shown.exit_code == 0
    for plugin in library.plugins():
        assert plugin.name in shown.stdout
    assert "dictionary" in shown.stdout


def test_a_broken_plugin_is_listed_with_its_reason(kernelopt: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = attrs.evolve(library.plugins()[0], name="sad", offers=(), reason="ImportError: no module")
    monkeypatch.setattr(library, "plugins", lambda: (broken,))
    shown = kernelopt("plugins")
    assert "sad" in shown.stdout
    assert "broken" in shown.stdout


def test_solve_prints_the_certificate_of_the_solution(kernelopt: Call, table: Path) -> None:
    shown = kernelopt("solve", table, "--target", "kind", *ALONE, "--json")
    assert shown.exit_code == 0, shown.stderr
    told = json.loads(shown.stdout)
    rows = _job.read_job(str(table), "kind", ["place"]).rows
    solution = library.solve(rows.X, rows.y, family={"name": "dictionary", "kernels": ["rbf", "linear"]}, tol=0.05)
    assert told["certificate"]["upper"] == solution.certificate.upper
    assert told["certificate"]["lower"] == solution.certificate.lower
    assert told["status"] == solution.status.name
    assert told["support_vectors"] == len(solution.support)
    assert told["scores"]["training accuracy"] == solution.score(rows.X, rows.y)


def test_solve_prints_a_panel_for_a_reader(kernelopt: Call, table: Path) -> None:
    shown = kernelopt("solve", table, "--target", "kind", *ALONE, "--criterion", "svc:C=10")
    assert shown.exit_code == 0, shown.stderr
    for word in ("status", "CONVERGED", "optimum", "duality gap", "certified", "centre kernel", "dictionary", "effort"):
        assert word in shown.stdout


def test_progress_goes_to_stderr(kernelopt: Call, table: Path) -> None:
    loud = [option for option in QUICK if option != "--no-progress"]
    shown = kernelopt("solve", table, "--target", "kind", *loud, "--json")
    assert "gap" in shown.stderr
    json.loads(shown.stdout)


def test_predictions_are_written_and_scored(kernelopt: Call, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "predictions.csv"
    shown = kernelopt("solve", table, "--target", "kind", *ALONE, "--predict", table, "--out", out)
    assert shown.exit_code == 0, shown.stderr
    assert "accuracy on new rows" in shown.stdout
    lines = out.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "prediction,decision_function"
    assert len(lines) == 41
    assert {line.split(",")[0] for line in lines[1:]} == {"cat", "dog"}


def test_new_rows_need_the_columns_and_not_their_order(kernelopt: Call, table: Path, tmp_path: Path) -> None:
    new, out = tmp_path / "new.csv", tmp_path / "out.csv"
    new.write_text("height,width\n3,3\n0,0\n", encoding="utf-8")
    assert kernelopt("solve", table, "--target", "kind", *ALONE, "--predict", new, "--out", out).exit_code == 0
    assert [line.split(",")[0] for line in out.read_text(encoding="utf-8").splitlines()[1:]] == ["dog", "cat"]


def test_a_checkpoint_is_written_and_gone_on_from(kernelopt: Call, table: Path, tmp_path: Path) -> None:
    file = tmp_path / "run.npz"
    for _ in range(2):
        shown = kernelopt("solve", table, "--target", "kind", *ALONE, "--json", "--checkpoint", file)
        assert shown.exit_code == 0, shown.stderr
        assert file.exists()
    assert json.loads(shown.stdout)["steps"] == 0


def test_an_interrupted_run_prints_its_best_and_says_so_in_its_exit_code(
    kernelopt: Call, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = _job.read_job(str(table), "kind", ["place"]).rows
    family = {"name": "dictionary", "kernels": ["rbf", "linear"]}
    stopped = library.solve(rows.X, rows.y, family=family, tol=1e-9, callback=lambda _: True)
    assert stopped.status is library.Status.INTERRUPTED
    monkeypatch.setattr(library, "solve", lambda *_, **__: stopped)
    shown = kernelopt("solve", table, "--target", "kind", *ALONE)
    assert shown.exit_code == 130
    assert "INTERRUPTED" in shown.stdout


def test_ctrl_c_before_there_is_an_answer_leaves_no_traceback(
    kernelopt: Call, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(library, "solve", interrupted)
    shown = kernelopt("solve", table, "--target", "kind", *ALONE)
    assert shown.exit_code == 130
    assert shown.stderr == "interrupted before there was an answer\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--target", "kinds"), "did you mean 'kind'"),
        (("--target", "kind", *QUICK, "--family", "tkk"), "no family is called 'tkk'"),
        (("--target", "kind", *QUICK, "--criterion", "svc:C=-1"), "C must be a positive finite number"),
        (("--target", "kind", *QUICK, "--criterion", "svc:c"), "wanted key=value"),
        (("--target", "kind", *QUICK, "--tol", "2"), "tol must be a number between 0 and 1"),
        (("--target", "kind", *QUICK, "--scale", "big"), "scale must be"),
        (("--target", "kind", *QUICK, "--max-steps", "-1"), "max_steps must be"),
        (("--target", "kind", *QUICK, "--predict", "new.csv"), "--predict and --out belong together"),
        (("--target", "kind", *QUICK, "--ignore", "colour"), "has no column 'colour'"),
    ],
)
def test_a_mistake_is_one_line_on_stderr_and_exit_code_2(
    kernelopt: Call, table: Path, options: tuple[str, ...], message: str
) -> None:
    shown = kernelopt("solve", table, *options)
    assert shown.exit_code == 2
    assert shown.stdout == ""
    assert shown.stderr.startswith("error: ")
    assert shown.stderr.count("\n") == 1
    assert message in shown.stderr


@pytest.mark.parametrize("seed", [-1, 2**32])
@pytest.mark.parametrize("command", ["solve", "compare", "report", "plot"])
def test_a_seed_that_no_generator_takes_is_told_before_the_work(
    kernelopt: Call, table: Path, tmp_path: Path, command: str, seed: int
) -> None:
    out = {"report": ("--out", tmp_path / "page.html"), "plot": ("--out", tmp_path / "picture.png")}
    shown = kernelopt(command, table, "--target", "kind", *out.get(command, ()), "--seed", seed)
    assert shown.exit_code == 2, shown.exception
    assert shown.stderr == f"error: --seed: got {seed}, wanted a whole number from 0 to 4294967295\n"


PLACES = {
    "in the file of the model": "kernelopt.cli._outcome.keep",
    "in the folds": "kernelopt.cli.judging._measure.measured",
    "in the predictions": "kernelopt.cli._outcome.predictions",
    "in the report": "kernelopt.cli._report.show",
}


@pytest.mark.parametrize("place", PLACES)
def test_ctrl_c_after_the_answer_loses_neither_the_model_nor_the_report(
    kernelopt: Call, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    module, _, name = PLACES[place].rpartition(".")
    honest = getattr(importlib.import_module(module), name)

    def pressed(*arguments: Any, **options: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return honest(*arguments, **options)

    monkeypatch.setattr(PLACES[place], pressed)
    model, out = tmp_path / "model", tmp_path / "out.csv"
    more = ("--save", model, "--predict", table, "--out", out, "--folds", 3)
    shown = kernelopt("solve", table, "--target", "kind", *QUICK, *more)
    assert shown.exit_code == 130, shown.exception
    assert "optimum" in shown.stdout
    assert "before there was an answer" not in shown.stderr
    assert library.load(model).status.converged
    assert out.exists() == (place != "in the predictions")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


PRESSED = """
import signal, sys

class Pressing:
    def find_spec(self, name, *_):
        if name == place:
            signal.raise_signal(signal.SIGINT)

place = sys.argv.pop(1)
sys.meta_path.insert(0, Pressing())
import kernelopt.cli
try:
    kernelopt.cli.main()
finally:
    print("numpy" in sys.modules)
"""


@pytest.mark.parametrize("place", ["kernelopt.cli._app", "kernelopt.cli._report", "scipy.linalg"])
def test_ctrl_c_while_the_command_is_loaded_is_one_sentence(table: Path, place: str) -> None:
    """While the list of commands is loaded, it is heeded before what the command itself needs."""
    command = [sys.executable, "-c", PRESSED, place, "solve", str(table), "--target", "kind", *QUICK]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout) == (130, f"{place != 'kernelopt.cli._app'}\n")
    assert done.stderr == "interrupted before there was an answer\n"


def test_folders_that_do_not_exist_are_told_before_the_work(kernelopt: Call, table: Path, tmp_path: Path) -> None:
    lost = tmp_path / "nowhere" / "file"
    for options in (("--predict", table, "--out", lost), ("--checkpoint", lost), ("--save", lost)):
        shown = kernelopt("solve", table, "--target", "kind", *ALONE, *options)
        assert shown.exit_code == 2
        assert "does not exist" in shown.stderr


@pytest.mark.parametrize("option", ["--out", "--checkpoint", "--save"])
@pytest.mark.parametrize("place", ["a folder", "a name that is too long"])
def test_places_where_nothing_can_be_written_are_told_before_the_work(
    kernelopt: Call, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str, place: str
) -> None:
    def worked(*_: object, **__: object) -> None:
        raise AssertionError("the work was begun")

    monkeypatch.setattr(library, "solve", worked)
    path = tmp_path if place == "a folder" else tmp_path / ("n" * 300)
    predict = ("--predict", table) if option == "--out" else ()
    shown = kernelopt("solve", table, "--target", "kind", *ALONE, *predict, option, path)
    assert shown.exit_code == 2, shown.exception
    assert shown.stderr.startswith(f"error: {option}: {path} cannot be written: ")
    assert shown.stderr.count("\n") == 1


@pytest.mark.parametrize("error", [library.NotEnoughMemory, library.BrokenPlugin])
def test_what_no_user_can_put_right_has_exit_code_1(
    kernelopt: Call, table: Path, monkeypatch: pytest.MonkeyPatch, error: type[library.KerneloptError]
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise error("40 rows would take 9 GiB")

    monkeypatch.setattr(library, "solve", refuse)
    shown = kernelopt("solve", table, "--target", "kind", *ALONE)
    assert shown.exit_code == 1
    assert shown.stderr == "error: 40 rows would take 9 GiB\n"


def test_the_end_of_memory_is_one_line(kernelopt: Call, table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(library, "solve", ended)
    shown = kernelopt("solve", table, "--target", "kind", *ALONE)
    assert shown.exit_code == 1
    assert shown.stderr.startswith("error: there was not enough memory while the command was carried out")
    assert shown.stderr.count("\n") == 1


def test_solve_tells_the_errors_of_folds(kernelopt: Call, table: Path) -> None:
    shown = kernelopt("solve", table, "--target", "kind", *QUICK, "--folds", 4, "--json")
    assert shown.exit_code == 0, shown.stderr
    folds = json.loads(shown.stdout)["folds"]
    beside = kernelopt("compare", table, "--target", "kind", *QUICK, "--folds", 4, "--json")
    assert folds["errors"] == [trial["error"] for trial in json.loads(beside.stdout)["entries"][0]["trials"]]
    assert folds["measure"] == "wrong labels"
    assert "4 folds" in kernelopt("solve", table, "--target", "kind", *QUICK, "--folds", 4).stdout


def test_novelty_detection_needs_no_target(kernelopt: Call, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    options = ("--criterion", "one-class:nu=0.3", "--ignore", "place", "--ignore", "kind", "--no-progress")
    shown = kernelopt("solve", table, *options, "--family", "gaussian", "--predict", table, "--out", out)
    assert shown.exit_code == 0, shown.stderr
    assert len(out.read_text(encoding="utf-8").splitlines()) == 41


def test_novelty_detection_needs_no_family_and_says_what_it_took(kernelopt: Call, table: Path) -> None:
    options = ("--criterion", "one-class", "--ignore", "place", "--ignore", "kind", "--no-progress", "--json")
    shown = kernelopt("solve", table, *options)
    assert shown.exit_code == 0, shown.stderr
    told = json.loads(shown.stdout)
    assert any("on standardised columns was taken" in note for note in told["notes"])
    assert told["scores"] == {}


def test_a_missing_target_is_asked_for_with_the_names_there_are(kernelopt: Call, table: Path) -> None:
    shown = kernelopt("solve", table)
    assert shown.exit_code == 2
    assert "--target: name the column to learn" in shown.stderr
    assert "width, height, place, kind" in shown.stderr


def test_json_of_plugins_and_compatibility_is_what_the_library_says(kernelopt: Call) -> None:
    told = json.loads(kernelopt("plugins", "--json").stdout)["plugins"]
    assert [(one["name"], one["broken"]) for one in told] == [(one.name, one.broken) for one in library.plugins()]
    options = ("--family", "hyperkernel", "--family", "tk", "--criterion", "svc", "--criterion", "alignment")
    cells = json.loads(kernelopt("compatibility", *options, "--json").stdout)["cells"]
    assert cells == [
        {**attrs.asdict(cell), "solves": cell.solves}
        for cell in library.compatibility(["hyperkernel", "tk"], None, ["svc", "alignment"])
    ]


def test_compatibility_tells_each_reason_once_and_covers_every_refusal(kernelopt: Call) -> None:
    from kernelopt.cli._compatibility import reasons

    table = library.compatibility(["hyperkernel", "tk", "cosine"], ["smo", "working-set", "fw"], None)
    lines = list(reasons(table))
    for cell in table.refused:
        why = str(cell.reason).split(": ", 1)[-1]
        (line,) = (line for line in lines if why in line)
        assert cell.family in line or "every family" in line
        assert cell.solver in line or "every solver" in line
        assert cell.criterion in line or "every criterion" in line
    assert len(lines) == len({str(cell.reason).split(": ", 1)[-1] for cell in table.refused})
    shown = kernelopt("compatibility", "--family", "tk", "--solver", "smo", "--solver", "fw")
    assert "(yes)" in shown.stdout


def test_json_holds_null_where_a_number_is_not_finite(capsys: pytest.CaptureFixture[str]) -> None:
    from kernelopt.cli import _json

    _json.show({"a": float("inf"), "b": [float("nan"), 1.5], "c": ("x", None)})
    assert json.loads(capsys.readouterr().out) == {"a": None, "b": [None, 1.5], "c": ["x", None]}


def test_the_demo_speaks_json_too(kernelopt: Call) -> None:
    shown = kernelopt("demo", "--quick", "--no-progress", "--json")
    assert shown.exit_code == 0, shown.stderr
    told = json.loads(shown.stdout)
    ours, *others = (one["machine"] for one in told["check"]["machines"])
    assert (ours, len(others)) == ("learned kernel", 3)
    assert told["certificate"]["relative_gap"] < 0.01
    assert any('the list "auto" was taken' in note for note in told["notes"])


def test_novelty_detection_leaves_the_format_s_own_target_out() -> None:
    rows = _job.read_job("dataset:iris", criterion={"name": "one-class", "nu": 0.2}).rows
    assert rows.y is None
    assert rows.X.shape == (150, 4)


@pytest.mark.parametrize("room", [1, 20, 33, 500])
def test_families_are_told_in_parts_that_fit(room: int) -> None:
    from kernelopt.cli._compatibility import _parts

    names = library.families()
    parts = list(_parts(names, room))
    assert tuple(name for part in parts for name in part) == names
    assert all(len(part) == 1 or sum(map(len, part)) < room for part in parts)
