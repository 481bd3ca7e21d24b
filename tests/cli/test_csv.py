"""Every way in which a table can be wrong is said in one line that names the place."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pandas._libs.parsers import STR_NA_VALUES

import kernelopt
from kernelopt._rows._stored import stored
from kernelopt.cli.reading import _csv

Write = Callable[..., Path]


def read(path: Path) -> _csv.TextTable:
    return _csv.read(stored(path))


def test_numbers_and_labels_come_out_as_they_went_in(write: Write) -> None:
    table = read(write("a,b,y\n1,2.5,yes\n\n-3,1e2,no\n"))
    np.testing.assert_array_equal(table.rows(("a", "b")).numbers, [[1.0, 2.5], [-3.0, 100.0]])
    assert table.target("y").tolist() == ["yes", "no"]
    assert table.lines == (2, 4)


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_the_delimiter_is_what_the_header_holds(write: Write, mark: str) -> None:
    table = read(write(f"a{mark}y\n1{mark}2\n"))
    assert table.names == ("a", "y")


def test_a_byte_order_mark_is_no_part_of_the_first_name(write: Write) -> None:
    assert read(write("\ufeffa,y\n1,2\n")).names == ("a", "y")


@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    [
        ("1 2", "i", [1, 2]),
        ("1 2.5", "f", [1.0, 2.5]),
        ("1 two", "U", ["1", "two"]),
        ("none some", "U", ["none", "some"]),
        ("007 7", "U", ["007", "7"]),
        ("0 10", "i", [0, 10]),
        ("0.50 07.5", "f", [0.5, 7.5]),
        ("9223372036854775809 9223372036854775810 5", "U", ["9223372036854775809", "9223372036854775810", "5"]),
        ("18446744073709551615 18446744073709551614", "u", [2**64 - 1, 2**64 - 2]),
        ("99999999999999999999 5", "f", [1e20, 5.0]),
    ],
)
def test_a_target_is_of_the_narrowest_type_that_fits(write: Write, cells: str, kind: str, values: list[object]) -> None:
    table = read(write("x,y\n" + "".join(f"0,{cell}\n" for cell in cells.split())))
    found = table.target("y")
    assert found.dtype.kind == kind
    assert found.tolist() == values


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("a,y\n", "no rows"),
        ("1,2\n3,4\n", "header"),
        ("a,a\n1,2\n", "two columns are called 'a'"),
        ("a,,y\n1,2,3\n", "column 2 has no name"),
        ("a,y\n1,2\n3\n", r"line 3: got 1 value, the header has 2 columns; give each row"),
        (
            "A title\na,y\n1,2\n",
            r"line 2: got 2 values, the header has 1 column; .*; or remove the first line, if it is a ",
        ),
        ("a,y\n1,2\n\n3,4,5\n", r"line 4: got 3 values"),
    ],
)
def test_a_broken_file_is_refused(write: Write, text: str, message: str) -> None:
    with pytest.raises(kernelopt.InvalidData, match=message):
        read(write(text))


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_bytes(b"a,y\n\xff\xfe,1\n")
    with pytest.raises(kernelopt.InvalidData, match=r"UTF-8.*--from-code cp1252"):
        read(tmp_path / "data.csv")


def test_the_advice_for_text_of_windows_keeps_the_euro_sign(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_bytes("price;y\r\n€5;1\r\n".encode("cp1252"))
    with pytest.raises(kernelopt.InvalidData) as error:
        read(tmp_path / "data.csv")
    encoding = str(error.value).partition("--from-code ")[2].split()[0]
    assert (tmp_path / "data.csv").read_text(encoding).startswith("price;y\n€5;1")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_the_advice_for_text_in_utf_16_names_it(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "data.csv").write_bytes("\ufeffa,y\n1,2\n".encode(encoding))
    with pytest.raises(kernelopt.InvalidData, match="--from-code utf-16"):
        read(tmp_path / "data.csv")


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(kernelopt.InvalidData, match="no such file"):
        read(tmp_path / "none.csv")
    with pytest.raises(kernelopt.InvalidData, match="cannot be read"):
        read(tmp_path)


def test_an_infinite_cell_is_named_by_line_and_column(write: Write) -> None:
    table = read(write("a,b\n1,2\n3,-inf\n"))
    with pytest.raises(
        kernelopt.InvalidData,
        match=r"column 'b' holds '-inf', wanted finite numbers of 1e\+300 in size at most \(line 3\)",
    ):
        table.rows(("a", "b"))


def test_a_column_is_numbers_truth_values_or_words_with_gaps(write: Write) -> None:
    table = read(write("a,b,c,d\n1,red,true,\n,NA,False,?\n3,4,,nan\n"))
    rows = table.rows(("a", "b", "c", "d"))
    np.testing.assert_array_equal(
        rows.numbers[:, [0, 2, 3]], [[1, 1, np.nan], [np.nan, 0, np.nan], [3, np.nan, np.nan]]
    )
    assert {j: column.values for j, column in rows.labels.items()} == {1: ("red", None, "4"), 3: (None, None, None)}


def test_a_column_that_is_empty_in_training_may_be_filled_later(write: Write, kernelopt: Callable[..., Any]) -> None:
    path = write("a,remark,y\n" + "".join(f"{k},,{k * 0.5}\n" for k in range(20)))
    model = path.with_suffix(".kernelopt")
    learned = ("--criterion", "ridge", "--family", "dictionary:kernels=linear|")
    shown = kernelopt("solve", path, "--target", "y", *learned, "--save", model, "--no-progress", "--no-check")
    assert shown.exit_code == 0, shown.stderr
    for remark in ("leak", "3"):
        shown = kernelopt("predict", model, write(f"a,remark\n1,{remark}\n"), "--out", path.with_suffix(".out"))
        assert shown.exit_code == 0, shown.stderr


def test_a_column_that_held_words_in_training_is_read_as_words(write: Write) -> None:
    table = read(write("a,b\n1,2\n,4\n"))
    assert table.rows(("a", "b"), ("a",)).labels[0].values == ("1", None)
    assert table.rows(("a", "b"), ("a",)).numbers[:, 1].tolist() == [2.0, 4.0]


def test_a_missing_target_is_named_by_its_line(write: Write) -> None:
    with pytest.raises(kernelopt.InvalidData, match="line 3: the target 'y'"):
        read(write("a,y\n1,2\n3,\n")).target("y")


@pytest.mark.parametrize("odd", ["-", "3.1%", "3_1"])
@pytest.mark.parametrize("criterion", [(), ("--criterion", "evidence"), ("--criterion", "ridge")])
def test_a_word_among_numbers_of_the_target_is_named_by_its_line(
    odd: str, criterion: tuple[str, ...], write: Write, kernelopt: Callable[..., Any]
) -> None:
    cells = [odd if k in (7, 11) else f"{k}.5" for k in range(40)]
    path = write("a,y\n" + "".join(f"{k},{cell}\n" for k, cell in enumerate(cells)))
    shown = kernelopt("solve", path, "--target", "y", *criterion)
    assert shown.exit_code == 2
    assert f"y holds {odd!r} (line 9)" in " ".join(shown.stderr.split())


def test_an_unknown_column_gets_the_nearest_name(write: Write) -> None:
    table = read(write("Diagnosis,size\n1,2\n"))
    with pytest.raises(kernelopt.InvalidData, match="did you mean 'Diagnosis'"):
        table.index("diagnosys")


def test_what_is_written_can_be_read(tmp_path: Path) -> None:
    file = io.StringIO()
    _csv.write(file, {"prediction": np.array(["a", "b, c"]), "value": np.array([0.5, -1.0])})
    assert file.getvalue() == 'prediction,value\na,0.5\n"b, c",-1.0\n'
    path = tmp_path / "out.csv"
    path.write_text(file.getvalue(), encoding="utf-8")
    assert read(path).target("prediction").tolist() == ["a", "b, c"]


@pytest.mark.parametrize("cell", ["NA", "n/a", "null", "NaN", "?", "", "#N/A", "<NA>", "-nan", "1.#IND"])
def test_a_missing_target_is_no_class(write: Write, cell: str) -> None:
    table = read(write(f"x,y\n0,yes\n1,{cell}\n2,no\n"))
    with pytest.raises(kernelopt.InvalidData, match="line 3: the target 'y' is missing; drop the row"):
        table.target("y")


def test_all_rows_without_a_target_are_counted_and_the_advice_drops_them(write: Write) -> None:
    path = write("x,y\n0,yes\n1,\n2,no\n3,NA\n4,\n")
    with pytest.raises(kernelopt.InvalidData) as error:
        read(path).target("y")
    assert "line 3: the target 'y' is missing, as in 2 more rows; drop these rows" in str(error.value)
    code = str(error.value).partition("for example with ")[2].partition(" of pandas")[0]
    assert eval(code, {"table": pd.read_csv(path)})["x"].tolist() == [0, 2]


@pytest.mark.parametrize("form", [str, str.upper, str.lower])
def test_what_pandas_takes_for_missing_leaves_a_column_of_numbers(form: Callable[[str], str], write: Write) -> None:
    cells = ["1.5", *map(form, sorted(STR_NA_VALUES)), "?", "2.5"]
    numbers = read(write("y,x\n" + "".join(f"0,{cell}\n" for cell in cells))).rows(("x",)).numbers[:, 0]
    assert numbers[[0, -1]].tolist() == [1.5, 2.5]
    assert np.isnan(numbers[1:-1]).all()


@pytest.mark.parametrize("cell", ["\0", "3\0"])
def test_a_target_with_a_nul_byte_is_named_by_its_line(cell: str, write: Write) -> None:
    with pytest.raises(kernelopt.InvalidData, match=r"line 3: the target 'y' is .*x00', with a NUL byte"):
        read(write(f"x,y\n0,1\n1,{cell}\n2,3\n")).target("y")


def test_a_long_cell_is_not_printed_whole(write: Write) -> None:
    with pytest.raises(
        kernelopt.InvalidData, match=r"\(400 characters\), wanted finite numbers of 1e\+300 in size at most \(line 3\)"
    ) as caught:
        read(write(f"a,y\n1,2\n{'1' * 400},3\n")).rows(("a",))
    assert len(str(caught.value)) < 300


def test_a_quotation_mark_that_stays_open_is_told_with_the_lines_it_takes(write: Write) -> None:
    with pytest.raises(kernelopt.InvalidData, match="lines 3 to 4: got one row with 1 value, the header has 2 columns"):
        read(write('a,y\n1,2\n"3,4\n5,6"\n7,8'))


@pytest.mark.parametrize("cell", ['"yes', '"yes"",', '"'])
@pytest.mark.parametrize("below", ["", "\n", "\n3,4\n5,6\n"])
def test_a_quotation_mark_that_stays_open_hides_no_rows(write: Write, cell: str, below: str) -> None:
    path, last = write(f"a,y\n1,2\n3,{cell}{below}"), 3 + max(below.count("\n") - 1, 0)
    wanted = f"lines 3 to {last}: a quotation mark opens a cell that goes on to the end of the file"
    with pytest.raises(kernelopt.InvalidData, match=wanted):
        read(path)
    with pytest.raises(kernelopt.InvalidData, match=wanted):
        kernelopt.row_blocks(str(path), target="y")


def test_a_cell_beyond_what_python_reads_is_no_question_of_the_encoding(write: Write) -> None:
    with pytest.raises(kernelopt.InvalidData, match="close quotation marks that are open") as caught:
        read(write(f"a,y\n{'u' * 200_000},2\n"))
    assert "iconv" not in str(caught.value)


@pytest.mark.parametrize("mark", ["|", " ", ":"])
def test_another_mark_between_cells_is_told(write: Write, mark: str) -> None:
    with pytest.raises(kernelopt.InvalidData, match=r"as a single column, wanted commas, .*, the line sep=\| above"):
        read(write(f"a{mark}y\n1{mark}2\n")).target("y")


def test_the_advised_line_says_what_stands_between_cells(write: Write) -> None:
    assert read(write("sep=|\na|y\n1|2\n")).names == ("a", "y")
