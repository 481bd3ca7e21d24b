"""The saddle over weights on lists of features, on many rows: what it is, and the passes over the rows that it takes.

    min over w >= 0, sum w = total     max over alpha     h(alpha) - 1/2 sum_o v_o' Phi diag(p) Phi' v_o,    v = E alpha

p says how much each feature counts: the weight of the kernel that it belongs to. Vectors of n numbers are held,
features need not be.
"""

import attrs
import numpy as np
from scipy.linalg import blas

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._criteria._side_by_side import side_by_side
from kernelopt._linalg._gram import mirrored
from kernelopt._linalg._tall import Tall, WithConstant, image, sums


@attrs.frozen(eq=False)
class Hull:
    """The problem. Several outputs stand one after the other in its dual set.

    Attributes:
        qp: all outputs as one, over c n samples; a penalised bias is among the features.
        outputs: c.
        features: Phi, shape (n, r).
        owner: the kernel that each feature belongs to, shape (r,); the number of all kernels for one that counts once.
        kernels: how many there are: k.
        total: the sum of their weights.
        size: about what a kernel is between a row and itself.
        rest: what variables that are no unknowns add to Phi'v by outputs, shape (c, r); None where there are none.
        gained: what they add to h.
    """

    qp: DualQP
    outputs: int
    features: Tall
    owner: IntArray
    kernels: int
    total: float
    size: float
    rest: FloatArray | None = None
    gained: float = 0.0

    @classmethod
    def of(
        cls, outputs: tuple[DualQP, ...], features: Tall, owner: IntArray, kernels: int, total: float = 1.0
    ) -> "Hull":
        """The problem of these dual sets, which have one bias cost."""
        _, first = next(iter(features.blocks()))
        size = float(np.einsum("ij,ij->", first, first)) / len(first) * total / kernels
        cost = outputs[0].bias_cost
        if cost:
            features, owner = WithConstant(features, float(np.sqrt(cost))), np.append(owner, kernels)
        return cls(side_by_side(outputs), len(outputs), features, owner, kernels, total, size)

    @property
    def n(self) -> int:
        """The number of rows."""
        return self.features.n

    def spread(self, w: FloatArray) -> FloatArray:
        """How much each feature counts, shape (r,), for weights (k,)."""
        return np.append(w, 1.0)[self.owner]

    def moving(self, dw: FloatArray) -> FloatArray:
        """How what each feature counts moves with the weights (k,), shape (r,): not at all where it has no kernel."""
        return np.append(dw, 0.0)[self.owner]

    def values(self, c: FloatArray) -> FloatArray:
        """sum_o v_o'K_a v_o for each kernel, shape (k,), from Phi'v by outputs, shape (c, r)."""
        return self.owned(np.sum(c * c, axis=0))

    def owned(self, values: FloatArray) -> FloatArray:
        """Sums over the features of each kernel, shape (k,)."""
        total = np.bincount(self.owner, weights=values, minlength=self.kernels)
        return total[: self.kernels].astype(np.float64)

    def by_output(self, values: FloatArray) -> FloatArray:
        """E times values (N,) without their signs: sums over each sample's variables, shape (c, n)."""
        qp = self.qp
        total = np.bincount(qp.sample, weights=values, minlength=qp.n).astype(np.float64)
        return total.reshape(self.outputs, -1)

    def by_variable(self, F: FloatArray) -> FloatArray:
        """E'F for F of shape (c, n), shape (N,)."""
        product: FloatArray = self.qp.sign * F.ravel()[self.qp.sample]
        return product

    def lifted(self, b: FloatArray) -> FloatArray:
        """A'b, shape (N,), for multipliers b of the equalities."""
        product: FloatArray = np.append(b, 0.0)[self.qp.group] * self.qp.coefficient
        return product

    def summed(self, values: FloatArray) -> FloatArray:
        """Sums over the variables of each equality, shape (g,)."""
        qp = self.qp
        return np.bincount(qp.group + 1, weights=values, minlength=len(qp.target) + 1)[1:].astype(np.float64)

    @property
    def groups(self) -> list[IntArray]:
        """The equalities of each output."""
        outputs = np.zeros(len(self.qp.target), dtype=np.intp)
        member = self.qp.group >= 0
        outputs[self.qp.group[member]] = self.qp.sample[member] // self.n
        return [np.flatnonzero(outputs == o) for o in range(self.outputs)]

    def back(self, V: FloatArray) -> FloatArray:
        """Phi'V by outputs, shape (c, r), for V of shape (c, n)."""
        return sums(self.features, V.T).T

    def sums(self, alpha: FloatArray) -> FloatArray:
        """Phi'v by outputs, shape (c, r), of all variables."""
        c = self.back(self.qp.embed(alpha).reshape(self.outputs, -1))
        return c if self.rest is None else c + self.rest

    def objective(self, alpha: FloatArray, w: FloatArray, c: FloatArray) -> float:
        """h - 1/2 v'Kv at weights w (k,) and sums c (c, r) of all variables."""
        return self.qp.h(alpha) + self.gained - 0.5 * float(np.sum(self.spread(w) * c * c))

    def forth(self, B: FloatArray) -> FloatArray:
        """Phi B by outputs, shape (c, n), for B of shape (c, r)."""
        return image(self.features, B.T).T


