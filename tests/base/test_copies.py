"""Rows that occur more than once are counted, whatever is in them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from kernelopt._base._copies import different_rows, sets_of_copies

FEW = st.sampled_from([0.0, -0.0, 1.0, 2.0, 0.5, -1.0, 1e300, 5e-324, np.inf, np.nan])


@given(arrays.arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 4)), elements=FEW))
def test_so_many_rows_differ_as_there_are_sets_of_copies(X):
    assert different_rows(X) == len(set(sets_of_copies(X)))


def test_rows_of_few_whole_numbers_are_told_apart():
    X = np.stack(np.meshgrid(*3 * [np.arange(30.0)]), axis=-1).reshape(-1, 3)
    assert different_rows(np.repeat(X, 2, axis=0)) == len(X)
