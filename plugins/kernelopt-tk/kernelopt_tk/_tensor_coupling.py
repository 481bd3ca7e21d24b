"""How a tessellated kernel couples to one v: K(P) v as a linear map of P."""

from typing import Self

import attrs
import numpy as np

from kernelopt.plugin import Coupling, FloatArray, IntArray, TensorCoupling
from kernelopt_tk._assembled_kernel import Bound, assemble, quarters
from kernelopt_tk._bound_rows import blocks, mirror, triangle
from kernelopt_tk._degree_one import LinearIntegrals
from kernelopt_tk._degree_one_coupling import linear_coupling
from kernelopt_tk._general_degree import GeneralIntegrals

SMALL = 8
"""Up to so many monomials the tensor of the G_i, whose products take n^2 q^2 operations at full speed, is quicker than
n^2 q operations on arrays of n^2 numbers: 64 numbers a pair of rows against some thirty that memory has to bring."""


@attrs.frozen(eq=False)
class PlainCoupling(Coupling):
    """Basis "x": G_i = sym(a_i b_i' + e_i d'), rank 4.

    With Z the monomials, V the volumes, t_i = sum_l v_l V_il Z_l, s = sum_l v_l Z_l and r = sum_l v_l V_l Z_l:
    a_i = [Z_i; -Z_i], b_i = [t_i; V_i s - t_i], e_i = [0; Z_i], d = [r; s - r].

    Attributes:
        Z: shape (n, q).
        t: shape (n, q).
        volume: shape (n,).
        s: shape (q,).
        r: shape (q,).
    """

    Z: FloatArray
    t: FloatArray
    volume: FloatArray
    s: FloatArray
    r: FloatArray

    @property
    def n(self) -> int:
        return len(self.Z)

    def take(self, rows: IntArray) -> "PlainCoupling":
        return attrs.evolve(self, Z=self.Z[rows], t=self.t[rows], volume=self.volume[rows])

    def plus(self, other: Coupling) -> "PlainCoupling":
        """t, s and r are linear in v; Z and V are the rows'."""
        if not isinstance(other, PlainCoupling):
            raise TypeError(f"plus wants the same leaf's coupling, got {type(other).__name__}")
        return attrs.evolve(self, t=self.t + other.t, s=self.s + other.s, r=self.r + other.r)

    def scaled(self, factor: float) -> "PlainCoupling":
        return attrs.evolve(self, t=factor * self.t, s=factor * self.s, r=factor * self.r)

    def apply(self, S: FloatArray) -> FloatArray:
        near, own, whole = quarters(S)
        result: FloatArray = np.einsum("iq,iq->i", self.Z @ near, self.t)
        result += self.volume * (self.Z @ (own @ self.s)) + self.Z @ (own.T @ self.r + whole @ self.s)
        return result

    def adjoint(self, u: FloatArray) -> FloatArray:
        near = self.Z.T @ (self.t * u[:, None])
        sums = u @ self.Z
        own = np.outer((u * self.volume) @ self.Z, self.s)
        D = assemble(near, own, np.outer(sums, self.r), np.outer(sums, self.s))
        return 0.5 * (D + D.T)

    def restrict(self, basis: FloatArray) -> TensorCoupling:
        """U'G_i U = sym(U'a_i b_i'U + U'e_i d'U), formed as an (n, k, k) tensor."""
        upper, lower = np.split(basis, 2)
        a, e = self.Z @ (upper - lower), self.Z @ lower
        b = self.t @ (upper - lower) + np.outer(self.volume, self.s @ lower)
        b_and_d = np.stack([b, np.broadcast_to(self.r @ (upper - lower) + self.s @ lower, b.shape)], axis=1)
        half = np.stack([a, e], axis=2) @ b_and_d
        return TensorCoupling(0.5 * (half + half.transpose(0, 2, 1)))

    def schur(self, other: Coupling, A: FloatArray, B: FloatArray) -> FloatArray:
        """The sixteen terms tr(x y' A p q' B) = (y'A p)(x'B q) over x, y in (a, b), (e, d), and p, q likewise.

        Those with (a, b) on both sides are products of two (n, n) matrices; the rest has rank q on each side.
        """
        if not isinstance(other, PlainCoupling):
            raise TypeError(f"schur wants the same leaf's coupling, got {type(other).__name__}")
        same = other is self
        n, m = len(self.Z), len(other.Z)
        P, N = Images.build(self, other, A), Images.build(self, other, B)
        ours = _half(self.Z, P, N)
        theirs = ours if same else _half(other.Z, Images.build(other, self, A), Images.build(other, self, B))
        left, right = np.hstack([ours, self.Z]), np.hstack([other.Z, theirs])
        # b = [t; V s] in the coordinates of `Images`: one more column carries V.
        a, b = other.Z, np.column_stack([other.t, other.volume])
        result = np.empty((n, m))
        for i, j in triangle(n, m) if same else ((rows, slice(0, m)) for rows in blocks(n, m)):
            block = (P.b[i] @ a[j].T) * (N.a_long[i] @ b[j].T)
            block += (N.b[i] @ a[j].T) * (P.a_long[i] @ b[j].T)
            block += (P.a[i] @ a[j].T) * (N.b_long[i] @ b[j].T)
            block += (N.a[i] @ a[j].T) * (P.b_long[i] @ b[j].T)
            block += left[i] @ right[j].T
            np.multiply(block, 0.25, out=result[i, j])
        if same:
            mirror(result)
        return result


