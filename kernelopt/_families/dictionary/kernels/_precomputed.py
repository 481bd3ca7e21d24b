"""A kernel that a matrix holds: its values between all rows."""

from typing import Any

import attrs
import numpy as np

from kernelopt._base._errors import InvalidData
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._linalg._definiteness import defect, glance


def _matrix(value: Any) -> FloatArray:
    array = np.array(value, dtype=np.float64)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not array.size:
        raise InvalidData(f"Precomputed: got an array of shape {array.shape}, wanted a square matrix")
    if not np.isfinite(array).all():
        raise InvalidData("Precomputed: the matrix has values that are NaN or infinite")
    if np.abs(array - array.T).max() > 1e-10 * np.abs(array).max():
        raise InvalidData("Precomputed: the matrix is not symmetric; use (K + K.T) / 2 if it should be")
    array.setflags(write=False)
    return array


@attrs.frozen(eq=False)
class Precomputed:
    """A kernel whose values are given as the matrix `gram`, between all rows: those to train on and those to predict.

    X then has one column, which holds the numbers of the rows in `gram`: those of the training rows in `solve`, and
    those of other rows in `predict`. In a union with families that see ordinary columns, put the row numbers into one
    more column and use `on` for it.

    Attributes:
        gram: the matrix, shape (N, N), symmetric, and positive semidefinite on the training rows.
        name: the name of the kernel in the description of the solution.

    Raises:
        InvalidData: `gram` is not square, finite and symmetric; or, when the kernel is used, X holds values that are
            not row numbers, or `gram` has negative eigenvalues on the training rows.
    """

    gram: FloatArray = attrs.field(converter=_matrix, repr=False)
    name: str = "precomputed"

    def __call__(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        """The entries between rows whose numbers X (n, 1) and Z (n', 1) hold, shape (n, n')."""
        rows, columns = self._rows(X), self._rows(Z)
        if _consecutive(rows) and _consecutive(columns):  # where they lie, with no copy
            return self.gram[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        return self.gram[np.ix_(rows, columns)]

    def diagonal(self, X: FloatArray) -> FloatArray:
        """The entries of rows X (n, 1) with themselves, shape (n,)."""
        rows = self._rows(X)
        return self.gram[rows, rows]

    def _rows(self, X: FloatArray) -> IntArray:
        N = len(self.gram)
        numbers = X[:, 0].astype(np.intp) if X.shape[1] == 1 else np.full(len(X), -1)
        if X.shape[1] != 1 or (numbers != X[:, 0]).any() or (numbers < 0).any() or (numbers >= N).any():
            raise InvalidData(
                f"Precomputed: X must hold row numbers from 0 to {N - 1} in one column, got other values in shape "
                f"{X.shape}; to use one column of a larger X write on(family, [column])"
            )
        return numbers

    def check(self, X: FloatArray) -> None:
        """Refuse a matrix with negative eigenvalues on some of the rows X (n, 1): no bound would be true.

        On all rows the learned kernel is looked at, at the end of a run: to factor every matrix of a list would take
        longer than to learn from it.
        """
        some = X[glance(len(X))]
        found = defect(self(some, some))
        if found is not None:
            raise InvalidData(
                f"Precomputed: the matrix of {self.name} is not positive semidefinite on the training rows: "
                f"{found}; clip its negative eigenvalues, or add to its diagonal"
            )


def _consecutive(numbers: IntArray) -> bool:
    """Whether each is the one before it plus 1, and there is one."""
    return bool(numbers.size and (numbers[1:] - numbers[:-1] == 1).all())
