"""exp(-rate x) of arrays of distances."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from kernelopt._linalg._decay import decayed

MANY = 20_000


@pytest.mark.parametrize("size", [10, MANY])
@pytest.mark.parametrize("rate", [0.0, 1e-8, 1.0, 30.0])
def test_it_is_the_exponential_to_rounding(size, rate):
    x = np.random.default_rng(0).exponential(size=size) * np.logspace(-12, 2, size)
    wanted = np.exp(-rate * x)
    found = decayed(x, rate, np.empty_like(x))
    normal = wanted > 1e-306
    np.testing.assert_allclose(found[normal], wanted[normal], rtol=5e-16)
    assert found[~normal].max(initial=0.0) < 1e-300


@given(arrays.arrays(np.float64, 8, elements=st.floats(0.0, 1e300)))
def test_one_number_does_not_depend_on_how_many_there_are(few):
    """Of few numbers the exponential is numpy's, of many the compiled one."""
    many = np.tile(few, MANY // len(few))
    np.testing.assert_allclose(
        decayed(many, 1.0, np.empty_like(many))[:8], decayed(few, 1.0, np.empty_like(few)), rtol=5e-16, atol=1e-306
    )


@pytest.mark.parametrize("size", [7, MANY])
def test_numbers_at_the_ends(size):
    x = np.zeros(size)
    x[:6] = 0.0, 1e-310, 708.5, 1e4, np.inf, np.nan
    x[6] = np.uint64(0x7FF8000000000FFF).view(np.float64)  # a NaN whose lowest bits are not 0 either
    found = decayed(x, 1.0, x)
    assert found is x
    np.testing.assert_array_equal(found[:2], 1.0)
    assert found[2] < 1e-307
    np.testing.assert_array_equal(found[3:7], [0.0, 0.0, np.nan, np.nan])


def test_arrays_of_any_shape_and_order():
    x = np.random.default_rng(1).exponential(size=(200, 300))
    wanted = np.exp(-0.5 * x)
    for out in (np.empty_like(x), np.empty((300, 200)).T, np.empty((200, 600))[:, ::2]):
        assert decayed(x, 0.5, out) is out
        np.testing.assert_allclose(out, wanted, rtol=5e-16)