@attrs.frozen(eq=False)
class Images:
    """A's action on one coupling's vectors, seen from another's, in the coordinates x = J alpha + E beta.

    J z = [z; -z] and E z = [0; z]; there a = (Z, 0), b = (t, V s), e = (0, Z) and d = (r, s).

    Attributes:
        a, b: the first coordinates of A a and A b, shape (n, q).
        a_long, b_long: the same with s' times the second coordinates as a last column, shape (n, q + 1).
        a_second, b_second: the second coordinates, shape (n, q).
        ad, bd: a'A d' and b'A d' with the other's d, shape (n, 1).
        dd: d'A d'.
        de, ed: the second coordinates of A d and of A d', shape (q,).
        ee: the block E'A E, shape (q, q).
    """

    a: FloatArray
    b: FloatArray
    a_long: FloatArray
    b_long: FloatArray
    a_second: FloatArray
    b_second: FloatArray
    ad: FloatArray
    bd: FloatArray
    dd: float
    de: FloatArray
    ed: FloatArray
    ee: FloatArray

    @classmethod
    def build(cls, one: PlainCoupling, other: PlainCoupling, A: FloatArray) -> Self:
        """The images under a symmetric A (2q, 2q)."""
        JJ, JE, EE = quarters(A)
        a, a_second = one.Z @ JJ, one.Z @ JE
        volume = one.volume[:, None]
        b = one.t @ JJ + volume * (JE @ one.s)
        b_second = one.t @ JE + volume * (EE @ one.s)
        d, de = JJ @ one.r + JE @ one.s, JE.T @ one.r + EE @ one.s
        a_last, b_last = a_second @ other.s, b_second @ other.s
        return cls(
            a=a,
            b=b,
            a_long=np.column_stack([a, a_last]),
            b_long=np.column_stack([b, b_last]),
            a_second=a_second,
            b_second=b_second,
            ad=(a @ other.r + a_last)[:, None],
            bd=(b @ other.r + b_last)[:, None],
            dd=float(d @ other.r + de @ other.s),
            de=de,
            ed=JE.T @ other.r + EE @ other.s,
            ee=EE,
        )


