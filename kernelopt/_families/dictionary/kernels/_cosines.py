"""The kernel of scikit-learn that is the cosine of the angle between rows."""

import numpy as np

from kernelopt._base._typing import FloatArray


@np.errstate(over="ignore", invalid="ignore")  # whoever asks refuses what is not finite
def cosines(X: FloatArray, Z: FloatArray) -> FloatArray:
    """Cosines of rows X (n, d) and Z (n', d), shape (n, n'), 0 for rows of zeros: scikit-learn's kernel, without
    the copies of all rows that it makes for each block.
    """
    found = (X * _inverse_lengths(X)[:, None]) @ Z.T
    found *= _inverse_lengths(Z)
    return np.asarray(found)


def _inverse_lengths(X: FloatArray) -> FloatArray:
    lengths = np.sqrt(np.einsum("ij,ij->i", X, X))
    return np.asarray(np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0.0))
