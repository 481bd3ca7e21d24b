"""What stands between cells and before decimals, and which column counts the rows: as pandas and others write them."""

import io
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernelopt import InvalidData, row_blocks
from kernelopt._rows import _csv
from kernelopt._rows._cells import Kind
from kernelopt._rows._decimals import decided
from kernelopt._rows._header import Counting, delimiter_of, named
from kernelopt.cli.reading._read import read

pd = pytest.importorskip("pandas")


@pytest.fixture
def write(tmp_path):
    def written(text):
        path = tmp_path / "data.csv"
        path.write_text(text, encoding="utf-8")
        return path

    return written


@pytest.fixture(params=["whole", "in blocks"])
def opened(request, monkeypatch):
    """Rows of a file, their names and the notes on them, read whole or in blocks of some bytes."""
    monkeypatch.setattr(_csv, "_BYTES", 64)

    def whole(path, target):
        table = read(str(path))
        names = table.others([target])
        return table.rows(names).numbers, names, table.notes((*names, target)), table.target(target)

    def in_blocks(path, target):
        blocks = row_blocks(path, target=target)
        pieces = [piece.read() for piece in blocks.pieces]
        numbers = np.vstack([piece.table.numbers for piece in pieces])
        return numbers, pieces[0].table.names, blocks.notes, np.concatenate([piece.targets for piece in pieces])

    return whole if request.param == "whole" else in_blocks


def frame(n=40, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"a b": rng.normal(size=n).round(3), "c": rng.integers(0, 9, n), "y": rng.normal(size=n)})


WRITTEN = {
    "as pandas does": {},
    "in Germany": {"sep": ";", "decimal": ","},
    "with quoted decimal commas": {"decimal": ","},
    "with tabs": {"sep": "\t"},
    "without an index": {"index": False},
}


@pytest.mark.parametrize("how", WRITTEN)
@pytest.mark.parametrize("shuffled", [False, True])
def test_what_pandas_writes_is_read(opened, tmp_path, how, shuffled):
    table = frame().sample(frac=0.7, random_state=0) if shuffled else frame()
    table.to_csv(tmp_path / "data.csv", **WRITTEN[how])
    numbers, names, notes, target = opened(tmp_path / "data.csv", "y")
    assert names == ("a b", "c")
    np.testing.assert_allclose(numbers, table[["a b", "c"]], rtol=1e-15)
    np.testing.assert_allclose(target, table["y"], rtol=1e-15)
    told = " ".join(notes)
    assert ("an index, which was left out" in told) == ("index" not in WRITTEN[how])
    assert ("of 2 columns (a b, y) in" in told and "were read as decimal commas" in told) == ("decimal" in WRITTEN[how])


def test_an_index_that_was_written_twice_is_left_out_twice(opened, tmp_path):
    first = io.StringIO(frame().to_csv())
    pd.read_csv(first).to_csv(tmp_path / "data.csv")
    _, names, notes, _ = opened(tmp_path / "data.csv", "y")
    assert names == ("a b", "c")
    assert "the first columns of" in notes[0]
    assert "have no name and count the rows" in notes[0]


def test_a_column_that_pandas_calls_unnamed_is_kept_where_it_counts_nothing(opened, write):
    numbers, names, notes, _ = opened(write("Unnamed: 0,y\n0.5,1\n0.5,2\n1,3\n"), "y")
    assert names == ("Unnamed: 0",)
    assert notes == ()
    assert numbers[:, 0].tolist() == [0.5, 0.5, 1.0]


@pytest.mark.parametrize("cells", ["1 1 2", "0.5 1.5 2.5", "a b c", "1 2 "])
def test_a_nameless_column_that_counts_no_rows_is_refused(opened, write, cells):
    text = ",x,y\n" + "".join(f"{cell},1,2\n" for cell in cells.split(" "))
    with pytest.raises(InvalidData, match="column 1 has no name in the header, and does not count the rows"):
        opened(write(text), "y")


