"""The tessellated kernel of a matrix P, put together from its integrals; relative to the volume of [a, b].

With P = [[Q, R], [R', S]] and p* = max(x, y) (Colbert and Peet (2020), Corollary 13, with its misprints corrected):

    k(x, y) = I(p*; Q - R - R' + S) + I(x; R - S) + I(y; R' - S) + I(a; S).

The last three terms are low rank: far_x'plain_y + plain_x'far_y.
"""

from abc import ABC, abstractmethod

import attrs
import numpy as np
from scipy.linalg.blas import dgemm

from kernelopt.plugin import FloatArray, IntArray, Part
from kernelopt_tk._bound_rows import Rows, blocks, mirror, pair_volumes, triangle
from kernelopt_tk._integrals import Integrals
from kernelopt_tk._volumes import LineVolumes, Volumes

Index = slice | IntArray

_STRIP, _LEAST = 1 << 17, 64
"""How many numbers a strip of a Gram holds, and how many rows it has at least."""
_NARROW = 5
"""Of so many features a pair of rows costs less than to hand its strip on."""
_FEW = 3
"""For so many outputs a product with the volumes for each costs less than one pass over the pairs of rows for all."""


@attrs.frozen(eq=False)
class Bound:
    """What `bind` computes once: the rows (n) and the relative volumes of all their pairs."""

    integrals: Integrals
    rows: Rows
    volumes: Volumes


@attrs.frozen(eq=False)
class Expansion(ABC):
    """One kernel on n rows: k(x_i, x_j) = near(i, j) + far_i'plain_j + plain_i'far_j.

    Attributes:
        rows: the n rows.
        far: shape (n, r).
        plain: shape (n, r).
    """

    rows: Rows
    far: FloatArray
    plain: FloatArray

    @abstractmethod
    def near(self, i: Index, other: "Expansion", j: Index, volumes: FloatArray) -> FloatArray:
        """I(p*; Q - R - R' + S) between our rows i and the other's rows j, whose volumes are given."""

    def gram(self, volumes: Volumes) -> FloatArray:
        """The kernel between all pairs of rows, (n, n), from the upper triangle."""
        n = len(self.rows)
        K = np.empty((n, n))
        left, right = self.sides
        for i, j in triangle(n, n):
            block = self.near(i, self, j, volumes.block(i, j))
            np.add(block, left[i] @ right[j].T, out=K[i, j])
        mirror(K)
        return K

    @property
    def sides(self) -> tuple[FloatArray, FloatArray]:
        """What far_i'plain_j + plain_i'far_j is the product of, each (n, 2r)."""
        return np.hstack([self.far, self.plain]), np.hstack([self.plain, self.far])


