"""How a tessellated kernel of basis "xz" and degree 1 couples to one v, without the tensor of the G_i.

Z = [1, x, z] is linear in z: Z(z, x) = E(x) [1; z] with E(x) of d + 1 columns, and the integrals over a box need the
moments of [1; z] only. With t = (b - l) / 2 the box [l, b] has, for b - z in place of z, the means t and
t t' + diag(t^2) / 3; the upper ends b go into one change of coordinates.
"""

from typing import Self

import attrs
import numpy as np

from kernelopt.plugin import Coupling, FloatArray, IntArray, TensorCoupling
from kernelopt_tk._assembled_kernel import Bound
from kernelopt_tk._bound_rows import blocks
from kernelopt_tk._degree_one import LinearIntegrals

ROWS = 64
"""The least number of rows in a block of unpacked matrices: a product with fewer would wait for memory."""


@attrs.frozen(eq=False)
class Packing:
    """Symmetric (q, q) matrices as the p = q (q + 1) / 2 entries of their upper triangles.

    Attributes:
        q: the order.
        upper, lower: where the entries stand in the flat matrix, above and below the diagonal, shape (p,).
        place: which entry stands at each place of the flat matrix, shape (q * q,).
    """

    q: int
    upper: IntArray
    lower: IntArray
    place: IntArray

    @classmethod
    def of(cls, q: int) -> Self:
        row, column = np.triu_indices(q)
        place = np.empty((q, q), dtype=np.int64)
        place[row, column] = place[column, row] = np.arange(len(row))
        return cls(q, row * q + column, column * q + row, place.ravel())

    def pack(self, X: FloatArray) -> FloatArray:
        """The upper triangles, (r, q, q) to (r, p)."""
        return X.reshape(len(X), -1).take(self.upper, axis=1)

    def unpack(self, packed: FloatArray) -> FloatArray:
        """The matrices, (r, p) to (r, q, q)."""
        return packed.take(self.place, axis=1).reshape(len(packed), self.q, self.q)

    def fold(self, X: FloatArray) -> FloatArray:
        """The adjoint of `unpack`: <unpack(B), X> = B fold(X)', (r, q, q) to (r, p)."""
        flat = X.reshape(len(X), -1)
        folded = flat.take(self.upper, axis=1)
        folded += flat.take(self.lower, axis=1)
        folded[:, self.upper == self.lower] *= 0.5
        return folded


@attrs.frozen(eq=False)
class LinearCoupling(Coupling):
    """G_i = F (B_i + sym(x_i y_i') + sym(a diag(f_i) b')) F', with B_i and x_i in the first q rows, y_i in the others.

    B_i, the pairs' boxes, is any symmetric matrix; x_i y_i' is the box of row i; what is linear in [1; x_i] and in
    the squared widths of that box has the fixed factors a and b. Held: n (2 d + 1) (d + 1) numbers and some n d more.

    Attributes:
        packing: of order q.
        change: F, shape (2q, 2q).
        pairs: the B_i, packed, shape (n, q (q + 1) / 2).
        x, y: the halves that are not zero, shape (n, q).
        a, b: shape (2q, m), m = 3 d + 1.
        features: the f_i, shape (n, m).
    """

    packing: Packing
    change: FloatArray
    pairs: FloatArray
    x: FloatArray
    y: FloatArray
    a: FloatArray
    b: FloatArray
    features: FloatArray

    @property
    def n(self) -> int:
        return len(self.x)

    def take(self, rows: IntArray) -> "LinearCoupling":
        return attrs.evolve(self, pairs=self.pairs[rows], x=self.x[rows], y=self.y[rows], features=self.features[rows])

    def plus(self, other: Coupling) -> "LinearCoupling":
        """Boxes and y_i are linear in v, and x_i is the rows'; the terms with fixed factors stand side by side."""
        if not isinstance(other, LinearCoupling):
            raise TypeError(f"plus wants the same leaf's coupling, got {type(other).__name__}")
        return attrs.evolve(
            self,
            pairs=self.pairs + other.pairs,
            y=self.y + other.y,
            a=np.hstack([self.a, other.a]),
            b=np.hstack([self.b, other.b]),
            features=np.hstack([self.features, other.features]),
        )

    def scaled(self, factor: float) -> "LinearCoupling":
        return attrs.evolve(self, pairs=factor * self.pairs, y=factor * self.y, b=factor * self.b)

    def apply(self, S: FloatArray) -> FloatArray:
        q, S = self.packing.q, self.change.T @ S @ self.change
        result: FloatArray = self.pairs @ self.packing.fold(S[None, :q, :q])[0]
        result += np.einsum("iq,iq->i", self.x @ S[:q, q:], self.y)
        result += self.features @ np.einsum("qm,qm->m", self.a, S @ self.b)
        return result

    def adjoint(self, u: FloatArray) -> FloatArray:
        q = self.packing.q
        D = (self.a * (u @ self.features)) @ self.b.T
        D[:q, :q] += self.packing.unpack((u @ self.pairs)[None])[0]
        D[:q, q:] += (self.x * u[:, None]).T @ self.y
        D = self.change @ D @ self.change.T
        return 0.5 * (D + D.T)

    def restrict(self, basis: FloatArray) -> TensorCoupling:
        """U'G_i U as an (n, k, k) tensor, in blocks of rows."""
        q, U = self.packing.q, self.change.T @ basis
        n, k = len(self.x), U.shape[1]
        x, y = self.x @ U[:q], self.y @ U[q:]
        fixed = ((self.a.T @ U)[:, :, None] * (self.b.T @ U)[:, None]).reshape(-1, k * k)
        tensor = np.empty((n, k, k))
        for i in blocks(n, q * q, ROWS):
            half = (self.features[i] @ fixed).reshape(-1, k, k)
            half += x[i, :, None] * y[i, None]
            half += U[:q].T @ (self.packing.unpack(self.pairs[i]) @ U[:q])
            np.add(half, half.transpose(0, 2, 1), out=tensor[i])
        tensor *= 0.5
        return TensorCoupling(tensor)

    def schur(self, other: Coupling, A: FloatArray, B: FloatArray) -> FloatArray:
        """The mean of two halves: tr(G_i A G_j B) is the same with i and j exchanged, so each half may leave out terms.

        O(n^2 d^2 + n d^3), the first at the speed of one matrix product.
        """
        if not isinstance(other, LinearCoupling):
            raise TypeError(f"schur wants the same leaf's coupling, got {type(other).__name__}")
        A, B = (self.change.T @ S @ self.change for S in (A, B))
        theirs = _half(self, other, A, B)
        ours = theirs if other is self else _half(other, self, A, B)
        result = theirs.T + ours
        result *= 0.5
        return result


