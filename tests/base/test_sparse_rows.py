"""Sparse rows as coordinates of a basis of the training rows."""

import numpy as np
import pytest
from scipy import sparse

from kernelopt._base._sparse_rows import SparseBasis


@pytest.mark.parametrize("small", [1e-3, 1e-6, 1e-9, 1e-12])
def test_training_rows_have_the_same_coordinates_when_they_come_back(small):
    """A column that only rows have which are rounding beside the longest is a column of no row of the basis."""
    rng = np.random.default_rng(0)
    X = np.zeros((12, 4))
    X[:6, :2] = rng.normal(size=(6, 2))
    X[6:, 2] = small * rng.normal(size=6)
    X[3:9, 3] = small**2
    basis, coordinates = SparseBasis.read(sparse.csr_array(X))
    again = basis.of_rows(sparse.csr_array(X))
    size = np.linalg.norm(coordinates, axis=1, keepdims=True)
    assert (np.abs(again - coordinates) <= 1e-6 * size).all()