@attrs.frozen(eq=False)
class FactoredExpansion(Expansion):
    """Basis "x": near(i, j) = volume_ij scaled_i'features_j, both of shape (n, r)."""

    scaled: FloatArray
    features: FloatArray

    def near(self, i: Index, other: Expansion, j: Index, volumes: FloatArray) -> FloatArray:
        if not isinstance(other, FactoredExpansion):
            raise TypeError(f"both sides must be of one kernel, got {type(other).__name__}")
        values: FloatArray = self.scaled[i] @ other.features[j].T
        values *= volumes
        return values

    def gram(self, volumes: Volumes) -> FloatArray:
        """As above, in strips that stay in a core's cache; each is written above and below the diagonal at once.

        Where one strip holds all pairs, K = T + T' with half of each term. Of few features products cost less than
        what strips are handed on for: then all pairs are computed, and one half is kept.
        """
        n, end = len(self.rows), 0
        if n * n <= _STRIP:
            half = (0.5 * self.scaled) @ self.features.T
            half *= volumes.block(slice(n), slice(n))
            _add_products(self.far, self.plain, half)
            return half + half.T
        left, right = self.sides
        if self.features.shape[1] <= _NARROW:
            K = self.scaled @ self.features.T
            K *= volumes.block(slice(n), slice(n))
            _add_products(left, right, K)
            mirror(K)
            return K
        K, strip = np.empty((n, n)), np.empty(min(n, max(_LEAST, _STRIP // n)) * n)
        while end < n:
            start, end = end, min(end + max(_LEAST, _STRIP // n), n)
            here = slice(start, end)
            block = strip[: (end - start) * (n - start)].reshape(end - start, n - start)
            np.matmul(self.scaled[here], self.features[start:].T, out=block)
            block *= volumes.block(here, slice(start, n))
            _add_products(left[here], right[start:], block)
            K[here, start:] = block
            K[end:, here] = block[:, end - start :].T
            mirror(K[here, here])
        return K


def _add_products(left: FloatArray, right: FloatArray, out: FloatArray) -> None:
    """out += left right' for an array out in C order: its transpose is what BLAS adds a product to without a copy."""
    dgemm(1.0, right.T, left.T, beta=1.0, c=out.T, trans_a=1, overwrite_c=1)


@attrs.frozen(eq=False)
class IntegratedExpansion(Expansion):
    """Basis "xz": every pair of rows has integrals of its own."""

    integrals: Integrals
    matrix: FloatArray

    def near(self, i: Index, other: Expansion, j: Index, volumes: FloatArray) -> FloatArray:
        return self.integrals.near(self.matrix, self.rows.take(i), other.rows.take(j), volumes)


def quarters(P: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Q - R - R' + S, R - S and S of a symmetric P = [[Q, R], [R', S]]."""
    q = len(P) // 2
    Q, R, S = P[:q, :q], P[:q, q:], P[q:, q:]
    return Q - R - R.T + S, R - S, S


def expand(P: FloatArray, integrals: Integrals, rows: Rows) -> Expansion:
    """The kernel of any symmetric P (2q, 2q)."""
    near, own, whole = quarters(P)
    Z = rows.monomials
    far = integrals.own(own, rows) + 0.5 * (Z @ integrals.whole(whole))
    if integrals.basis.z_powers.any():
        return IntegratedExpansion(rows, far, Z, integrals, near)
    return FactoredExpansion(rows, far, Z, Z @ near, Z)


def expand_atoms(part: Part, rows: Rows) -> Expansion:
    """The kernel of a few atoms p = [p1; p2] in basis "x", where w = p1 - p2, u = p2, f = Z'w, g = Z'u:

    k(x, y) = V(p*) f_x f_y + V(x) f_x g_y + V(y) g_x f_y + V(a) g_x g_y.
    """
    first, second = np.hsplit(part.atoms, 2)
    f, g = rows.monomials @ (first - second).T, rows.monomials @ second.T
    far = (f * rows.volume[:, None] + 0.5 * g) * part.weights
    return FactoredExpansion(rows, far, g, f * part.weights, f)


def between(left: Expansion, right: Expansion) -> FloatArray:
    """One kernel between the rows of two expansions, (n', n)."""
    K = np.empty((len(left.rows), len(right.rows)))
    first, second = left.sides[0], right.sides[1]
    for i in blocks(*K.shape):
        K[i] = left.near(i, right, slice(None), pair_volumes(left.rows.take(i), right.rows))
        K[i] += first[i] @ second.T
    return K


def diagonal(P: FloatArray, integrals: Integrals, rows: Rows) -> FloatArray:
    """k(x, x) = I(x; Q - S) + I(a; S), shape (n,)."""
    near, own, whole = quarters(P)
    Z = rows.monomials
    result: FloatArray = np.einsum("ig,ig->i", integrals.own(near + own + own.T, rows) + Z @ integrals.whole(whole), Z)
    return result


def apply(kernel: Expansion, volumes: Volumes, V: FloatArray) -> FloatArray:
    """K V for V (n, c), with no (n, n) array; only rows with a nonzero coefficient are looked at."""
    support = np.flatnonzero(V.any(axis=1))
    result: FloatArray = kernel.far @ (kernel.plain.T @ V) + kernel.plain @ (kernel.far.T @ V)
    if V.shape[1] == 1 and isinstance(kernel, FactoredExpansion):
        # sum_j volume_ij scaled_i'features_j v_j = scaled_i' [volume (features * v)]_i: one product.
        weighted = volumes.product(support, kernel.features[support] * V[support])
        result[:, 0] += np.einsum("ir,ir->i", kernel.scaled, weighted)
        return result
    for some in blocks(len(support), len(V)):
        i = support[some]
        result += kernel.near(i, kernel, slice(None), volumes.block(i, slice(None))).T @ V[i]
    return result


def adjoint(data: Bound, V: FloatArray) -> FloatArray:
    """D, symmetric (2q, 2q), with <D, P> = sum_c V_c' K_P V_c; only support vectors count."""
    integrals, support = data.integrals, np.flatnonzero(V.any(axis=1))
    rows, W = data.rows.take(support), V[support]
    few = W.shape[1] <= _FEW and not integrals.basis.z_powers.any()
    if few or isinstance(data.volumes, LineVolumes):
        near = _product_form(data.volumes, support, rows, W)
    else:
        near = _near_form(data, support, rows, W)
    sums = W.T @ rows.monomials
    own = integrals.own_sum(W, sums, rows)
    return assemble(near, own, own.T, integrals.whole_sum(sums.T @ sums))


def _near_form(data: Bound, support: IntArray, rows: Rows, V: FloatArray) -> FloatArray:
    """sum_c sum_ij V_ic V_jc integral of Z(z, x_i) Z(z, x_j)' over [max(x_i, x_j), b], on the support, (q, q)."""
    near = np.zeros((data.integrals.basis.q,) * 2)
    for i, j in triangle(len(support), len(support)):
        W = V[i] @ V[j].T
        W *= data.volumes.block(support[i], support[j])
        W[:, : i.stop - i.start] *= 0.5  # the corner is counted twice when the transpose is added
        near += data.integrals.near_sum(W, rows.take(i), rows.take(j))
    return near + near.T


def _product_form(volumes: Volumes, support: IntArray, rows: Rows, V: FloatArray) -> FloatArray:
    """The same in basis "x": sum_c F_c' V F_c with F_c = v_c Z, one product with the volumes for each output."""
    near = np.zeros((rows.monomials.shape[1],) * 2)
    for v in V.T:
        F = v[:, None] * rows.monomials
        near += F.T @ volumes.product(support, F)[support]
    return 0.5 * (near + near.T)


def assemble(near: FloatArray, own: FloatArray, other: FloatArray, whole: FloatArray) -> FloatArray:
    """D with <D, P> = <near, Q-R-R'+S> + <own, R-S> + <other, R'-S> + <whole, S>: (..., q, q) each to (..., 2q, 2q)."""
    q = near.shape[-1]
    D = np.empty((*near.shape[:-2], 2 * q, 2 * q))
    D[..., :q, :q] = near
    np.subtract(own, near, out=D[..., :q, q:])
    np.subtract(other, near, out=D[..., q:, :q])
    D[..., q:, q:] = near - (own + other) + whole
    return D
