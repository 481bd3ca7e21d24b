"""Roots of the atoms' Grams on the rows that move: v'K_a v as the square of a vector that is affine in v."""

import attrs
import numpy as np
from scipy import sparse
from scipy.linalg.lapack import dpstrf

from kernelopt.plugin import FloatArray, Gram, IntArray, LowRank


@attrs.frozen(eq=False)
class Image:
    """v'Kv = |matrix z + offset|^2, where v = held + z on the rows that move, and held elsewhere.

    Attributes:
        matrix: sparse, shape (k, number of rows that move).
        offset: shape (k,).
    """

    matrix: sparse.csr_matrix
    offset: FloatArray


def image(gram: Gram, rows: IntArray, held: FloatArray, precision: float) -> Image:
    """The image of an atom's Gram.

    Args:
        gram: K, on n rows.
        rows: those that move, shape (s,), sorted.
        held: the share of v that does not move, shape (n,).
        precision: what of K may be left out, as a share of its largest diagonal entry.
    """
    if isinstance(gram, LowRank) and gram.factor.shape[1] <= len(rows):
        return _explicit(gram, rows, held)
    matrix = gram.block(rows, rows)
    if not held.any():
        root = _root(matrix, precision)
        return Image(sparse.csr_matrix(root), np.zeros(len(root)))
    return _bordered(matrix, gram.apply(held), rows, held, precision)


def _explicit(gram: LowRank, rows: IntArray, held: FloatArray) -> Image:
    """F' and the root of the ridge, a number or one for each row, as they stand."""
    matrix, offset = sparse.csr_matrix(gram.factor[rows].T), gram.factor.T @ held
    if not np.any(gram.ridge):
        return Image(matrix, offset)
    size = np.sqrt(np.broadcast_to(gram.ridge, gram.n))
    bent = size * held
    diagonal = sparse.vstack([sparse.diags_array(size[rows]), sparse.csr_array((1, len(rows)))])
    beyond = np.append(bent[rows], np.linalg.norm(np.delete(bent, rows)))
    return Image(sparse.csr_matrix(sparse.vstack([matrix, diagonal])), np.concatenate([offset, beyond]))


def _bordered(matrix: FloatArray, product: FloatArray, rows: IntArray, held: FloatArray, precision: float) -> Image:
    """The root of [[K, K h], [h'K, h'K h]] on the rows that move, h = held in the units of K's diagonal."""
    quad = max(float(held @ product), 0.0)
    size = np.sqrt(quad / (float(np.diagonal(matrix).max()) or 1.0)) or 1.0
    border = product[rows] / size
    root = _root(np.block([[matrix, border[:, None]], [border, quad / size**2]]), precision)
    return Image(sparse.csr_matrix(root[:, :-1]), size * root[:, -1])


def _root(matrix: FloatArray, precision: float) -> FloatArray:
    """R (r, s) with R'R = matrix up to the precision: Cholesky with complete pivoting, which ends at the rank."""
    largest = float(np.diagonal(matrix).max(initial=0.0))
    if not largest > 0.0:
        return np.zeros((0, len(matrix)))
    factor, pivots, rank, _ = dpstrf(matrix, tol=precision * largest, lower=1)
    root = np.zeros((rank, len(matrix)))
    root[:, pivots - 1] = np.tril(factor[:, :rank]).T
    return root
