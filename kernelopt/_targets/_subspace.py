"""A small problem for each target: y'V^-1 y within the span of a few vectors, for all weights at once."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import attrs
import numpy as np

from kernelopt._base._jit import compiled
from kernelopt._base._typing import FloatArray, IntArray

_NOTHING = 1e-10
"""What is left of a vector beside the vectors before it, where it is a combination of them."""


@attrs.frozen(eq=False)
class Reduced:
    """What the span says at some weights, V_S = S'V S.

    Attributes:
        solution: V_S^-1 S'y, shape (t, p).
        quadratic: y'V^-1 y from below, shape (t,).
        values: v'K_a v, that of the noise last, shape (t, m + 1).
        information: v'K_a V_S^-1 K_b v, shape (t, m + 1, m + 1): half the second derivatives of the quadratic.
    """

    solution: FloatArray
    quadratic: FloatArray
    values: FloatArray
    information: FloatArray


def multiplied(grams: FloatArray) -> Callable[[FloatArray], FloatArray]:
    """What these Gram matrices (m, r, r) make of vectors (k, r): images, shape (k, m, r)."""
    return partial(_images, grams)


class Room:
    """Memory for the vectors of batches that come one after the other.

    Memory that is new costs about as much as what is computed in it, so that of the batch before is taken again.
    """

    def __init__(self) -> None:
        self._held: dict[Any, FloatArray] = {}

    def taken(self, name: str, shape: tuple[int, ...], kind: Any) -> FloatArray:
        """An array of this name and shape, in which anything may stand."""
        size, key = math.prod(shape), (name, np.dtype(kind))
        held = self._held.get(key)
        if held is None or len(held) < size:
            held = self._held[key] = np.empty(size, dtype=kind)
        return held[:size].reshape(shape)


class Subspaces:
    """Of each of t targets (t, r) an orthonormal basis of p vectors, and the kernels between them. It grows in place.

    Vectors and images have the precision of the targets; what is small has double precision.

    Attributes:
        targets: shape (t, r).
        outside: the squares of what no kernel sees, shape (t,).
        vectors: S, one vector of all targets after the other, shape (p, t, r); 0 where a vector brought nothing.
        images: K_a S, shape (p, t, m, r). Memory is touched where vectors have come, and nowhere else.
        inner: S'K_a S, shape (t, m, p, p).
        along: S'y, shape (t, p).
        used: how many vectors there are.
    """

    def __init__(
        self,
        targets: FloatArray,
        outside: FloatArray,
        kernels: Callable[[FloatArray], FloatArray],
        m: int,
        most: int,
        room: Room,
    ) -> None:
        t, r = targets.shape
        self.targets, self.outside, self._kernels, self._m = targets, outside, kernels, m
        self.vectors = room.taken("vectors", (most, t, r), targets.dtype)
        self.images = room.taken("images", (most, t, m, r), targets.dtype)
        self.inner = np.zeros((t, m, most, most))
        self.along = np.zeros((t, most))
        self.used = 0

    @property
    def full(self) -> bool:
        """Whether there is no place for another vector."""
        return self.used == len(self.vectors)

    def add(self, which: IntArray, new: FloatArray) -> FloatArray:
        """One more vector (k, r) for some targets; the images K_a of it, shape (k, m, r).

        Two rounds of Gram and Schmidt, then one product with each kernel.
        """
        p = self.used
        before = np.linalg.norm(new, axis=1)
        new = np.array(new)
        for _ in range(2):
            _beside(self.vectors, which, p, new)
        length = np.linalg.norm(new, axis=1)
        kept = length > _NOTHING * np.maximum(before, 1e-300)
        new *= np.where(kept, 1.0 / np.where(kept, length, 1.0), 0.0).astype(new.dtype)[:, None]
        images = self._kernels(new)
        if len(which) < len(self.targets):
            others = np.delete(np.arange(len(self.targets)), which)
            self.vectors[p, others] = 0.0
            self.images[p, others] = 0.0
        self.vectors[p, which] = new
        self.images[p, which] = images
        along = np.empty((len(which), self._m, p + 1))
        _products(images, self.vectors, which, along)
        self.inner[which, :, p, : p + 1] = along
        self.inner[which, :, : p + 1, p] = along
        self.along[which, p] = np.einsum("tr,tr->t", new, self.targets[which])
        self.used = p + 1
        return images

    def at(self, which: IntArray, w: FloatArray) -> Reduced:
        """The small problems of some targets at weights (k, m + 1)."""
        p = self.used
        inner, y = self.inner[which, :, :p, :p], self.along[which, :p]
        V = np.einsum("tm,tmpq->tpq", w[:, :-1], inner)
        V[:, np.arange(p), np.arange(p)] += w[:, -1:]
        v = np.linalg.solve(V, y[:, :, None])[:, :, 0]
        outside, noise = self.outside[which], w[:, -1]
        images = np.concatenate([np.einsum("tmpq,tq->tmp", inner, v), v[:, None]], axis=1)
        values = np.einsum("tmp,tp->tm", images, v)
        values[:, -1] += outside / noise**2
        solved = np.linalg.solve(V, images.transpose(0, 2, 1))
        information = images @ solved
        information[:, -1, -1] += outside / noise**3
        return Reduced(v, np.einsum("tp,tp->t", y, v) + outside / noise, values, information)

    def residual(self, which: IntArray, w: FloatArray, v: FloatArray) -> FloatArray:
        """Y - V S v within the basis of the kernels, shape (k, r)."""
        left, kind = self.targets[which], self.targets.dtype
        _taken_out(self.vectors, self.images, which, w.astype(kind, copy=False), v.astype(kind, copy=False), left)
        return left

    def solution(self, v: FloatArray) -> FloatArray:
        """S v of all targets, shape (t, r), with coefficients (t, p) or more of them, which are 0."""
        p = self.used
        return np.asarray(np.einsum("tp,ptr->tr", v[:, :p].astype(self.vectors.dtype), self.vectors[:p]))

    def imaged(self, which: IntArray, v: FloatArray) -> FloatArray:
        """K_a S v of some targets with coefficients (k, p), and S v last, shape (k, m + 1, r)."""
        found = np.zeros((len(which), self._m + 1, self.targets.shape[1]), dtype=self.targets.dtype)
        _summed(self.vectors, self.images, which, v, found)
        return found


def _images(grams: FloatArray, vectors: FloatArray) -> FloatArray:
    return np.stack([vectors @ gram for gram in grams], axis=1)


def _orthogonal(vectors: FloatArray, which: IntArray, p: int, new: FloatArray) -> None:
    """Takes out of each new (k, r) its part along the first p vectors of its target, one after the other."""
    for i in range(len(which)):
        for j in range(p):
            S = vectors[j, which[i]]
            along = 0.0
            for k in range(len(S)):
                along += S[k] * new[i, k]
            for k in range(len(S)):
                new[i, k] -= along * S[k]


def _multiplied(images: FloatArray, vectors: FloatArray, which: IntArray, along: FloatArray) -> None:
    """The products of images (k, m, r) with the first q vectors of their targets, into along (k, m, q)."""
    for i in range(len(which)):
        for j in range(along.shape[2]):
            S = vectors[j, which[i]]
            for a in range(along.shape[1]):
                image = images[i, a]
                total = 0.0
                for k in range(len(S)):
                    total += S[k] * image[k]
                along[i, a, j] = total


def _subtracted(
    vectors: FloatArray, images: FloatArray, which: IntArray, w: FloatArray, v: FloatArray, left: FloatArray
) -> None:
    """Takes V S v out of left (k, r), at weights w (k, m + 1) and coefficients v (k, p)."""
    m = w.shape[1] - 1
    for i in range(len(which)):
        t = which[i]
        for j in range(v.shape[1]):
            own = w[i, m] * v[i, j]
            for k in range(left.shape[1]):
                left[i, k] -= own * vectors[j, t, k]
            for a in range(m):
                share = w[i, a] * v[i, j]
                if share != 0.0:
                    for k in range(left.shape[1]):
                        left[i, k] -= share * images[j, t, a, k]


def _combined(vectors: FloatArray, images: FloatArray, which: IntArray, v: FloatArray, found: FloatArray) -> None:
    """The sums of images and of vectors with coefficients v (k, p), added to found (k, m + 1, r)."""
    m = images.shape[2]
    for i in range(len(which)):
        t = which[i]
        for j in range(v.shape[1]):
            share = v[i, j]
            for k in range(found.shape[2]):
                found[i, m, k] += share * vectors[j, t, k]
            for a in range(m):
                for k in range(found.shape[2]):
                    found[i, a, k] += share * images[j, t, a, k]


_beside = compiled(_orthogonal, bounded=True)
_products = compiled(_multiplied, bounded=True)
_taken_out = compiled(_subtracted, bounded=True)
_summed = compiled(_combined, bounded=True)
