"""A message shows enough of a value to find it, and never all of a long one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kernelopt
from kernelopt._base._shown import shown


@given(st.one_of(st.text(), st.binary(), st.integers(), st.floats(), st.lists(st.integers())))
def test_what_is_short_is_shown_in_full_and_what_is_long_is_cut(value):
    text = shown(value)
    assert text == repr(value) or (len(repr(value)) > 80 and "characters)" in text)
    assert len(text) < 100


def test_numbers_of_numpy_are_shown_as_those_of_python():
    assert shown(np.int64(3)) == "3"
    assert shown("w" * 400).endswith("w' (400 characters)")


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (np.array([["w" * 400], [1.0], [2.0]], dtype=object), [1.0, 2.0, 3.0]),
        (np.array([[list(range(300))], [0], [0]], dtype=object), [1.0, 2.0, 3.0]),
        ([[0.0], [1.0], [2.0]], ["w" * 400] * 3),
        ([[0.0], [1.0], [2.0]], ["w" * 400, 1.0, 2.0]),
        ([[float(i)] for i in range(30)], [str(i + 0.5) for i in range(29)] + ["w" * 400]),
    ],
)
def test_no_message_holds_a_long_cell(X, y):
    with pytest.raises(kernelopt.InvalidData) as caught:
        kernelopt.solve(X, y)
    assert "characters)" in str(caught.value)
    assert len(str(caught.value)) < 350


def test_the_word_among_numbers_is_shown_and_not_a_number_before_it():
    X = np.array([["0.5"], ["oops"], ["1.5"]], dtype=object)
    s = kernelopt.solve([[0.0], [1.0], [2.5], [3.0]], [0.0, 1.0, 2.0, 1.0], family="gaussian", criterion="ridge")
    told = r"column 0 holds 'oops', wanted numbers as in training \(row 1, counted from 0\); read or convert"
    with pytest.raises(kernelopt.InvalidData, match=told):
        s.predict(X)
