"""A kernel whose values with all training rows a row brings along."""

import attrs
import numpy as np

from kernelopt._base._errors import InvalidData
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._linalg._definiteness import defect, glance


@attrs.frozen
class RowsOfGram:
    """A Gram that is at hand, a row of it for each row: x = (number, K[x, 0], K[x, 1], ...); k(z, x) = z[number of x].

    Attributes:
        name: of the Gram, in words.

    Raises:
        InvalidData: when it is used: k(z, x) is asked for an x that is no training row, or the Gram has negative
            eigenvalues on the training rows.
    """

    name: str

    def __call__(self, Z: FloatArray, X: FloatArray) -> FloatArray:
        """The entries of rows Z (n', 1 + N) at the numbers of rows X (n, 1 + N), shape (n', n)."""
        return np.asarray(Z[:, 1 + self._numbers(X)])

    def _numbers(self, X: FloatArray) -> IntArray:
        """Those of rows X (n, 1 + N) among the training rows, shape (n,)."""
        numbers = X[:, 0]
        if ((numbers < 0.0) | (numbers != np.floor(numbers))).any():
            raise InvalidData(
                f"view {self.name!r}: got a Gram between new rows and training rows; standard deviations and "
                "likelihoods also need the kernel of each new row with itself, which this Gram does not hold; ask for "
                "predictions alone, or pass rows of one Gram of all rows, kernelopt.Views([K])"
            )
        return numbers.astype(np.intp)

    def diagonal(self, X: FloatArray) -> FloatArray:
        """The entries of rows X (n, 1 + N) with themselves, shape (n,)."""
        return np.asarray(X[np.arange(len(X)), 1 + self._numbers(X)])

    def check(self, X: FloatArray) -> None:
        """Refuse a Gram with negative eigenvalues on some of the rows X (n, 1 + N), as `Precomputed` does.

        Raises:
            InvalidData: it has some.
        """
        some = X[glance(len(X))]
        K = self(some, some)
        found = defect(K)
        if found is not None and _in_single_precision(K):
            found = defect(K, np.finfo(np.float32).eps * np.sqrt(len(K)) * float(K.diagonal().max()))
        if found is not None:
            raise InvalidData(
                f"view {self.name!r}: the Gram is not positive semidefinite on the training rows: {found}; clip its "
                "negative eigenvalues, or add to its diagonal"
            )


def _in_single_precision(K: FloatArray) -> bool:
    """Whether all entries of a matrix (n, n) are numbers of 32 bits.

    A kernel whose entries were rounded to such numbers has eigenvalues that moved by about root n of the last places of
    its diagonal.
    """
    return all(np.array_equal(row, row.astype(np.float32)) for row in K)
