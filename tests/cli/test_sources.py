"""Tables from standard input, pipes and packed files, wherever the command line reads one."""

import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from kernelopt.cli._app import app

pd = pytest.importorskip("pandas")
Call = Callable[..., Any]
LEARN = ("--target", "kind", "--family", "gaussian", "--solver", "fw", "--no-progress", "--json", "--no-check")


@pytest.fixture
def written(table: Path, tmp_path: Path) -> Path:
    """The table as pandas writes it, packed."""
    frame = pd.read_csv(table)
    frame.sample(frac=1.0, random_state=0).to_csv(tmp_path / "data.csv.gz")
    return tmp_path / "data.csv.gz"


def piped(content: bytes, *arguments: object) -> Any:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=content)


def test_a_packed_table_with_an_index_is_learned_from(kernelopt: Call, written: Path) -> None:
    shown = kernelopt("solve", written, *LEARN)
    assert shown.exit_code == 0, shown.stderr
    assert "an index, which was left out" in json.loads(shown.stdout)["notes"][0]


def test_standard_input_is_the_file(kernelopt: Call, written: Path) -> None:
    beside, shown = kernelopt("solve", written, *LEARN), piped(written.read_bytes(), "solve", "-", *LEARN)
    assert shown.exit_code == 0, shown.stderr
    assert json.loads(shown.stdout)["certificate"] == json.loads(beside.stdout)["certificate"]
    assert (
        "standard input" in piped(gzip.decompress(written.read_bytes()), "solve", "-", *LEARN[:-2], "--no-check").stdout
    )


def test_predict_compare_and_plot_read_it_too(kernelopt: Call, written: Path, tmp_path: Path) -> None:
    model, content = tmp_path / "model.kernelopt", written.read_bytes()
    out = tmp_path / "out.csv"
    shown = piped(content, "solve", written, *LEARN, "--save", model, "--predict", "-", "--out", out)
    assert shown.exit_code == 0, shown.stderr
    assert json.loads(shown.stdout)["scores"]["accuracy on new rows"] > 0.5
    shown = piped(content, "predict", model, "-", "--target", "kind")
    assert shown.exit_code == 0, shown.stderr
    assert shown.stdout == out.read_text(encoding="utf-8")
    assert "wrong labels" in shown.stderr
    assert "note: data: the first column of standard input has no name and counts the rows" in shown.stderr
    shown = piped(content, "compare", "-", *LEARN[:-1], "--folds", 2)
    assert shown.exit_code == 0, shown.stderr
    assert json.loads(shown.stdout)["entries"][0]["trials"]
    assert "an index, which was left out" in shown.stderr
    pytest.importorskip("matplotlib")
    shown = piped(content, "plot", model, "--rows", "-", "--target", "kind", "--out", tmp_path / "p.png")
    assert shown.exit_code == 0, shown.stderr
    shown = piped(content, "plot", "-", *LEARN[:-1], "--out", tmp_path / "q.png")
    assert shown.exit_code == 0, shown.stderr


def test_standard_input_holds_one_table(kernelopt: Call, tmp_path: Path) -> None:
    shown = kernelopt("solve", "-", "--predict", "-", "--out", tmp_path / "out.csv", "--target", "kind")
    assert shown.exit_code == 2
    assert "data and --predict: both are '-', and standard input holds one table" in shown.stderr


def test_an_empty_pipe_is_said_to_be_empty() -> None:
    shown = piped(b"", "solve", "-", "--target", "kind")
    assert (shown.exit_code, shown.stdout) == (2, "")
    assert shown.stderr == "error: standard input is empty, wanted a header line and rows below it\n"


def test_one_suggestion_leaves_out_all_columns_that_cannot_be_used(kernelopt: Call, table: Path) -> None:
    frame = pd.read_csv(table).assign(**{"its size": float("inf"), "price": "1,234"})
    frame.to_csv(table)
    shown = kernelopt("solve", table, *LEARN)
    assert shown.exit_code == 2
    assert shown.stderr.count("\n") == 1
    told = shown.stderr.rpartition("or leave them out with ")[2].strip()
    assert told == "--ignore 'its size' --ignore price"
    shown = kernelopt("solve", table, *LEARN, "--ignore", "its size", "--ignore", "price")
    assert shown.exit_code == 0, shown.stderr


def test_arrays_in_cells_of_parquet_are_left_out_by_one_suggestion(kernelopt: Call, table: Path) -> None:
    pytest.importorskip("pyarrow")
    path = table.with_suffix(".parquet")
    tags = pd.Series([[k, k + 1] for k in range(40)])
    frame = pd.read_csv(table).assign(first=tags, last=tags)
    frame.sample(frac=1.0, random_state=0).to_parquet(path)
    shown = kernelopt("solve", path, *LEARN)
    assert shown.exit_code == 2
    assert shown.stderr.rstrip().endswith("or leave them out with --ignore first --ignore last")
    shown = kernelopt("solve", path, *LEARN, "--ignore", "first", "--ignore", "last")
    assert shown.exit_code == 0, shown.stderr
    assert "an index of pandas, was left out" in json.loads(shown.stdout)["notes"][0]


def test_all_columns_that_are_not_there_are_named_at_once(kernelopt: Call, table: Path) -> None:
    shown = kernelopt("solve", table, "--target", "knd", "--ignore", "colour", "--ignore", "widht")
    assert shown.exit_code == 2
    assert "lacks 3 columns: 'knd' (did you mean 'kind'?), 'colour', 'widht' (did you mean 'width'?)" in shown.stderr


def test_a_model_that_knows_a_column_as_pandas_reads_it_finds_it(kernelopt: Call, table: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(table)
    text = frame.to_csv()
    import kernelopt as library

    learned = pd.read_csv(io.StringIO(text))
    assert "Unnamed: 0" in learned
    solution = library.solve(learned.drop(columns="kind"), learned["kind"], family="gaussian", solver="fw")
    solution.named(tuple(learned.drop(columns="kind"))).save(tmp_path / "model")
    (tmp_path / "new.csv").write_text(text, encoding="utf-8")
    shown = kernelopt("predict", tmp_path / "model", tmp_path / "new.csv")
    assert shown.exit_code == 0, shown.stderr
