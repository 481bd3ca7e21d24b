"""Columns of tables, read: numbers, categories and gaps, whatever they are written in."""

import datetime as dt
import decimal
import fractions
import re

import attrs
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import kernelopt
from kernelopt import InvalidData
from kernelopt._base.tables._encoding import Encoding
from kernelopt._base.tables._tables import holds_numbers, of_columns, table_of

WORDS = st.one_of(st.none(), st.sampled_from(["a", "b", "c", "1.5"]))
NUMBERS = st.one_of(st.none(), st.integers(-5, 5), st.floats(-1e6, 1e6))
COLUMN = st.one_of(st.lists(WORDS, min_size=6, max_size=6), st.lists(NUMBERS, min_size=6, max_size=6))


@given(st.lists(COLUMN, min_size=1, max_size=3))
def test_codes_are_encoded_as_themselves(columns):
    table = of_columns({f"x{j}": np.array(column, dtype=object) for j, column in enumerate(columns)}, "X")
    encoding = Encoding.of(table, np.ones(6))
    codes = encoding.encode(table)
    assert np.array_equal(encoding.encode(table_of(codes)), codes, equal_nan=True)
    missing = np.array([[value is None for value in column] for column in columns]).T
    assert np.array_equal(np.isnan(codes), missing)


def test_the_mean_of_a_column_does_not_depend_on_a_common_factor_of_the_weights():
    table, weight = table_of(np.array([[1e300, 2.0], [np.nan, 3.0], [3e299, 7.0]])), np.array([1.0, 3.0, 0.7])
    ours, theirs = (Encoding.of(table, factor * weight).centres for factor in (1.0, 2.0**40))
    assert np.isfinite(theirs).all()
    assert np.array_equal(ours, theirs)


@given(st.lists(WORDS, min_size=6, max_size=6), st.permutations(["a", "b", "c", "1.5"]))
def test_codes_do_not_depend_on_what_categories_are_called(column, others):
    called = dict(zip(["a", "b", "c", "1.5"], others, strict=True))
    tables = [
        table_of(pd.DataFrame({"x": pd.Categorical(values)}))
        for values in (column, [called.get(value) for value in column])
    ]
    ours, theirs = (Encoding.of(table, np.ones(6)).encode(table) for table in tables)
    assert np.array_equal(ours, theirs, equal_nan=True)


@pytest.mark.parametrize(
    "values",
    [
        pd.array([1, None, 3], dtype="Int64"),
        pd.Series([1.0, None, 3.0], dtype="Float64"),
        pd.Series([1, None, 3], dtype=object),
        pd.Series([decimal.Decimal(1), None, decimal.Decimal(3)], dtype=object),
        pd.Series([decimal.Decimal(1), decimal.Decimal("NaN"), 3], dtype=object),
        pd.Series([fractions.Fraction(1), None, fractions.Fraction(3)], dtype=object),
        np.array([1.0, np.nan, 3.0], dtype=np.float32),
        pd.arrays.SparseArray([1.0, np.nan, 3.0]),
    ],
)
def test_numbers_of_every_type_with_gaps(values):
    table = table_of(pd.DataFrame({"x": values}))
    np.testing.assert_array_equal(table.numbers, [[1.0], [np.nan], [3.0]])
    assert not table.labels


def test_a_new_category_that_differs_only_in_capitals_is_told_of(recwarn):
    encoding = Encoding.of(table_of(pd.DataFrame({"colour": ["red", "blue"]})), np.ones(2))
    assert encoding.encode(table_of(pd.DataFrame({"colour": ["green", "red"]})))[:, 0].tolist() == [-1.0, 0.0]
    assert not recwarn
    with pytest.warns(
        kernelopt.KerneloptWarning, match="has 'RED' in column 'colour', where the training rows have 'red'"
    ):
        assert encoding.encode(table_of(pd.DataFrame({"colour": ["RED", "red"]})))[:, 0].tolist() == [-1.0, 0.0]


def test_truth_values_are_numbers():
    table = table_of(pd.DataFrame({"a": [True, False], "b": pd.array([True, None], dtype="boolean")}))
    np.testing.assert_array_equal(table.numbers, [[1.0, 1.0], [0.0, np.nan]])
    beside_nothing = table_of(np.array([[True, np.True_], [None, np.False_]], dtype=object))
    np.testing.assert_array_equal(beside_nothing.numbers, [[1.0, 1.0], [np.nan, 0.0]])


