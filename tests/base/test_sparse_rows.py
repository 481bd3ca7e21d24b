"""Sparse rows as coordinates of a basis of the training rows."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from kernelopt._base._sparse_rows import SparseBasis

WORDS = sparse.random(40, 3000, density=0.02, random_state=0, format="csr").toarray()
"""Rows that lie in fewer dimensions than columns."""


@pytest.mark.parametrize("small", [1e-3, 1e-6, 1e-9, 1e-12])
def test_training_rows_have_the_same_coordinates_when_they_come_back(small):
    """A column that only rows have which are rounding beside the longest is a column of no row of the basis."""
    rng = np.random.default_rng(0)
    X = np.zeros((12, 4))
    X[:6, :2] = rng.normal(size=(6, 2))
    X[6:, 2] = small * rng.normal(size=6)
    X[3:9, 3] = small**2
    X = np.hstack([*(np.tile(X, (1, 50)) * rng.normal(size=200),) * 2])
    basis, coordinates = SparseBasis.read(sparse.csr_array(X))
    again = basis.of_rows(sparse.csr_array(X))
    size = np.linalg.norm(coordinates, axis=1, keepdims=True)
    assert (np.abs(again - coordinates) <= 1e-6 * size).all()


def far(kind):
    """Rows whose numbers are large beside what they vary by, or beside those of other columns."""
    rng = np.random.default_rng(0)
    level = 1e6 + 10.0 * rng.normal(size=(40, 300))
    return {
        "few columns": np.where(rng.random((40, 6)) < 0.5, level[:, :6], 0.0) * [1e-6, 1e-3, 1.0, 1.0, 1.0, 1e-6],
        "no zeros": level,
        "a column beside words": np.hstack([level[:, :1], WORDS]),
        "a column of few rows beside words": np.hstack([np.where(rng.random((40, 1)) < 0.4, level[:, :1], 0.0), WORDS]),
        "huge": 1e150 * WORDS,
    }[kind]


@pytest.mark.parametrize(
    "kind", ["few columns", "no zeros", "a column beside words", "a column of few rows beside words", "huge"]
)
def test_distances_of_far_rows_keep_their_digits(kind):
    X = far(kind)
    basis, coordinates = SparseBasis.read(sparse.csr_array(X))
    wanted = cdist(X, X)
    for found in (coordinates, basis.of_rows(X)):
        np.testing.assert_allclose(cdist(found, coordinates), wanted, rtol=1e-9, atol=1e-12 * wanted.max())


def test_columns_that_are_coordinates_are_found_again_in_the_basis_alone():
    """A row with a single 1 stands for a column, unless other rows of the basis have the column too."""
    X = np.vstack([np.eye(3, 200), np.eye(3, 200) + np.eye(3, 200, 1), WORDS[:, :200]])
    basis, coordinates = SparseBasis.read(sparse.csr_array(X))
    np.testing.assert_allclose(coordinates @ coordinates.T, X @ X.T, atol=1e-12)
    np.testing.assert_allclose(basis.of_rows(X) @ coordinates.T, X @ X.T, atol=1e-12)
    rows = SparseBasis(np.ones(3), np.array([0, 0, 1]), np.array([0, 1, 3]), 5)
    np.testing.assert_allclose(np.abs(rows.of_rows(np.eye(2, 5))), [[1, 0, 0], [0, 1, 0]], atol=1e-15)
