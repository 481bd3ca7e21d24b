"""Sparse rows as coordinates: what linear, polynomial and Gaussian kernels see of them, and nothing else."""

from functools import cached_property
from typing import Any

import attrs
import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, solve_triangular
from scipy.linalg.lapack import dpstrf

from kernelopt._base._errors import InvalidData
from kernelopt._base._memory import require
from kernelopt._base._row_slices import row_slices
from kernelopt._base._typing import FloatArray, IntArray

MOST = 10_000
"""Rows at most: their inner products are a matrix of so many rows and columns."""
_ROUNDING = 10.0 * np.finfo(np.float64).eps
"""Times the number of rows: as a share of the largest |x|^2, rows no farther from a space are in it."""
_AT_ONCE = 1 << 22
"""So many inner products are looked at at once."""


@attrs.frozen(eq=False)
class SparseBasis:
    """An orthonormal basis of the space that n sparse rows of d columns span, d however large.

    It is made of r training rows B, r <= n, one after the other the farthest from the space of those before it:

        x = L^-1 B x     coordinates, shape (r,), where L L' = B B'

    Inner products and distances of training rows are those of their coordinates, to rounding. A new row also has a
    share that lies in no training row's direction. Its length is one more coordinate, so that |x|^2 is right, and the
    distances to all training rows are. Columns that are 0 in B count for nothing: those that are 0 in all training
    rows, and those whose numbers are rounding beside the longest of them.

    Attributes:
        values, columns, starts: B as the arrays of a CSR matrix.
        width: d.
    """

    values: FloatArray
    columns: IntArray
    starts: IntArray
    width: int

    @cached_property
    def _factor(self) -> FloatArray:
        """L, shape (r, r), which only new rows ask for."""
        B = self.rows
        if not B.shape[0]:
            return np.zeros((0, 0))
        return np.tril(cho_factor(_inner_products(B).T, overwrite_a=True, check_finite=False)[0].T)

    @classmethod
    def read(cls, X: Any, name: str = "X") -> "tuple[SparseBasis, FloatArray]":
        """That of the training rows X, a sparse matrix (n, d), and their coordinates, shape (n, r + 1 or r + 2).

        One factorisation gives both: with pivots, X X' = L L' has the coordinates of all rows for the rows of L.

        Raises:
            InvalidData: it has more than 10,000 rows, no columns, or values that are no finite numbers.
            NotEnoughMemory: three matrices of n x n do not fit.
        """
        S = _numbers(X, name)
        n = S.shape[0]
        if n > MOST:
            raise InvalidData(
                f"{name} is sparse and has {n} rows, wanted {MOST} at most, because each row is held by its inner "
                "products with the others; learn from some of the rows, or reduce the columns, for example with "
                "scikit-learn's TruncatedSVD, and pass the dense result"
            )
        require(3 * 8 * n * n, f"the inner products of {n} sparse rows")
        G = _inner_products(S)
        least = _ROUNDING * n * float(G.diagonal().max(initial=0.0))
        U, order, rank, _ = dpstrf(G.T, tol=least, lower=0, overwrite_a=1)  # of G.T lapack needs no copy
        order, rank = order - 1, int(rank) if least > 0.0 else 0
        B = S[order[:rank]]
        basis = cls(B.data, B.indices.astype(np.intp), B.indptr.astype(np.intp), int(S.shape[1]))
        squares = basis._squares(S)
        found = np.zeros((n, basis.coordinates))
        for i, (row, values) in enumerate(zip(order.tolist(), U.T, strict=True)):  # above the diagonal G is left
            known = min(i + 1, rank)
            found[row, :known] = values[:known]
        return basis, basis._with_rest(found, squares)

    @property
    def rows(self) -> Any:
        """B as a sparse matrix (r, d)."""
        return sparse.csr_array((self.values, self.columns, self.starts), shape=(len(self.starts) - 1, self.width))

    @property
    def told(self) -> int:
        """The number of columns that are not 0 in all training rows."""
        return len(np.unique(self.columns))

    @property
    def rank(self) -> int:
        """The number of directions, r."""
        return len(self.starts) - 1

    @property
    def coordinates(self) -> int:
        """How many numbers stand for a row: those of the directions, and one for what is beyond them. They are never as
        many as the columns, so that it can be seen of rows which of both they are: else a 0 joins them.
        """
        return self.rank + 1 + (self.rank + 1 == self.width)

    @property
    def names(self) -> tuple[str, ...]:
        """What they are called."""
        return (*(f"direction {k}" for k in range(self.rank)), "beyond", "nothing")[: self.coordinates]

    def of_rows(self, X: Any, name: str = "X") -> FloatArray:
        """The coordinates of rows of a sparse matrix (n', d), or of an array, shape (n', r + 1 or r + 2).

        Raises:
            InvalidData: it has values that are no finite numbers.
            NotEnoughMemory: the coordinates do not fit.
        """
        S = _numbers(X, name)
        require(8 * S.shape[0] * (2 * self.rank + 1), f"the coordinates of {S.shape[0]} sparse rows")
        found = np.zeros((S.shape[0], self.coordinates))
        squares = self._squares(S)
        if self.rank:
            products = _products(S, self.rows).T
            found[:, : self.rank] = solve_triangular(
                self._factor, products, lower=True, overwrite_b=True, check_finite=False
            ).T
        return self._with_rest(found, squares)

    def _squares(self, S: Any) -> FloatArray:
        """|x|^2 of the rows of S, shape (n',), in whose place columns that are 0 in B become 0."""
        known = np.zeros(self.width, dtype=bool)
        known[self.columns] = True
        S.data[~known[S.indices]] = 0.0
        return np.asarray(S.multiply(S).sum(axis=1)).ravel()

    def _with_rest(self, found: FloatArray, squares: FloatArray) -> FloatArray:
        """Coordinates of rows (n, r + 1 or r + 2) whose squared lengths are (n,), with that of what lies beyond."""
        left = squares - np.einsum("ij,ij->i", found, found)
        found[:, self.rank] = np.sqrt(np.where(left > _ROUNDING * max(self.rank, 1) * squares, left, 0.0))
        return found

    def sound(self) -> bool:
        """Whether the arrays are those of a CSR matrix: a file may hold others."""
        try:
            sparse.csr_matrix((self.values, self.columns, self.starts), (self.rank, self.width)).check_format()
        except (ValueError, IndexError):
            return False
        return bool(np.isfinite(self.values).all())