def _half(one: LinearCoupling, other: LinearCoupling, A: FloatArray, B: FloatArray) -> FloatArray:
    """H (m, n) with (H_ji + H'_ij) / 2 = tr(G_i A G'_j B), where H' has one (n rows) and other (m rows) exchanged.

    With r_i = sym(x_i y_i') and s_i = sym(a diag(f_i) b'), H_ji is the sum of <B_i, A (B_j + 2 r_j + 2 s_j) B>,
    <s_i, A (2 r_j + s_j) B> and <r_i, A r_j B>: all but the last are products of features.
    """
    q, packing = one.packing.q, one.packing
    fixed = Images(other.a.T @ A, other.b.T @ A, other.a.T @ B, other.b.T @ B)
    fixed_pairs = np.vstack([packing.fold(fixed.take(k).product(q)) for k in blocks(len(fixed.Ax), q * q, ROWS)])
    fixed_square = 0.5 * fixed.against(one.a, one.b)
    H = np.empty((len(other.x), len(one.x)))
    for j in blocks(len(H), q * q, ROWS):
        x, y = other.x[j], other.y[j]
        images = Images(x @ A[:q], y @ A[q:], x @ B[:q], y @ B[q:])
        middle = A[:q, :q] @ (packing.unpack(other.pairs[j]) @ B[:q, :q])
        middle += images.product(q)
        features = packing.fold(middle)
        features += other.features[j] @ fixed_pairs
        H[j] = features @ one.pairs.T
        H[j] += (images.against(one.a, one.b) + other.features[j] @ fixed_square) @ one.features.T
        H[j] += images.between(one.x, one.y)
    return H


