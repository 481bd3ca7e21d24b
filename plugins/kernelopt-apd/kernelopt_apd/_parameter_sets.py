"""The sets that a kernel's parameters live in, and the nearest point of them."""

import numpy as np
import scipy.linalg

from kernelopt.plugin import FloatArray


def nearest_weights(x: FloatArray, total: float | None) -> FloatArray:
    """The nearest w >= 0 to x (m,), with sum w = total; of any sum where that is None.

    The sum is met by a threshold, w = max(x - t, 0), found by sorting (Held, Wolfe and Crowder, 1974).
    """
    if total is None:
        positive: FloatArray = np.maximum(x, 0.0)
        return positive
    x = x - x.max()  # the nearest point is the same, and the total is not lost beside large numbers
    falling = np.sort(x)[::-1]
    excess = np.cumsum(falling) - total
    last = int(np.flatnonzero(falling * np.arange(1, len(x) + 1) > excess)[-1])
    nearest: FloatArray = np.maximum(x - excess[last] / (last + 1), 0.0)
    return nearest


def nearest_parameters(S: tuple[FloatArray, ...], total: float | None) -> tuple[FloatArray, ...]:
    """The nearest parameters of a kernel: matrices (q, q) >= 0 and weights (m,) >= 0, all traces and sums together.

    In the Frobenius norm the matrices keep their eigenvectors, and the eigenvalues of all of them move as the weights
    do: Talitckii, Colbert and Peet (2024), Lemma 18, for one matrix.
    """
    turned = [scipy.linalg.eigh(s, check_finite=False) if s.ndim == 2 else (s, None) for s in S]
    values = nearest_weights(np.concatenate([spectrum for spectrum, _ in turned]), total)
    shares = np.split(values, np.cumsum([len(spectrum) for spectrum, _ in turned])[:-1])
    return tuple(
        share if vectors is None else _matrix(share, vectors)
        for share, (_, vectors) in zip(shares, turned, strict=True)
    )


def _matrix(values: FloatArray, vectors: FloatArray) -> FloatArray:
    """The matrix of these eigenvalues, most of which are 0 as a rule."""
    kept = values > 0.0
    half = vectors[:, kept] * np.sqrt(values[kept])
    product: FloatArray = half @ half.T
    return product