def empty(dtype):
    """A column without any value."""
    if "pyarrow" in dtype:
        pytest.importorskip("pyarrow")
    return pd.Series([None] * 3, dtype=dtype)


@pytest.mark.parametrize("dtype", ["string", "object", "string[pyarrow]", "large_string[pyarrow]", "category"])
def test_text_that_is_all_missing_has_no_known_category(dtype):
    table = table_of(pd.DataFrame({"x": empty(dtype), "z": [1.0, 2.0, 3.0]}))
    assert table.labels[0].values == (None, None, None)
    encoding = Encoding.of(table, np.ones(3))
    assert encoding.labels == ((), None)
    for new in ("leak", 3.0):
        codes = encoding.encode(table_of(pd.DataFrame({"x": [new, None], "z": [1.0, 2.0]})))
        np.testing.assert_array_equal(codes[:, 0], [encoding.new(0), np.nan])


@pytest.mark.parametrize("dtype", ["float64", "Float64", "Int64", "boolean", "int64[pyarrow]"])
def test_numbers_that_are_all_missing_stay_numbers(dtype):
    assert not table_of(pd.DataFrame({"x": empty(dtype)})).labels


def test_categories_of_every_type_have_names():
    table = table_of(pd.DataFrame({"a": pd.cut([1, 9], [0, 5, 10]), "b": pd.Categorical([3, None])}))
    assert table.labels[0].values == ("(0, 5]", "(5, 10]")
    assert table.labels[1].values == (3.0, None)
    assert table.labels[0].words
    assert not table.labels[1].words


@pytest.mark.parametrize("dtype", [object, "string", "category"])
def test_blanks_around_a_word_do_not_count_as_in_a_text_file(dtype):
    padded, bare = (pd.DataFrame({"x": pd.Series(words, dtype=dtype)}) for words in (["a  ", " b"], ["a", "b"]))
    assert table_of(padded).labels[0].values == ("a", "b")
    encoding = Encoding.of(table_of(padded), np.ones(2))
    assert np.array_equal(encoding.encode(table_of(padded)), encoding.encode(table_of(bare)))
    old = attrs.evolve(encoding, labels=(("a  ", " b"),))
    assert np.array_equal(old.encode(table_of(bare)), encoding.encode(table_of(bare)))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            [dt.date(2020, 1, 1), 3.0],
            r"holds values such as datetime.date\(2020, 1, 1\) \(date\), wanted numbers or words",
        ),
        ([pd.Period(ordinal=10**9, freq="Y"), None], r"holds values such as Period\('1000001970', '\S+'\) \(Period\)"),
        (pd.Series([pd.Series([1.0]), None], dtype=object), r"holds values such as [^(]* \(Series\)"),
        ([{}, 1], r"holds values such as \{\} \(dict\), wanted numbers or words"),
        ([b"x", b"y"], r"holds values such as b'x'"),
        (
            [2**62, 2**62 + 1],
            r"column 'x' holds whole numbers such as 4611686018427387904 and 4611686018427387905, which are one number",
        ),
        ([2**63, 2**63 + 1], r"column 'x' holds whole numbers"),
        ([10**30, -3, 10**30 + 1], r"column 'x' holds whole numbers"),
        ([-(2**63), 1 - 2**63], r"column 'x' holds whole numbers"),
        ([10**400, 1], r"column 'x' holds infinite numbers, in row 0"),
        ([1, -(10**400)], r"column 'x' holds infinite numbers, in row 1"),
        (["x", 1], r"holds words and other values, such as 'x' and 1; make all values of one kind"),
        ([1, "1,234", None], r"such as '1,234' and 1; make all values of one kind"),
        ([np.inf, 1.0], r"column 'x' holds infinite numbers, in row 0"),
        ([1.0, np.inf, -np.inf], r"column 'x' holds infinite numbers, in row 1 \(counted from 0\) and 1 more"),
    ],
)
def test_other_columns_are_refused(values, message):
    with pytest.raises(InvalidData, match=message):
        table_of(pd.DataFrame({"x": pd.Series(values)}))


