"""Along which directions a function of a list's kernels varies: its average gradient outer product."""

from collections.abc import Iterator, Sequence
from typing import Self

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families.dictionary.grams._gram_parts import heights
from kernelopt._families.dictionary.kernels._base_kernels import Kernel, placed
from kernelopt._families.dictionary.kernels._closed_form import Form
from kernelopt._families.dictionary.kernels._pairwise import base_of
from kernelopt._families.dictionary.seen._coded_columns import Coded, View, numbers_seen, seen_from, written_out
from kernelopt._families.dictionary.seen._places import Place
from kernelopt._linalg._decay import steepest

_HEIGHT = 256
"""Rows that are worked on at a time."""
_MOST = 2000
"""Gradients that are looked at in at least as many columns: their product is decomposed, at the cost of a cube."""
_FLAT = 1e-8
"""A direction along which the function varies by a smaller share is left out."""
_FEW = 1 << 19
"""Of so few signs numpy takes some milliseconds, and numba would take half a second to compile what is quicker.
Worth: `first_call_peer.py`, the evidence."""


@attrs.frozen(eq=False)
class OuterProduct:
    """G = sum_k values_k u_k u_k', without the directions u_k along which a function hardly varies.

    Attributes:
        diagonal: of G, shape (d,).
        values: rising, > 0, shape (r,); none where G is 0 or not finite.
        vectors: the u_k, shape (d, r).
    """

    diagonal: FloatArray
    values: FloatArray
    vectors: FloatArray

    @classmethod
    def of(cls, G: FloatArray) -> Self:
        """That of a matrix (d, d), in O(d^3)."""
        return cls(np.diag(G), *_leading(G))

    @classmethod
    def of_gradients(cls, J: FloatArray) -> Self:
        """J'J of fewer gradients than columns, J of shape (m, d), in O(m^2 d): from the eigenvectors of J J'."""
        values, inner = _leading(J @ J.T)
        return cls(np.einsum("id,id->d", J, J), values, (J.T @ inner) / np.sqrt(values))

    @property
    def root(self) -> FloatArray:
        """R with G = R R', shape (d, r)."""
        return self.vectors * np.sqrt(self.values)


def _leading(matrix: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The eigenvalues of a positive semidefinite matrix (m, m) that count, shape (r,), and their vectors, (m, r)."""
    if not 0.0 < float(np.trace(matrix)) < np.inf:
        return np.zeros(0), np.zeros((len(matrix), 0))
    values, vectors = np.linalg.eigh(matrix)
    leading = values > _FLAT * values[-1]
    return values[leading], vectors[:, leading]


def outer_product(
    members: Sequence[tuple[Kernel, float]], X: View, V: FloatArray, first: int | None = None
) -> OuterProduct:
    """G = 1/n sum_c sum_i grad f_c(x_i) grad f_c(x_i)', (d, d), of f_c = sum_a w_a sum_j V_jc k_a(., x_j).

    The kernels of one place share their distances: in O(n^2 d') for each place and output, and as much memory as a
    block of rows takes. Where there are more columns than gradients, nothing of their square is formed, and where there
    are thousands of both, evenly spaced rows stand for all. A Laplacian's slope is 0 in a column where two rows agree,
    by symmetry, and that of |x - z| at copies. Kernels without a closed form are left out.

    Radhakrishnan, Beaglehole, Pandit and Belkin (2024) learn a metric from it, round after round.

    Args:
        members: kernels and their weights, in the units of f.
        X: rows as the kernels see them, shape (n, d).
        V: shape (n, c).
        first: so many of the d columns, the first ones, are directions that are looked at; by default all.
    """
    d, rows = X.shape[1] if first is None else first, np.arange(len(X))
    if min(V.size, d) > _MOST:
        rows = np.linspace(0, len(X) - 1, max(_MOST // V.shape[1], 1), dtype=np.intp)
    if len(rows) * V.shape[1] < d:
        return OuterProduct.of_gradients(np.vstack(list(_blocks(members, X, V, rows, d))) / np.sqrt(len(rows)))
    G = np.zeros((d, d))
    for J in _blocks(members, X, V, rows, d):
        G += J.T @ J
    return OuterProduct.of(G / len(rows))


def _blocks(
    members: Sequence[tuple[Kernel, float]], X: View, V: FloatArray, rows: IntArray, d: int
) -> Iterator[FloatArray]:
    """The gradients of all outputs in the first d columns at some of these rows, and at the next of them, shape
    (c n', d).
    """
    groups: dict[Place, list[tuple[Form, float]]] = {}
    for kernel, weight in members:
        place, form = placed(kernel)
        if form is not None:
            groups.setdefault(place, []).append((form, weight))
    views = {place: seen_from(place, X) for place in groups}
    for start in range(0, len(rows), _HEIGHT):
        here = rows[start : start + _HEIGHT]
        slopes = np.zeros((V.shape[1], len(here), d))
        for place, forms in groups.items():
            for c, gradients in enumerate(_gradients(forms, views[place][here], views[place], V)):
                slopes[c] += place.pulled(gradients, numbers_seen(views[place][here]), X.shape[1])[:, :d]
        yield slopes.reshape(-1, d)


def _gradients(forms: list[tuple[Form, float]], Z: View, X: View, V: FloatArray) -> FloatArray:
    """Of each output's share of these kernels at rows Z (n', d'), shape (c, n', d')."""
    found = np.zeros((V.shape[1], *Z.shape))
    for kind in sorted({form.base for form, _ in forms}):
        steepness = steepest(form.decay(Z.shape[1]) for form, _ in forms if form.base == kind)
        base = base_of(kind, Z, X, steepness)
        slope = np.zeros_like(base)
        for form, weight in forms:
            if form.base == kind:
                slope += weight * form.slope(base, Z.shape[1])
        if kind == "absolutes":
            found += _signed(slope, Z, X, V)
            continue
        for c, v in enumerate(V.T):
            W = slope * v
            pulled = _summed(W, X)
            found[c] += pulled if kind == "products" else 2.0 * (W.sum(axis=1)[:, None] * written_out(Z) - pulled)
    return found


def _summed(W: FloatArray, X: View) -> FloatArray:
    """W x of rows X (n, d), shape (n', d)."""
    return X.summed(W) if isinstance(X, Coded) else W @ X


def _signed(W: FloatArray, Z: View, X: View, V: FloatArray) -> FloatArray:
    """sum_k W_ik V_kc sign(z_i - x_k), shape (c, n', d').

    The sign of two indicators is 1 where z alone has it, and -1 where x alone has it: their difference.
    """
    if not (isinstance(Z, Coded) and isinstance(X, Coded)):
        return _signs(W, written_out(Z), written_out(X), V)
    own, others = (rows.indicators(np.sign(rows.sizes)) for rows in (Z, X))
    signs, total = own.toarray(), W @ V
    found = np.stack([total[:, [c]] * signs - (W * v) @ others for c, v in enumerate(V.T)])
    found[:, :, X.others] = _signs(W, Z.numbers, X.numbers, V)
    return found


def _signs(W: FloatArray, Z: FloatArray, X: FloatArray, V: FloatArray) -> FloatArray:
    """The same of numbers, whose signs are told once for all outputs."""
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