def _numbers(X: Any, name: str) -> Any:
    """A sparse matrix of finite doubles, without doubled entries.

    Raises:
        InvalidData: it has other values, or no rows and columns.
    """
    S = sparse.csr_array(X)
    if S.dtype.kind not in "biuf":
        raise InvalidData(f"{name} is sparse with values of dtype {S.dtype}, wanted real numbers")
    if 0 in S.shape:
        raise InvalidData(f"{name} has shape {S.shape}: it is empty")
    S = S.astype(np.float64, copy=True)
    S.sum_duplicates()
    if not np.isfinite(S.data).all():
        raise InvalidData(
            f"{name} is sparse and has values that are missing or infinite, wanted finite numbers; fill them in, or "
            "drop their rows"
        )
    return S


def _products(A: Any, B: Any) -> FloatArray:
    """A B' of sparse rows, dense, shape (a, b), computed for some rows of A after the others."""
    found = np.empty((A.shape[0], B.shape[0]))
    other = B.T.tocsr()
    for rows in _blocks(*found.shape):
        found[rows] = (A[rows] @ other).toarray()
    return found


def _inner_products(A: Any) -> FloatArray:
    """The lower half of A A' of sparse rows, dense, shape (a, a), and of the upper half some or zeros."""
    found = np.zeros((A.shape[0], A.shape[0]))
    for rows in _blocks(*found.shape):
        found[rows, : rows.stop] = (A[rows] @ A[: rows.stop].T.tocsr()).toarray()
    return found


def _blocks(a: int, b: int) -> list[slice]:
    """Rows of a matrix (a, b), some after the others."""
    height = max(_AT_ONCE // max(b, 1), 1)
    return row_slices(a, height)
