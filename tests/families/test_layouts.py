"""Rows in the order of Fortran, as the columns of a table lie, are the rows that they are in the order of C."""

import numpy as np
import pytest

from kernelopt import Dictionary


@pytest.mark.parametrize("seed", range(20))
def test_categories_are_told_whatever_the_order_of_the_rows_in_memory(seed):
    """A mean that is summed in another order differs in its last bits, and a category is told by all of them."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(50, 400))
    numbers = rng.normal(size=(n, 2))
    X = np.column_stack([rng.integers(0, 5, size=n), numbers, np.exp(3.0 * rng.normal(size=n))])
    seen = [Dictionary("auto").prepare(rows, np.ones(n)).seen(X) for rows in (X, np.asfortranarray(X))]
    np.testing.assert_allclose(seen[1], seen[0], rtol=1e-9, atol=1e-9)