WHOLE = st.integers(-(2**63), 2**63 - 1) | st.integers(2**53 - 4, 2**53 + 4) | st.integers(-(2**53) - 4, 4 - 2**53)


@given(st.lists(WHOLE, min_size=1, max_size=8))
@example([2**53, 2**53 + 1])
@example([-(2**53), -(2**53) - 1])
def test_whole_numbers_are_refused_where_double_precision_does_not_tell_them_apart(values):
    lost = len(set(map(float, values))) < len(set(values))
    for column in (np.array(values), np.array(values, dtype=object)):
        for X in (column[:, None], pd.DataFrame({"x": column})):
            if lost:
                with pytest.raises(InvalidData, match="which are one number in double precision"):
                    table_of(X)
            else:
                assert table_of(X).numbers[:, 0].tolist() == list(map(float, values))


@pytest.mark.parametrize("offset", [0, 2**60])
@pytest.mark.parametrize(
    "table", [pd.DataFrame, lambda columns: pa.table(pd.DataFrame(columns))], ids=["pandas", "arrow"]
)
def test_whole_numbers_beside_missing_ones_are_refused_alike(offset, table):
    X = table({"x": pd.array([offset, None, offset + 1], dtype="Int64")})
    if offset:
        with pytest.raises(InvalidData, match=f"such as {offset} and {offset + 1}, which are one number"):
            table_of(X)
    else:
        assert table_of(X).numbers[:, 0] == pytest.approx([0.0, np.nan, 1.0], nan_ok=True)


@pytest.mark.parametrize(("words", "wanted"), [(["2.5", "3"], [2.5, 3.0]), (["2.5", "3", "?"], [2.5, 3.0, np.nan])])
def test_the_advice_makes_numbers_of_numbers_beside_text(words, wanted):
    column = pd.Series([1, *words, None], dtype=object)
    with pytest.raises(
        InvalidData, match=r"such as '2.5' and 1; make numbers of them, .*with (.*\)).*; or words"
    ) as told:
        table_of(pd.DataFrame({"x": column}))
    code = re.search(r"(pandas\.to_numeric\(.*?\))", str(told.value))[1]
    found = eval(code, {"pandas": pd, "column": column})
    np.testing.assert_array_equal(found.astype(float), [1.0, *wanted, np.nan])
    assert ("missing values" in str(told.value)) == ("?" in words)


def test_all_columns_that_cannot_be_used_are_named_at_once():
    table = pd.DataFrame(
        {
            "when": ["soon", 1],
            "size": [1.0, np.inf],
            "list": [[1], [2]],
            "fine": [1, 2],
        }
    )
    with pytest.raises(InvalidData, match="3 columns cannot be learned from: 'when' holds words") as caught:
        table_of(table)
    assert caught.value.columns == ("when", "size", "list")
    assert "'size' holds infinite numbers" in str(caught.value)
    times, infinite, lists = str(caught.value).split("; '")
    assert "astype(str)" in times
    assert "missing ones" in infinite
    assert "numbers or words of them" in lists
    assert "fine" not in str(caught.value)


def test_an_array_in_a_cell_is_refused_as_what_it_is():
    column = np.empty(2, dtype=object)
    column[:] = [np.zeros(2), np.ones(2)]
    with pytest.raises(InvalidData, match=r"holds values such as array\(\[0., 0.\]\) \(ndarray\)"):
        table_of(pd.DataFrame({"x": column}))


@pytest.mark.parametrize("width", [1, 2])
def test_a_column_of_several_values_in_each_row_is_refused(width):
    """Such as a struct of polars, whose fields would be taken for the columns that come after it."""
    columns = {"x": np.zeros(4), "nested": np.ones((4, width)), "z": np.zeros(4)}
    with pytest.raises(InvalidData, match=r"'nested' holds several values in each row, .*table.unnest\('nested'\)"):
        of_columns(columns, "X")


def test_a_list_of_words_and_numbers_keeps_its_numbers():
    table = table_of([["a", 1], ["b", 2.5], [None, None]])
    assert table.labels[0].values == ("a", "b", None)
    np.testing.assert_array_equal(table.numbers[:, 1], [1.0, 2.5, np.nan])
    assert not holds_numbers([["a", 1]])
    assert holds_numbers([[1, 2]])
    assert not holds_numbers(pd.DataFrame({"x": [1]}))