@settings(max_examples=100)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=30), st.lists(st.integers(0, 30), max_size=4))
def test_numbers_count_rows_where_none_comes_twice_wherever_they_are_cut(values, cuts):
    cells = [str(value) for value in values]
    ends = sorted({min(cut, len(cells)) for cut in cuts} | {0, len(cells)})
    parts = [Counting.of(cells[i:j]) for i, j in itertools.pairwise(ends)]
    found = parts[0]
    for part in parts[1:]:
        found = found.plus(part)
    assert found.counts == (len(set(values)) == len(values))


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1;2\n", ";"),
        ("a\tb\n1\t2\n", "\t"),
        ("x\n1\n", ","),
        ("a;b\n1,5;2,5\n", ";"),
        ("length (cm, raw);width\n1,5;2\n", ";"),
        ('"length (cm, raw)";width\n1,5;2\n', ";"),
        ("a;b,c\n1,2\n", ","),
        ('a,b\n"x;y",2\n', ","),
        ("a,b\n1,2\n3\n", ","),
        ('a;b\n"two\nlines, and more";2\n', ";"),
    ],
)
def test_the_delimiter_is_that_by_which_rows_are_as_wide_as_the_header(text, mark):
    assert delimiter_of(text.splitlines(keepends=True)) == mark


def kinds_of(*columns):
    return [Kind.of(column.split()) for column in columns]


@pytest.mark.parametrize(
    ("columns", "delimiter", "decimals"),
    [
        (("1.5 2", "3 4"), ",", ".."),
        (("1,5 2", "3 4"), ";", ",."),
        (("1,5 2", "3,125 4"), ",", ",,"),  # the first column decides for the second
        (("1,234 5,678", "x y"), ";", ",."),  # semicolons part cells where commas stand before decimals
        (("1.234 5.678",), ";", "."),
        (("0,125 0,250",), ",", ","),  # nothing begins with 0 thousands
        (("1,5e-3 ,5",), ",", ","),
        (("1.5 2.5", "1,5 2,5"), ",", ".,"),
        (("1,5 NA", "x y"), ";", ",."),
        (("1.234,56 7 NA",), ";", ","),
        (("1,234.56 7",), ",", "."),
        (("1,234,567 7",), ",", "."),
        (("(3.2) 7",), ",", "."),
        (("(3,25) 7",), ",", ","),
        (("\u22127.5 7",), ",", "."),
        (("1.234,56 7", "1,234 5,678"), ",", ",,"),
    ],
)
def test_all_columns_decide_what_stands_before_decimals(columns, delimiter, decimals):
    found = decided([f"x{j}" for j in range(len(columns))], kinds_of(*columns), delimiter)
    assert "".join(kind.decimal for kind in found.kinds) == decimals
    assert found.faults == ()


@pytest.mark.parametrize(
    ("columns", "delimiter", "fault"),
    [
        (("1,234 5,678",), ",", "whose comma may stand before decimals or between thousands"),
        (("1,234 5,678", "1.5 2"), ";", "whose comma may stand before decimals or between thousands"),
        (("1.234 5.678", "1,5 2"), ";", "whose point may stand between thousands"),
        (("1.234,56 1,234.56",), ";", "with marks between thousands or of several kinds"),
        (("1,234 1'234",), ";", "with marks between thousands or of several kinds"),
        (("1.5 2,5",), ";", "with marks between thousands or of several kinds"),
        (("1 inf",), ",", "holds 'inf', wanted finite numbers"),
        (("1 1e999",), ",", "holds '1e999', wanted finite numbers"),
    ],
)
def test_numbers_that_may_be_two_things_are_told(columns, delimiter, fault):
    found = decided([f"x{j}" for j in range(len(columns))], kinds_of(*columns), delimiter)
    assert [one.column for one in found.faults] == ["x0"]
    assert fault in found.faults[0].fault


CELLS = st.sampled_from(
    ["", "1", "-2", "007", "1.5", "1,5", "1.234", "1,234", "1.234,5", "5,", ".5", "(1)", "inf", "1e3", "word", "True"]
)


@settings(max_examples=200)
@given(st.lists(CELLS, min_size=1, max_size=12), st.integers(0, 12))
def test_kinds_of_parts_add_to_that_of_the_column(cells, cut):
    first, second = cells[:cut], cells[cut:]
    added, whole = Kind.of(first).plus(Kind.of(second)), Kind.of(cells)
    for delimiter in ",;":
        one, two = (decided(["x"], [kind], delimiter) for kind in (added, whole))
        assert bool(one.faults) == bool(two.faults)
        assert (one.kinds[0].decimal, one.commas) == (two.kinds[0].decimal, two.commas)
        if not two.faults:
            got, wanted = (one.kinds[0].values(cells), two.kinds[0].values(cells))
            assert [str(cell) for cell in got] == [str(cell) for cell in wanted]


