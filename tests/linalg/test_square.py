"""The block that some rows of a Gram matrix make: few rows are copied, many are written by a compiled loop."""

import numpy as np
import pytest

from kernelopt._linalg._compiled_rows import square


@pytest.mark.parametrize("k", [1, 128, 129])
def test_a_block_is_that_of_its_rows_and_contiguous_for_compiled_loops(k):
    """Another order of the array would be compiled for once more, which takes seconds."""
    rng = np.random.default_rng(k)
    K = rng.normal(size=(150, 150))
    rows = rng.integers(0, 150, size=k)
    block = square(K, rows)
    np.testing.assert_array_equal(block, K[np.ix_(rows, rows)])
    assert block.flags.c_contiguous
    assert not np.shares_memory(block, K)