def test_columns_of_one_name_are_two():
    table = table_of(pd.DataFrame([[1.0, "x"], [2.0, "y"]], columns=["a", "a"]))
    assert table.names == ("a", "a")
    assert table.labels[1].values == ("x", "y")


@pytest.mark.parametrize("of", [lambda table: table, lambda table: table.to_batches()[0]])
def test_tables_of_pyarrow_are_read_as_those_of_pandas(of):
    frame = pd.DataFrame({"n": [1, None, 3], "w": ["a", None, "b "], "t": [True, False, None]})
    arrow = pa.table(
        {
            "n": pa.array([1, None, 3]),
            "w": pa.array(["a", None, "b "]),
            "t": pa.array([True, False, None]),
            "d": pa.array([7, 7, 5]).dictionary_encode(),
            "e": pa.array([decimal.Decimal("1.5"), None, decimal.Decimal("2.5")]),
        }
    )
    held, wanted = table_of(of(arrow)), table_of(frame)
    assert held.names == ("n", "w", "t", "d", "e")
    np.testing.assert_array_equal(held.numbers[:, :3], wanted.numbers)
    assert held.labels[1].values == wanted.labels[1].values == ("a", None, "b")
    assert held.labels[3].values == (7.0, 7.0, 5.0)
    np.testing.assert_array_equal(held.numbers[:, 4], [1.5, np.nan, 2.5])
    times = pa.table({"when": pa.array([dt.date(1970, 1, 3), None]), "x": [1.0, 2.0]})
    np.testing.assert_array_equal(table_of(of(times)).numbers[:, 0], [2.0, np.nan])


def test_columns_of_pyarrow_are_known_by_their_names():
    x = np.linspace(0.0, 1.0, 30)
    table = pa.table({"a": x, "b": x**2})
    s = kernelopt.solve(table, x, family="dictionary", criterion="ridge")
    assert s.columns == ("a", "b")
    with pytest.raises(InvalidData, match="'b' as column 0, wanted 'a'"):
        s.predict(table.select(["b", "a"]))
    views = kernelopt.solve({"one": table, "two": table}, x, family="dictionary", criterion="ridge")
    assert views.predict({"one": table, "two": table}).shape == (30,)


def test_what_is_no_table_yet_is_told_how_to_become_one():
    with pytest.raises(InvalidData, match=r"table of records with pandas.DataFrame\(X\)"):
        table_of([{"a": 1.0}, {"a": 2.0}])
    with pytest.raises(InvalidData, match=r"table of records with pandas.DataFrame\(X\)"):
        table_of(np.array([(1.0, 2)], dtype=[("a", float), ("b", int)]))
    with pytest.raises(InvalidData, match=r"pandas.DataFrame\(X\) if these are columns of one table"):
        kernelopt.solve({"a": [1.0, 2.0], "b": [3.0, 4.0]}, [0.0, 1.0])
    with pytest.raises(InvalidData, match=r"one row with numpy.reshape\(X, \(1, -1\)\)"):
        table_of([1.0, 2.0])
    with pytest.raises(InvalidData, match=r"X has shape \(3, 0\): it is empty"):
        table_of(pd.DataFrame(index=range(3)))


def test_a_query_of_polars_is_to_be_run_first():
    class LazyFrame:
        __module__ = "polars.lazyframe.frame"

    with pytest.raises(InvalidData, match=r"pass X.collect\(\)"):
        table_of(LazyFrame())


@pytest.mark.parametrize("kind", ["m8[ns]", "m8[s]", object])
def test_durations_that_were_declared_categories_have_one_name_each(kind):
    column = pd.Series(pd.to_timedelta([1, None, 2], unit="D")).astype(kind)
    table = table_of(pd.DataFrame({"x": column.astype("category")}))
    assert table.labels[0].values == ("1 day, 0:00:00", None, "2 days, 0:00:00")


def test_intervals_and_words_are_categories_when_declared():
    values = pd.Series(pd.cut([0.1, 0.5, 0.9], 3))
    assert len(table_of(pd.DataFrame({"x": values})).labels[0].values) == 3
