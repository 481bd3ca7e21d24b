"""A folder of Parquet files is one table, for every command that reads one."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kernelopt import InvalidData
from kernelopt.cli.reading._read import read

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
Call = Callable[..., Any]
LEARN = ("--target", "kind", "--family", "gaussian", "--solver", "fw", "--no-progress", "--json")


@pytest.fixture
def folder(table: Path, tmp_path: Path) -> Path:
    """The rows of the table in three files, with the columns in another order in the last one, and a file beside."""
    frame = pd.read_csv(table)
    path = tmp_path / "parts.parquet"
    path.mkdir()
    for k, part in enumerate(np.array_split(np.arange(len(frame)), 3)):
        columns = frame.columns[:: -1 if k == 2 else 1]
        frame.loc[part, columns].to_parquet(path / f"part-{k}.parquet", index=False)
    (path / "_SUCCESS").touch()
    return path


def test_its_rows_are_those_of_the_files_in_order(folder: Path, table: Path) -> None:
    whole, parts = read(str(table)), read(str(folder))
    assert parts.names == whole.names
    assert parts.source == str(folder)
    assert parts.target("kind").tolist() == whole.target("kind").tolist()
    np.testing.assert_array_equal(
        parts.rows(("width", "height")).numbers, whole.rows(("width", "height")).numbers, strict=True
    )


def test_every_command_reads_it(kernelopt: Call, folder: Path, table: Path, tmp_path: Path) -> None:
    model, out = tmp_path / "model.kernelopt", tmp_path / "out.csv"
    shown = kernelopt("solve", folder, *LEARN, "--no-check", "--save", model, "--predict", folder, "--out", out)
    beside = kernelopt("solve", table, *LEARN, "--no-check")
    assert shown.exit_code == 0, shown.stderr
    assert json.loads(shown.stdout)["certificate"] == json.loads(beside.stdout)["certificate"]
    assert kernelopt("predict", model, folder).stdout == out.read_text(encoding="utf-8")
    shown = kernelopt("compare", folder, *LEARN, "--folds", 2)
    assert shown.exit_code == 0, shown.stderr
    pytest.importorskip("matplotlib")
    for arguments in ((folder, *LEARN), (model, "--rows", folder, "--target", "kind")):
        shown = kernelopt("plot", *arguments, "--out", tmp_path / "picture.png")
        assert shown.exit_code == 0, shown.stderr


@pytest.mark.parametrize(
    ("second", "rows"),
    [
        ({"x": [0.5, 1.5], "y": ["a", "b"]}, [1.0, 2.0, 0.5, 1.5]),
        ({"x": [None, None], "y": ["a", "b"]}, [1.0, 2.0, np.nan, np.nan]),
        ({"z": [1, 2], "x": [3, 4], "y": ["a", "b"]}, [1.0, 2.0, 3.0, 4.0]),
    ],
    ids=["fractions", "all missing", "a column more"],
)
def test_columns_that_differ_little_are_one(tmp_path: Path, second: dict[str, Any], rows: list[float]) -> None:
    pd.DataFrame({"x": [1, 2], "y": ["a", "b"]}).to_parquet(tmp_path / "a.parquet")
    pd.DataFrame(second).to_parquet(tmp_path / "b.pq")
    table = read(str(tmp_path))
    assert table.names == ("x", "y")
    np.testing.assert_array_equal(table.rows(("x",)).numbers[:, 0], rows)


@pytest.mark.parametrize(
    ("second", "told"),
    [
        ({"x": [0.5]}, "b.parquet has no column 'y', and .*a.parquet has"),
        ({"x": ["red"], "y": ["a"]}, "a.parquet and 1 more: the files hold different types in one column"),
    ],
)
def test_files_that_do_not_go_together_are_refused(tmp_path: Path, second: dict[str, Any], told: str) -> None:
    pd.DataFrame({"x": [1], "y": ["a"]}).to_parquet(tmp_path / "a.parquet")
    pd.DataFrame(second).to_parquet(tmp_path / "b.parquet")
    with pytest.raises(InvalidData, match=told):
        read(str(tmp_path))


def test_a_folder_of_csv_files_is_refused_in_one_sentence(kernelopt: Call, table: Path, tmp_path: Path) -> None:
    for arguments in (("solve", table.parent), ("compare", table.parent), ("plot", table.parent, "--out", "a.png")):
        shown = kernelopt(*arguments, "--target", "kind", "--criterion", "svc")
        assert shown.exit_code == 2
        assert shown.stderr.count("\n") == 1
        assert f"error: {tmp_path} is a folder without Parquet files (.parquet, .pq)" in shown.stderr