def test_a_blank_may_stand_before_a_quotation_mark(opened, write):
    """As people type tables, and as programs write them that join cells by a comma and a blank."""
    text = '"x", "place", "y"\n1, "Rome, Italy", 1\n2, "Bonn, Germany", 2\n'
    numbers, names, notes, targets = opened(write(text), "y")
    assert names == ("x", "place")
    assert notes == ()
    assert numbers[:, 0].tolist() == targets.tolist() == [1, 2]


def test_words_with_commas_stay_words(opened, write):
    text = 'x,place,y\n1,"Rome, Italy",1\n2,"Bonn, Germany",2\n'
    _, names, notes, _ = opened(write(text), "y")
    assert names == ("x", "place")
    assert notes == ()


def test_one_column_may_have_decimal_commas(write):
    (one,) = read(str(write("a\n1,5\n2\n2,25\n"))).rows(["a"]).numbers.T
    assert one.tolist() == [1.5, 2.0, 2.25]
    for text, told in (
        ("a\n1,567\n2,123\n", "column 'a' holds '1,567', whose comma may stand before decimals or between thousands"),
        ("My table\na,b\n1,2\n", "line 2: got 2 values, the header has 1 column"),
        ("numbers\n1,2,3\n4,5,6\n", "line 2: got 3 values, the header has 1 column"),
    ):
        with pytest.raises(InvalidData, match=told):
            read(str(write(text))).rows(["a"])


@pytest.mark.parametrize("form", ["{:,.2f}", "{:,.0f}"])
def test_marks_between_thousands_are_left_out_of_columns_and_targets(opened, write, form):
    """As spreadsheets write numbers: what stands before decimals is clear where both marks are there, or one twice."""
    wanted = [1.0, 999.0, 1234567.0, 1234.0, -12345.0]
    for marks in (",.", ".,", " ,", "\u202f,", "'.", "\u2019,"):
        text = [form.format(k).translate(str.maketrans(",.", marks)) for k in wanted]
        path = write("a;b;y\n" + "".join(f"{cell};x;{cell}\n" for cell in text))
        numbers, _, notes, targets = opened(path, "y")
        assert numbers[:, 0].tolist() == targets.tolist() == wanted
        assert any("the marks between thousands in the numbers of 2 columns (a, y)" in note for note in notes)
        accountants = [f"({cell[1:]})" if cell[0] == "-" else cell for cell in text]
        again = opened(write("a;b;y\n" + "".join(f"{cell};x;1\n" for cell in accountants)), "y")[0]
        assert again[:, 0].tolist() == wanted


@pytest.mark.parametrize("faulty", [["size"], ["size", "weight of it", "price"]])
def test_all_columns_that_cannot_be_read_are_named_at_once(opened, write, faulty):
    table = frame(4).assign(**{"size": "1,234.567.5", "weight of it": "inf", "price": "1,234"})
    with pytest.raises(InvalidData) as caught:
        opened(write(table[[*faulty, "c", "y"]].to_csv(index=False)), "y")
    assert caught.value.columns == tuple(faulty)
    assert all(repr(name) in str(caught.value) for name in faulty)
    assert str(caught.value).count("(line 2)") == len(faulty)


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        ("inf", r"column 'a' holds 'inf', wanted finite numbers of 1e\+300 in size at most \(line 16\)"),
        ("4,763", r"column 'a' holds '4,763', whose comma may stand .* \(line 16\)"),
        ("4,763.512.5", r"column 'a' holds numbers such as '4,763.512.5', with marks .* \(line 16\)"),
    ],
)
def test_a_cell_that_cannot_be_read_is_named_by_its_line(opened, write, cell, told):
    rows = [f"{k},{k + 1.5}" for k in range(30)]
    rows[13], rows[20] = f'"{cell}",2', f'"{cell}",2'
    with pytest.raises(InvalidData, match=told):
        opened(write("a,y\n\n" + "\n".join(rows)), "y")


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (["a", "", "b", ""], "columns 2, 4 have no name in the header"),
        (["a", "a", "b", "b"], "several columns are called 'a', 'b'"),
        (["1", "2,5"], "the first line holds numbers only"),
    ],
)
def test_all_that_is_wrong_with_a_header_is_told_at_once(header, message):
    with pytest.raises(InvalidData, match=message):
        named("data.csv", header)


