"""Along which directions a function of a list's kernels varies: its average gradient outer product."""

from collections.abc import Sequence

import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._families.dictionary._base_kernels import Kernel, placed
from kernelopt._families.dictionary._blocks import heights
from kernelopt._families.dictionary._closed_form import Form, base_of
from kernelopt._families.dictionary._places import Place

_HEIGHT = 256
"""Rows that are worked on at a time."""
_FEW = 1 << 19
"""Of so few signs numpy takes some milliseconds, and numba would take half a second to compile what is quicker.
Worth: `first_call_peer.py`, the evidence."""


def outer_product(members: Sequence[tuple[Kernel, float]], X: FloatArray, V: FloatArray) -> FloatArray:
    """G = 1/n sum_c sum_i grad f_c(x_i) grad f_c(x_i)', shape (d, d), of f_c = sum_a w_a sum_j V_jc k_a(., x_j).

    The kernels of one place share their distances: in O(n^2 d') for each place and output, and as much memory as a
    block of rows takes. A Laplacian's slope is 0 in a column where two rows agree, by symmetry, and that of |x - z| at
    copies. Kernels without a closed form are left out.

    Radhakrishnan, Beaglehole, Pandit and Belkin (2024) learn a metric from it, round after round.

    Args:
        members: kernels and their weights, in the units of f.
        X: rows as the kernels see them, shape (n, d).
        V: shape (n, c).
    """
    groups: dict[Place, list[tuple[Form, float]]] = {}
    for kernel, weight in members:
        place, form = placed(kernel)
        if form is not None:
            groups.setdefault(place, []).append((form, weight))
    views = {place: np.ascontiguousarray(place.of(X)) for place in groups}
    G = np.zeros((X.shape[1], X.shape[1]))
    for start in range(0, len(X), _HEIGHT):
        rows = slice(start, start + _HEIGHT)
        slopes = np.zeros((V.shape[1], len(X[rows]), X.shape[1]))
        for place, forms in groups.items():
            for c, gradients in enumerate(_gradients(forms, views[place][rows], views[place], V)):
                slopes[c] += place.pulled(gradients, X.shape[1])
        flat = slopes.reshape(-1, X.shape[1])
        G += flat.T @ flat
    return G / len(X)


def _gradients(forms: list[tuple[Form, float]], Z: FloatArray, X: FloatArray, V: FloatArray) -> FloatArray:
    """Of each output's share of these kernels at rows Z (n', d'), shape (c, n', d')."""
    found = np.zeros((V.shape[1], *Z.shape))
    for kind in sorted({form.base for form, _ in forms}):
        base = base_of(kind, Z, X)
        slope = np.zeros_like(base)
        for form, weight in forms:
            if form.base == kind:
                slope += weight * form.slope(base, Z.shape[1])
        if kind == "absolutes":
            found += _signed(slope, Z, X, V)
            continue
        for c, v in enumerate(V.T):
            W = slope * v
            found[c] += W @ X if kind == "products" else 2.0 * (W.sum(axis=1)[:, None] * Z - W @ X)
    return found


def _signed(W: FloatArray, Z: FloatArray, X: FloatArray, V: FloatArray) -> FloatArray:
    """sum_j W_ij V_jc sign(z_i - x_j), shape (c, n', d'): the signs are told once for all outputs."""
    if len(Z) * X.size <= _FEW:
        signed = _plainly
    else:
        from kernelopt._linalg._absolute_distances import signed  # imports numba where it is needed

    found = np.empty((V.shape[1], *Z.shape))
    for rows in heights(len(Z), X.size):
        found[:, rows] = np.moveaxis(signed(W[rows], Z[rows], X) @ V, 2, 0)
    return found


def _plainly(W: FloatArray, Z: FloatArray, X: FloatArray) -> FloatArray:
    """W_ik sign(z_ij - x_kj) of rows Z (n', d) and X (n, d), shape (n', d, n)."""
    signs: FloatArray = np.sign(Z[:, :, None] - X.T)
    signs *= W[:, None, :]
    return signs
