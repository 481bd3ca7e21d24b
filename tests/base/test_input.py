"""Rows and targets as people have them become clean arrays, or one clear error."""

import decimal
import fractions
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from kernelopt._base._errors import InvalidData
from kernelopt._base._weights import check_weights
from kernelopt._base.tables._input import check_matrix, check_target, names_of_table

FINITE = arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(1, 5)), elements=st.floats(-1e6, 1e6))


@given(FINITE)
def test_numbers_stay_what_they_are(X):
    for same in (X, X.tolist(), pd.DataFrame(X), X.astype(object)):
        clean = check_matrix(same)
        assert clean.dtype == np.float64
        assert clean.flags.c_contiguous
        assert np.array_equal(clean, X)


@given(FINITE, st.sampled_from([np.nan, np.inf, -np.inf]))
def test_the_first_number_that_is_none_is_named(X, bad):
    row, column = X.shape[0] - 1, X.shape[1] - 1
    X = X.copy()
    X[row, column] = bad
    with pytest.raises(InvalidData, match=f"the first in row {row}, column {column}; impute or drop them"):
        check_matrix(X)


def test_strings_of_any_length_are_words():
    words = np.array(["a", "bcd"], dtype=np.dtypes.StringDType())
    assert check_target(words).tolist() == ["a", "bcd"]
    gaps = np.array(["a", None], dtype=np.dtypes.StringDType(na_object=None))
    with pytest.raises(InvalidData, match="y has missing values"):
        check_target(gaps)


def test_a_column_of_targets_is_a_row_of_them():
    assert check_target([[1.0], [2.0]]).shape == (2,)
    assert check_target([[1.0, 3.0], [2.0, 4.0]]).shape == (2, 2)


@pytest.mark.parametrize("number", [decimal.Decimal, fractions.Fraction])
@pytest.mark.parametrize("form", [list, pd.Series, lambda y: np.array(y, dtype=object), pd.DataFrame])
def test_exact_numbers_of_python_are_numbers(number, form):
    targets = check_target(form([number("1.5"), number("2.25"), number(3)]))
    assert targets.dtype == np.float64
    assert targets.tolist() == [1.5, 2.25, 3.0]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (sparse.csr_matrix([[1.0], [0.0]]), r"y is sparse \(csr_matrix\), wanted a dense array; pass y.toarray\(\)"),
        ([10**400, 1], "y has 1 value that is NaN or infinite"),
        ([10**400, -(10**400), 1], "y has 2 values that are NaN or infinite"),
    ],
)
def test_targets_that_are_no_array_of_finite_numbers_are_told_of(y, message):
    with pytest.raises(InvalidData, match=message):
        check_target(y)


@pytest.mark.parametrize("y", [[1.0, None], [1.0, np.nan], ["a", None]])
def test_missing_targets_are_refused(y):
    with pytest.raises(InvalidData, match="drop those rows"):
        check_target(y)


@pytest.mark.parametrize("missing", [np.nan, None])
def test_rows_that_lack_one_of_several_targets_need_not_be_dropped(missing):
    with pytest.raises(InvalidData, match="learn each target that has such values by itself"):
        check_target([[1.0, missing], [1.0, 2.0]])


@pytest.mark.parametrize("shape", [(5, 0), (5, 1, 1)])
def test_targets_without_a_column_are_refused(shape):
    with pytest.raises(InvalidData, match="a column for each target"):
        check_target(np.zeros(shape))


def test_stacked_matrices_are_better_passed_as_a_list():
    with pytest.raises(InvalidData, match="as a list of them"):
        check_matrix(np.zeros((2, 5, 5)))


def test_a_table_has_names_where_all_of_them_are_words():
    assert names_of_table(pd.DataFrame({"a": [1.0], "b": [2.0]})) == ("a", "b")
    assert names_of_table(pd.DataFrame([[1.0, 2.0]])) == ()
    assert names_of_table(np.zeros((1, 2))) == ()


def test_an_underscore_is_no_part_of_a_weight():
    with pytest.raises(InvalidData, match="sample_weight has values that are not numbers, such as '3_1'"):
        check_weights(np.array(["3_1", "2"], dtype=object), 2)


@pytest.mark.parametrize(
    "dates",
    [
        pd.DataFrame({"a": pd.date_range("2020-01-30", periods=3), "x": [1.0, 2.0, 3.0]}),
        np.array([["2020-01-30"], ["2020-01-31"], ["2020-02-01"]], dtype="datetime64[ns]"),
        np.array([["2020-01-30"], ["2020-01-31"], ["2020-02-01"]]),
    ],
    ids=["a table", "of numpy", "words"],
)
def test_the_advice_on_dates_where_numbers_are_wanted_makes_numbers(dates):
    with pytest.raises(InvalidData, match=r"X has values that are not numbers, such as .*2020-01-30") as told:
        check_matrix(dates)
    parsed, days = re.search(r"such as the days since the first with t = (\S+) and (.*)", str(told.value)).groups()
    t = eval(parsed, {"pandas": pd, "column": pd.Series(np.asarray(dates)[:, 0])})
    assert eval(days, {"t": t}).tolist() == [0, 1, 2]