def test_an_underscore_is_no_part_of_a_number(opened, write):
    numbers, _, _, targets = opened(write("code,size,y\n3_1,1,1_0\n3_2,2,2\n31,3,3\n"), "y")
    assert np.isnan(numbers[:, 0]).all()  # words
    assert numbers[:, 1].tolist() == [1.0, 2.0, 3.0]
    assert targets.tolist() == ["1_0", "2", "3"]


@pytest.mark.parametrize("line", ["sep=;", '"sep=;"', "sep=;;;", "\ufeffsep=;"])
def test_the_line_of_excel_says_what_stands_between_cells(opened, write, line):
    numbers, names, notes, targets = opened(write(f"{line}\r\na;b, c;y\r\n1;2;3\r\n4;5;6\r\n"), "y")
    assert names == ("a", "b, c")
    assert numbers.tolist() == [[1.0, 2.0], [4.0, 5.0]]
    assert targets.tolist() == [3, 6]
    assert notes == ()
    with pytest.raises(InvalidData, match=r"line 4: got 2 values"):
        opened(write("sep=;\na;b;y\n1;2;3\n4;5\n"), "y")
    with pytest.raises(InvalidData, match="is empty"):
        opened(write("sep=;\n"), "y")


def test_a_separator_that_excel_names_is_taken_whatever_it_is(opened, write):
    numbers, names, _, _ = opened(write("sep=|\na|b|y\n1|2|3\n4|5|6\n"), "y")
    assert names == ("a", "b")
    assert numbers.tolist() == [[1.0, 2.0], [4.0, 5.0]]


@pytest.mark.parametrize("ends", [",", ",,"])
def test_an_empty_column_behind_the_last_comma_is_left_out(opened, write, ends):
    rows = [f"{k},{k + 1},{k * 0.5}{ends}" for k in range(20)]
    numbers, names, notes, _ = opened(write(f"a,b,y{ends}\n" + "\n".join(rows)), "y")
    assert names == ("a", "b")
    assert numbers.shape == (20, 2)
    assert len(notes) == 1
    assert "no name and no value, as if a comma ended each line" in notes[0]
    rows[18] += "5"
    with pytest.raises(InvalidData, match=f"column {3 + len(ends)} has no name in the header"):
        opened(write(f"a,b,y{ends}\n" + "\n".join(rows)), "y")


def test_rows_without_any_value_are_left_out_and_told_of(opened, write):
    """Otherwise predictions would silently stand beside other rows than those of the file."""
    numbers, _, notes, targets = opened(write(";;\na;b;y\n1;2;3\n;;\n\n4;5;6\n ; ;\n"), "y")
    assert numbers.tolist() == [[1.0, 2.0], [4.0, 5.0]]
    assert targets.tolist() == [3, 6]
    assert len(notes) == 1
    assert notes[0].startswith("data: 2 rows of ")
    assert notes[0].endswith(" hold no value and were left out, the first in line 4")
    (note,) = opened(write("a;b;y\n1;2;3\n4;5;6\n;;\n"), "y")[2]
    assert note.endswith(" holds no value and was left out, in line 4")
    assert opened(write("a;b;y\n1;2;3\n\n4;5;6\n\n"), "y")[2] == ()


@pytest.mark.parametrize("mark", [",", ";"])
def test_a_comment_in_place_of_the_header_is_told(opened, write, mark):
    text = f"# made on Monday\na{mark}b{mark}y\n1{mark}2{mark}3\n"
    with pytest.raises(InvalidData, match=r"line 1: the first line begins with '#'.* remove lines of comments"):
        opened(write(text), "y")
    assert opened(write("# a,b,y\n1,2,3\n"), "y")[1] == ("# a", "b")  # as numpy.savetxt writes a header


@pytest.mark.parametrize("gap", ["", "3"])
def test_whole_numbers_that_double_precision_does_not_tell_apart_are_refused(opened, write, gap):
    path = write(f"a,y\n{2**60},1\n{gap},2\n{2**60 + 1},3\n")
    with pytest.raises(InvalidData, match=f"'a' holds whole numbers such as {2**60} and {2**60 + 1}, which are one"):
        opened(path, "y")
    numbers, *_ = opened(write(f"a,y\n{2**60},1\n{gap},2\n{2**61},3\n"), "y")
    assert numbers[[0, 2], 0].tolist() == [2.0**60, 2.0**61]