def _half(Z: FloatArray, P: Images, N: Images) -> FloatArray:
    """H (n, q): the terms of (a, b) with (e, d) are H Z', those of (e, d) with (e, d) are split between both sides."""
    H = N.ad * P.b_second + P.ad * N.b_second + N.bd * P.a_second + P.bd * N.a_second
    both = np.outer(N.ed, P.de) + np.outer(P.ed, N.de) + P.dd * N.ee + N.dd * P.ee
    result: FloatArray = H + 0.5 * (Z @ both)
    return result


def plain_coupling(data: Bound, v: FloatArray) -> PlainCoupling:
    """The coupling in basis "x" at v (n,): one product with the volumes."""
    return PlainCoupling(data.rows.monomials, *_sums(data, v))


def _sums(data: Bound, v: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """t, the rows' volumes, s and r of a `PlainCoupling`."""
    Z, volume = data.rows.monomials, data.rows.volume
    support = v.nonzero()[0]
    if len(support) < len(v):
        weighted = Z[support] * v[support, None]
        return data.volumes.product(support, weighted), volume, weighted.sum(axis=0), volume[support] @ weighted
    weighted = Z * v[:, None]
    return data.volumes.product(support, weighted), volume, v @ Z, volume @ weighted


def small_coupling(data: Bound, v: FloatArray) -> TensorCoupling:
    """`plain_coupling` as the tensor of the G_i, (n, 2q, 2q): few large products take the place of many small ones.

    G_i = sym([b_i; d - b_i] kron Z_i). The rows stand last in memory, so that every loop over them is a long one.
    """
    Z = data.rows.monomials
    t, volume, s, r = _sums(data, 0.5 * v)
    n, q = Z.shape
    right = np.empty((2, 1, 2 * q, n))
    b = right[0, 0]
    b[:q] = t.T
    np.subtract(s[:, None] * volume, b[:q], out=b[q:])
    np.subtract(np.concatenate([r, s - r])[:, None], b, out=right[1, 0])
    half = (np.ascontiguousarray(Z.T)[:, None] * right).reshape(2 * q, 2 * q, n)
    whole = half + half.transpose(1, 0, 2)
    return TensorCoupling(whole.transpose(2, 0, 1), quick=True)


def tensor_coupling(data: Bound, integrals: GeneralIntegrals, v: FloatArray) -> TensorCoupling:
    """The coupling in basis "xz" at v (n,): the tensor of the G_i, (n, 2q, 2q), in blocks of rows."""
    delta, q = integrals.basis.delta, integrals.basis.q
    support = np.flatnonzero(v)
    rows, weight = data.rows.take(support), v[support]
    s = weight @ rows.monomials
    # Summed over l, the integrals over the boxes of x_l of z^gamma and v_l Z(z, x_l): their delta side is still free.
    after = integrals.own_sum(weight[:, None], np.ones((1, rows.monomials.shape[1])), rows)
    whole = integrals.whole_moments() * s[delta]
    tensor = np.empty((len(v), 2 * q, 2 * q))
    for i in blocks(len(v), max(4 * q * q, len(support)), least=16):
        some = data.rows.take(i)
        monomials = some.monomials[:, delta, None]
        near = integrals.near_rows(data.volumes.block(i, support) * weight, some, rows)
        own = monomials * s[delta] * integrals.pair_moments(some.limit) * some.volume[:, None, None]
        G = assemble(near, own, after.T * monomials, whole * monomials)
        np.add(G, G.transpose(0, 2, 1), out=tensor[i])
    tensor *= 0.5
    return TensorCoupling(tensor)


def couple(data: Bound, v: FloatArray) -> Coupling:
    """The coupling at v (n,), in the cheapest form that the basis and the degree allow."""
    integrals = data.integrals
    if isinstance(integrals, LinearIntegrals):
        return linear_coupling(data, integrals, v)
    if isinstance(integrals, GeneralIntegrals):
        return tensor_coupling(data, integrals, v)
    return small_coupling(data, v) if integrals.basis.q <= SMALL else plain_coupling(data, v)