def there_and_back(
    hull: Hull, B: FloatArray, W: FloatArray, V: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """F = Phi B and U = V - W * F, both (c, n), and Phi'U (c, r), in one pass, for B (c, r) and W and V (c, n)."""
    F, U, along = np.empty(V.shape), np.empty(V.shape), np.zeros(B.shape)
    for rows, phi in hull.features.blocks():
        F[:, rows] = (phi @ B.T).T
        U[:, rows] = V[:, rows] - W[:, rows] * F[:, rows]
        along += U[:, rows] @ phi
    return F, U, along


@attrs.frozen(eq=False)
class Image:
    """What a kernel makes of a vector.

    Attributes:
        c: Phi'v by outputs, shape (c, r).
        f: K v by outputs, shape (c, n).
        diagonal: of K, shape (n,).
    """

    c: FloatArray
    f: FloatArray
    diagonal: FloatArray

    @classmethod
    def of(cls, hull: Hull, w: FloatArray, c: FloatArray) -> "Image":
        """At weights w (k,), from Phi'v by outputs, shape (c, r), in one pass."""
        f, diagonal, p = np.empty((len(c), hull.n)), np.empty(hull.n), hull.spread(w)
        for rows, phi in hull.features.blocks():
            f[:, rows] = (phi @ (p * c).T).T
            diagonal[rows] = (phi * phi) @ p
        return cls(c, f, diagonal)


@attrs.frozen(eq=False)
class Seen:
    """What one pass at a point says.

    Attributes:
        image: K v.
        inner: Phi' W Phi of each output, shape (r, r).
        along: of each output the products of its vectors with the features, shape (q, r).
    """

    image: Image
    inner: list[FloatArray]
    along: list[FloatArray]


def seen(hull: Hull, c: FloatArray, p: FloatArray, W: FloatArray, vectors: list[FloatArray]) -> Seen:
    """The function, and sums over all rows.

    Args:
        hull: the problem.
        c: Phi'v by outputs, shape (c, r).
        p: how much each feature counts, shape (r,).
        W: weights of the rows, >= 0, shape (c, n).
        vectors: for each output some vectors (q, n); the first of them is taken less W * f.
    """
    n, r = hull.n, hull.features.width
    f, diagonal = np.empty((hull.outputs, n)), np.empty(n)
    halves = [np.zeros((r, r), order="F") for _ in vectors]
    along = [np.zeros((len(one), r)) for one in vectors]
    coefficients = (p * c).T
    for rows, phi in hull.features.blocks():
        diagonal[rows] = (phi * phi) @ p
        f[:, rows] = (phi @ coefficients).T
        for o, several in enumerate(vectors):
            w = W[o, rows]
            part = several[:, rows].copy()
            part[0] -= w * f[o, rows]
            along[o] += part @ phi
            weighed = phi * np.sqrt(w)[:, None]
            halves[o] = blas.dsyrk(1.0, weighed.T, beta=1.0, c=halves[o], lower=1, overwrite_c=1)
    return Seen(Image(c, f, diagonal), [mirrored(np.ascontiguousarray(half)) for half in halves], along)