@attrs.frozen(eq=False)
class Images:
    """A x_j, A y_j, B x_j and B y_j of some pairs of vectors, each of shape (r, 2q)."""

    Ax: FloatArray
    Ay: FloatArray
    Bx: FloatArray
    By: FloatArray

    def take(self, rows: slice) -> "Images":
        """Some of the pairs."""
        return Images(self.Ax[rows], self.Ay[rows], self.Bx[rows], self.By[rows])

    def product(self, q: int) -> FloatArray:
        """The first quarters of A (x_j y_j' + y_j x_j') B, shape (r, q, q)."""
        left = np.stack([self.Ax[:, :q], self.Ay[:, :q]], axis=2)
        product: FloatArray = left @ np.stack([self.By[:, :q], self.Bx[:, :q]], axis=1)
        return product

    def against(self, a: FloatArray, b: FloatArray) -> FloatArray:
        """<sym(a_k b_k'), A (x_j y_j' + y_j x_j') B> for the columns of a and b (2q, m), shape (r, m)."""
        result: FloatArray = (self.Ax @ a) * (self.By @ b) + (self.Ay @ a) * (self.Bx @ b)
        result += (self.Ax @ b) * (self.By @ a) + (self.Ay @ b) * (self.Bx @ a)
        result *= 0.5
        return result

    def between(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """<r_i, A r_j B>, shape (r, n); (x_i'A y_j) (y_i'B x_j) stands for its own exchange of i and j, too."""
        q = x.shape[1]
        H = (self.Ax[:, :q] @ x.T) * (self.By[:, q:] @ y.T)
        H += (self.Ay[:, q:] @ y.T) * (self.Bx[:, :q] @ x.T)
        H += (2.0 * self.Ay[:, :q] @ x.T) * (self.Bx[:, q:] @ y.T)
        H *= 0.25
        return H


def linear_coupling(data: Bound, integrals: LinearIntegrals, v: FloatArray) -> LinearCoupling:
    """The coupling at v (n,), in O(n^2 d^2) at the speed of matrix products."""
    rows, support = data.rows, np.flatnonzero(v)
    near, weight = rows.take(support), v[support]
    h, t = rows.monomials, integrals.halves(rows)
    s, total, q = weight @ near.monomials, float(weight.sum()), integrals.basis.q
    whole = np.broadcast_to(0.5 * (integrals.upper - integrals.lower), (len(support), t.shape[1]))
    # What row i adds through the boxes of the x_l and the whole region is E(x_i) K.
    K = np.hstack([_moments(near.monomials, t[support], weight * near.volume), _moments(near.monomials, whole, weight)])
    identity = np.eye(2 * q)
    z, z_whole = identity[:, h.shape[1] : q], identity[:, q + h.shape[1] :]
    packing = Packing.of(q)
    return LinearCoupling(
        packing=packing,
        change=_change(integrals),
        pairs=_pairs(data, packing, t, support, weight),
        x=np.hstack([h, t]) * rows.volume[:, None],
        y=np.hstack([np.broadcast_to(s, h.shape), total * t]),
        a=np.hstack([identity[:, q:], z]),
        b=np.hstack([np.broadcast_to(K[0, :, None], (2 * q, h.shape[1])), K[1:].T, z_whole]),
        features=np.hstack([h, np.ones_like(t), (total / 3.0 * rows.volume[:, None]) * t**2]),
    )


def _change(integrals: LinearIntegrals) -> FloatArray:
    """F (2q, 2q): from [1, x, b - z] to Z, and from the quarters of `assemble` to the two halves of N."""
    h, z = integrals.places()
    q, g = integrals.basis.q, len(h)
    T = np.zeros((q, q))
    T[h, np.arange(g)] = 1.0
    T[z, 0] = integrals.upper
    T[z, g + np.arange(len(z))] = -1.0
    return np.block([[T, np.zeros((q, q))], [-T, T]])


def _moments(h: FloatArray, t: FloatArray, weight: FloatArray) -> FloatArray:
    """sum_l weight_l (moments of [1; b - z] over a box of half widths t_l) E(x_l)', shape (d + 1, q)."""
    left, right = np.hstack([np.ones((len(t), 1)), t]), np.hstack([h, t])
    result: FloatArray = (left * weight[:, None]).T @ right
    result[1:, h.shape[1] :] += np.diag(weight @ t**2 / 3.0)
    return result


def _pairs(data: Bound, packing: Packing, t: FloatArray, support: IntArray, weight: FloatArray) -> FloatArray:
    """B_i = sum_l v_l volume_il sym(E(x_i) (moments over the box of the pair) E(x_l)'), packed: (n, q (q + 1) / 2)."""
    h, near_h = data.rows.monomials, data.rows.monomials[support]
    (n, d), g = t.shape, h.shape[1]
    near_t = np.ascontiguousarray(t[support].T)
    result = np.empty((n, len(packing.upper)))
    for i in blocks(n, d * len(support)):
        W = data.volumes.block(i, support) * weight
        pair_t = np.minimum(t[i, :, None], near_t)
        weighted = pair_t * W[:, None]
        mixed = (weighted.reshape(len(W) * d, len(support)) @ near_h).reshape(len(W), d, g)
        B = np.empty((len(W), packing.q, packing.q))  # what stands below the diagonal is not read
        corner = h[i, :, None] * (W @ near_h)[:, None]
        B[:, :g, :g] = 0.5 * (corner + corner.transpose(0, 2, 1))
        B[:, :g, g:] = 0.5 * (mixed + mixed[:, :, :1] * h[i, None]).transpose(0, 2, 1)
        B[:, g:, g:] = weighted @ pair_t.transpose(0, 2, 1)
        B[:, range(g, packing.q), range(g, packing.q)] *= 4.0 / 3.0
        result[i] = packing.pack(B)
    return result
