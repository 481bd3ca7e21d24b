"""One table in every format gives the same rows; what is wrong with a file is said in one line."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

import kernelopt
from kernelopt import InvalidData
from kernelopt.cli.reading._read import read
from kernelopt.cli.reading._tables import Table

X = np.array([[0.0, 1.5, -2.0], [3.0, 0.0, 0.25], [1.0, 1.0, 0.0]])
Y = np.array([1, -1, 1])


def csv(path: Path) -> Path:
    rows = ["x1,x2,x3,y", *(",".join(map(str, [*x, label])) for x, label in zip(X.tolist(), Y.tolist(), strict=True))]
    path.with_suffix(".csv").write_text("\n".join(rows), encoding="utf-8")
    return path.with_suffix(".csv")


def svmlight(path: Path) -> Path:
    dump_svmlight_file(X, Y, str(path.with_suffix(".svm")), zero_based=False)
    return path.with_suffix(".svm")


def npz(path: Path) -> Path:
    np.savez(path.with_suffix(".npz"), X=X, y=Y, names=["x1", "x2", "x3"])
    return path.with_suffix(".npz")


def parquet(path: Path) -> Path:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = {f"x{j + 1}": X[:, j] for j in range(3)}
    parquet.write_table(pyarrow.table({**columns, "y": Y}), path.with_suffix(".parquet"))
    return path.with_suffix(".parquet")


@pytest.mark.parametrize("write", [csv, svmlight, npz, parquet])
def test_every_format_gives_the_same_rows(write: Any, tmp_path: Path) -> None:
    table = read(str(write(tmp_path / "data")))
    assert table.others(["y"]) == ("x1", "x2", "x3")
    np.testing.assert_array_equal(table.rows(("x1", "x2", "x3")).numbers, X)
    np.testing.assert_array_equal(table.rows(("x3", "x1")).numbers, X[:, [2, 0]])
    assert table.target("y").tolist() == Y.tolist()
    assert table.target("y").dtype.kind == "i"
    with pytest.raises(kernelopt.InvalidData, match="has no column 'x9'; did you mean"):
        table.index("x9")


@pytest.mark.parametrize("write", [svmlight, npz])
def test_formats_with_a_target_of_their_own_say_so(write: Any, tmp_path: Path) -> None:
    assert read(str(write(tmp_path / "data"))).own_target == "y"


def test_a_data_set_is_read_by_name() -> None:
    table = read("dataset:iris")
    assert table.rows(table.others(["y"])).shape == (150, 4)
    assert table.names == ("sepal length (cm)", "sepal width (cm)", "petal length (cm)", "petal width (cm)", "y")
    assert set(table.target("y")) == {"setosa", "versicolor", "virginica"}


def test_what_svmlight_leaves_out_is_zero_in_another_file_too(tmp_path: Path) -> None:
    (tmp_path / "short.svm").write_text("1 1:2.5\n-1 1:0.5\n")
    table = read(str(tmp_path / "short.svm"))
    np.testing.assert_array_equal(table.rows(("x1", "x7")).numbers, [[2.5, 0.0], [0.5, 0.0]])


def test_svmlight_has_no_columns_of_other_names(tmp_path: Path) -> None:
    """A model of a table with names would see zeros everywhere."""
    (tmp_path / "short.svm").write_text("1 1:2.5\n-1 1:0.5\n")
    table = read(str(tmp_path / "short.svm"))
    table.require(("x1", "x7"))
    with pytest.raises(InvalidData, match="has no column 'age'"):
        table.require(("x1", "age"))


def test_svmlight_counts_from_where_the_file_does(tmp_path: Path) -> None:
    (tmp_path / "zero.svm").write_text("1 0:2 1:3\n-1 0:4\n")
    table = read(str(tmp_path / "zero.svm"))
    np.testing.assert_array_equal(table.rows(table.others(["y"])).numbers, [[2.0, 3.0], [4.0, 0.0]])
    assert table.names == ("x0", "x1", "y")


def test_parquet_says_whether_whole_targets_are_integers(tmp_path: Path) -> None:
    table = of_parquet(tmp_path, {"a": [1, 2], "y": [3.0, 4.0], "z": [3, 4]})
    assert table.target("y").dtype.kind == "f"
    assert table.target("z").dtype.kind == "i"


def test_words_in_parquet_are_categories_or_the_target(tmp_path: Path) -> None:
    table = of_parquet(tmp_path, {"a": [1, 2], "b": ["red", "blue"], "c": [True, False]})
    assert table.target("b").tolist() == ["red", "blue"]
    np.testing.assert_array_equal(table.rows(("a", "c")).numbers, [[1.0, 1.0], [2.0, 0.0]])
    assert table.rows(("a", "b")).labels[1].values == ("red", "blue")


def test_categories_and_decimals_of_parquet_are_plain_columns(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    columns = {
        "word": pyarrow.array(["x", "y", "x"]).dictionary_encode(),
        "money": pyarrow.array([1, 2, 3]).cast(pyarrow.decimal128(25, 2)),
    }
    table = of_parquet(tmp_path, columns)
    assert table.target("word").tolist() == ["x", "y", "x"]
    assert table.rows(("word",)).labels[0].values == ("x", "y", "x")
    np.testing.assert_array_equal(table.rows(("money",)).numbers, [[1.0], [2.0], [3.0]])


@pytest.mark.parametrize("column", [[1, None], [1.0, None], [True, None]])
def test_a_missing_cell_of_parquet_is_a_gap_and_no_target(tmp_path: Path, column: list[Any]) -> None:
    table = of_parquet(tmp_path, {"a": column, "y": ["p", None]})
    np.testing.assert_array_equal(table.rows(("a",)).numbers, [[1.0], [np.nan]])
    with pytest.raises(kernelopt.InvalidData, match="row 2: the target 'y' is missing"):
        table.target("y")
    with pytest.raises(kernelopt.InvalidData, match="row 2: the target 'a' is missing"):
        table.target("a")


def test_without_pyarrow_one_sentence_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "data.parquet").write_bytes(b"PAR1")
    with pytest.raises(kernelopt.MissingLibrary, match=r"Parquet needs pyarrow.*pip install pyarrow"):
        read(str(tmp_path / "data.parquet"))


@pytest.mark.parametrize("name", ["data.csv", "data.npz", "data.svm", "data.parquet", "folder/data.svmlight"])
def test_a_file_that_is_not_there_is_said_not_to_be(tmp_path: Path, name: str) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    with pytest.raises(kernelopt.InvalidData, match="there is no such file"):
        read(str(tmp_path / name))


@pytest.mark.parametrize(
    ("name", "kind"), [("data.npz", "npz file"), ("data.svm", "svmlight file"), ("data.parquet", "Parquet file")]
)
@pytest.mark.parametrize("content", [b"\xff\xfe\x00 nothing", b"PK\x03\x04PAR1"])
def test_a_broken_file_is_said_to_be_of_no_such_kind(tmp_path: Path, name: str, kind: str, content: bytes) -> None:
    if kind == "Parquet file":
        pytest.importorskip("pyarrow")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(kernelopt.InvalidData, match=f"is no {kind}"):
        read(str(tmp_path / name))


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"Z": X}, "wanted the array X"),
        ({"X": X[0]}, "wanted rows and columns"),
        ({"X": X, "y": Y[:2]}, "one target for each of the 3 rows"),
        ({"X": X, "names": ["a"]}, "1 names, X has 3 columns"),
    ],
)
def test_npz_arrays_of_the_wrong_shape_are_refused(tmp_path: Path, arrays: dict[str, Any], message: str) -> None:
    np.savez(tmp_path / "data.npz", **arrays)
    with pytest.raises(kernelopt.InvalidData, match=message):
        read(str(tmp_path / "data.npz"))


def test_an_infinite_number_is_no_missing_one(tmp_path: Path) -> None:
    np.savez(tmp_path / "data.npz", X=np.array([[1.0, 2.0], [3.0, np.inf]]))
    with pytest.raises(kernelopt.InvalidData, match=r"'x1' holds infinite numbers, in row 1 \(counted from 0\)"):
        read(str(tmp_path / "data.npz")).rows(("x0", "x1"))


def of_parquet(folder: Path, columns: dict[str, Any]) -> Table:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table(columns), folder / "data.parquet")
    return read(str(folder / "data.parquet"))


@pytest.mark.parametrize(
    ("suffix", "reader"),
    [
        (".xlsx", "read_excel"),
        (".json", "read_json"),
        (".JSON", "read_json"),
        (".jsonl", "read_json, with lines=True,"),
    ],
)
def test_a_table_of_another_program_is_refused_with_what_reads_it(tmp_path: Path, suffix: str, reader: str) -> None:
    path = tmp_path / f"data{suffix}"
    path.write_bytes(b"PK or anything else\n")
    with pytest.raises(
        kernelopt.InvalidData, match=rf"got a {suffix.lower()} file, wanted CSV.*pandas\.{reader} reads it"
    ):
        read(str(path))


@pytest.mark.parametrize(("names", "target"), [(["a", "b", "c"], "y"), (["a", "y", "c"], "target")])
def test_a_column_of_an_npz_file_that_has_the_name_of_the_target_stays(
    tmp_path: Path, names: list[str], target: str
) -> None:
    np.savez(tmp_path / "data.npz", X=X, y=Y, names=names)
    table = read(str(tmp_path / "data.npz"))
    assert table.own_target == target
    assert table.target(target).tolist() == Y.tolist()
    np.testing.assert_array_equal(table.rows(names).numbers, X)
    assert table.others([target]) == tuple(names)


def test_two_columns_of_an_npz_file_have_two_names(tmp_path: Path) -> None:
    np.savez(tmp_path / "data.npz", X=X, y=Y, names=["a", "a", "b"])
    with pytest.raises(kernelopt.InvalidData, match="names holds 'a' more than once; give each column a name"):
        read(str(tmp_path / "data.npz"))
