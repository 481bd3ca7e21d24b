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
_LARGEST = 100
"""So many columns, those of the largest squares, are coordinates as they are: few beside those of the rest."""


@attrs.frozen(eq=False)
class SparseBasis:
    """An orthonormal basis of a space in which n sparse rows of d columns lie, d however large.

        x = L^-1 B x     coordinates, shape (r,), where L L' = B B'

    The first rows of B are those of the identity: columns that are coordinates as they are. So are all columns where
    they are no more than the rows, and else those of the largest squares, and those that are no longer sparse. Numbers
    that are large beside those of other columns, or beside what they vary by, would take the digits of inner products,
    from which the other coordinates come. These are of the rest of r' training rows, r' <= n, one after the other the
    farthest from the space of those before it.

    Inner products and distances of training rows are those of their coordinates, to rounding. A new row also has a
    share that lies in no training row's direction. Its length is one more coordinate, so that |x|^2 is right, and the
    distances to all training rows are. Columns that are 0 in B count for nothing: those that are 0 in all training
    rows, and those of the rest whose numbers are rounding beside the longest rest.

    Attributes:
        values, columns, starts: B as the arrays of a CSR matrix.
        width: d.
    """

    values: FloatArray
    columns: IntArray
    starts: IntArray
    width: int

    @cached_property
    def _plain(self) -> IntArray:
        """The columns that are the first coordinates as they are, shape (p,): rows of the identity, alone with a 1."""
        single = np.diff(self.starts) == 1
        count = len(single) if single.all() else int(np.argmin(single))
        columns = self.columns[:count]
        alone = (self.values[:count] == 1.0) & (np.bincount(self.columns, minlength=self.width)[columns] == 1)
        return columns if alone.all() else columns[: int(np.argmin(alone))]

    @cached_property
    def _rest(self) -> Any:
        """The other rows of B as a sparse matrix (r - p, d)."""
        return self.rows[len(self._plain) :]

    @cached_property
    def _factor(self) -> FloatArray:
        """The block of L that is no identity, shape (r - p, r - p), which only new rows ask for."""
        B = self._rest
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
        S = numbers_of(X, name)
        n = S.shape[0]
        if n > MOST:
            raise InvalidData(
                f"{name} is sparse and has {n} rows, wanted {MOST} at most, because each row is held by its inner "
                "products with the others; learn from some of the rows, or reduce the columns, for example with "
                "scikit-learn's TruncatedSVD, and pass the dense result"
            )
        plain = _plain_columns(S)
        require(8 * n * (3 * n + 2 * len(plain)), f"the inner products of {n} sparse rows")
        shown, rest = _parted(S, plain)
        turned, order, rank = factored(rest)
        B = sparse.vstack([_identity(plain, S.shape[1]), rest[order[:rank]]], format="csr")
        basis = cls(B.data, B.indices.astype(np.intp), B.indptr.astype(np.intp), int(S.shape[1]))
        return basis, basis._joined(shown, turned, basis._squares(rest))

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
        S = numbers_of(X, name)
        require(8 * S.shape[0] * (2 * self.rank + 1), f"the coordinates of {S.shape[0]} sparse rows")
        shown, rest = _parted(S, self._plain)
        squares, turned = self._squares(rest), np.zeros((S.shape[0], self._rest.shape[0]))
        if turned.shape[1]:
            products = _products(rest, self._rest).T
            turned = solve_triangular(self._factor, products, lower=True, overwrite_b=True, check_finite=False).T
        return self._joined(shown, turned, squares)

    def _squares(self, rest: Any) -> FloatArray:
        """|x|^2 of the rows of a rest, shape (n',), in whose place columns that are 0 in B become 0."""
        known = np.zeros(self.width, dtype=bool)
        known[self.columns] = True
        rest.data[~known[rest.indices]] = 0.0
        return np.asarray(rest.multiply(rest).sum(axis=1)).ravel()

    def _joined(self, shown: FloatArray, turned: FloatArray, squares: FloatArray) -> FloatArray:
        """Plain coordinates (n, p) and turned ones (n, r - p), with the length of what lies beyond the latter in rests
        of these squared lengths (n,), shape (n, r + 1 or r + 2).
        """
        left = squares - np.einsum("ij,ij->i", turned, turned)
        beyond = np.sqrt(np.where(left > _ROUNDING * max(turned.shape[1], 1) * squares, left, 0.0))
        nothing = np.zeros((len(shown), self.coordinates - self.rank - 1))
        return np.hstack([shown, turned, beyond[:, None], nothing])

    def sound(self) -> bool:
        """Whether the arrays are those of a CSR matrix: a file may hold others."""
        try:
            sparse.csr_matrix((self.values, self.columns, self.starts), (self.rank, self.width)).check_format()
        except (ValueError, IndexError):
            return False
        return bool(np.isfinite(self.values).all())


def numbers_of(X: Any, name: str) -> Any:
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
    S.eliminate_zeros()
    if not np.isfinite(S.data).all():
        raise InvalidData(
            f"{name} is sparse and has values that are missing or infinite, wanted finite numbers; fill them in, or "
            "drop their rows"
        )
    return S


def _plain_columns(S: Any) -> IntArray:
    """The columns of training rows S (n, d) that are coordinates as they are, ascending."""
    n, d = S.shape
    filled = np.bincount(S.indices, minlength=d)
    told = np.flatnonzero(filled)
    if len(told) <= max(n, _LARGEST):
        return told
    squares = np.bincount(S.indices, weights=(S.data / np.abs(S.data).max()) ** 2, minlength=d)
    return np.union1d(np.argsort(-squares, kind="stable")[:_LARGEST], np.flatnonzero(2 * filled > n))


def _parted(S: Any, plain: IntArray) -> tuple[FloatArray, Any]:
    """The plain columns of rows S (n, d) as a dense array, shape (n, p), and the rows without them, shape (n, d)."""
    rest = S.copy()
    rest.data[np.isin(rest.indices, plain)] = 0.0
    rest.eliminate_zeros()
    return S[:, plain].toarray(), rest


def _identity(plain: IntArray, d: int) -> Any:
    """The rows of the identity (d, d) that belong to these columns, as a sparse matrix (p, d)."""
    p = len(plain)
    return sparse.csr_array((np.ones(p), (np.arange(p), plain)), shape=(p, d))


def factored(rest: Any) -> tuple[FloatArray, IntArray, int]:
    """Rows (n, d) in a basis of them, shape (n, r'), the rows from the farthest to the nearest, and r'."""
    n = rest.shape[0]
    if not rest.nnz:
        return np.zeros((n, 0)), np.arange(n), 0
    G = _inner_products(rest)
    least = _ROUNDING * n * float(G.diagonal().max(initial=0.0))
    U, order, rank, _ = dpstrf(G.T, tol=least, lower=0, overwrite_a=1)  # of G.T lapack needs no copy
    order, rank = order - 1, int(rank) if least > 0.0 else 0
    found = np.zeros((n, rank))
    for i, (row, values) in enumerate(zip(order.tolist(), U.T, strict=True)):  # above the diagonal G is left
        known = min(i + 1, rank)
        found[row, :known] = values[:known]
    return found, order, rank


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
