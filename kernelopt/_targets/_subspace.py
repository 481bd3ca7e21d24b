"""A small problem for each target: y'V^-1 y within the span of a few vectors, for all weights at once."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import attrs
import numpy as np

from kernelopt._base._jit import compiled, inner
from kernelopt._base._typing import FloatArray, IntArray

_NOTHING = 1e-10
"""What is left of a vector beside the vectors before it, where it is a combination of them."""


@attrs.frozen(eq=False)
class Reduced:
    """What the span says at some weights, V_S = S'V S.

    Attributes:
        solution: V_S^-1 S'y, shape (t, p), 0 where there is no vector yet.
        quadratic: y'V^-1 y from below, shape (t,).
        values: v'K_a v, that of the noise last, shape (t, m + 1).
        information: v'K_a V_S^-1 K_b v, shape (t, m + 1, m + 1): half the second derivatives of the quadratic.
    """

    solution: FloatArray
    quadratic: FloatArray
    values: FloatArray
    information: FloatArray


Images = Callable[[FloatArray, FloatArray], object]
"""Writes what m kernels make of vectors (k, r) into images (k, m, r)."""


def multiplied(grams: FloatArray) -> Images:
    """By these Gram matrices (m, r, r)."""
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
        vectors: S, the first vectors of all targets and then the next ones, shape (p, t, r); 0 where a vector brought
            nothing.
        images: K_a S, shape (p, t, m, r). Memory is touched where vectors have come, and nowhere else.
        inner: S'K_a S, shape (t, m, p, p).
        along: S'y, shape (t, p).
        held: how many vectors each target has, shape (t,).
    """

    def __init__(
        self,
        targets: FloatArray,
        outside: FloatArray,
        kernels: Images,
        m: int,
        most: int,
        room: Room,
    ) -> None:
        t, r = targets.shape
        self.targets, self.outside, self._kernels, self._m = targets, outside, kernels, m
        self._room = room
        self.vectors = room.taken("vectors", (most, t, r), targets.dtype)
        self.images = room.taken("images", (most, t, m, r), targets.dtype)
        self.inner = np.zeros((t, m, most, most))
        self.along = np.zeros((t, most))
        self.held = np.zeros(t, dtype=np.intp)

    @property
    def full(self) -> bool:
        """Whether a target has no place for another vector."""
        return int(self.held.max()) == len(self.vectors)

    def add(self, which: IntArray, new: FloatArray) -> None:
        """One more vector (k, r) for some targets.

        Two rounds of Gram and Schmidt, then one product with each kernel.
        """
        before = np.linalg.norm(new, axis=1)
        new = np.array(new)
        for _ in range(2):
            _beside(self.vectors, which, self.held, new)
        length = np.linalg.norm(new, axis=1)
        kept = length > _NOTHING * np.maximum(before, 1e-300)
        new *= np.where(kept, 1.0 / np.where(kept, length, 1.0), 0.0).astype(new.dtype)[:, None]
        images, place = self._room.taken("new images", (len(new), *self.images.shape[2:]), new.dtype), self.held[which]
        self._kernels(new, images)
        self.vectors[place, which] = new
        self.images[place, which] = images
        self.held[which] += 1
        _products(images, self.vectors, which, self.held, self.inner)
        self.along[which, place] = np.einsum("tr,tr->t", new, self.targets[which])

    def at(self, which: IntArray, w: FloatArray) -> Reduced:
        """The small problems of some targets at weights (k, m + 1)."""
        k, c = w.shape
        found = Reduced(np.zeros((k, len(self.vectors))), np.empty(k), np.empty((k, c)), np.empty((k, c, c)))
        at = (found.solution, found.quadratic, found.values, found.information)
        _solved(self.inner, self.along, self.held, which, w, *at)
        outside, noise = self.outside[which], w[:, -1]
        found.quadratic[:] += outside / noise
        found.values[:, -1] += outside / noise**2
        found.information[:, -1, -1] += outside / noise**3
        return found

    def residual(self, which: IntArray, w: FloatArray, v: FloatArray) -> FloatArray:
        """Y - V S v within the basis of the kernels, shape (k, r)."""
        left, kind = self.targets[which], self.targets.dtype
        w, v = w.astype(kind, copy=False), v.astype(kind, copy=False)
        _taken_out(self.vectors, self.images, which, self.held, w, v, left)
        return left

    def solution(self, v: FloatArray) -> FloatArray:
        """S v of all targets, shape (t, r), with coefficients (t, p)."""
        found = np.zeros_like(self.targets)
        _spanned(self.vectors, self.held, v, found)
        return found

    def imaged(self, which: IntArray, v: FloatArray) -> FloatArray:
        """K_a S v of some targets with coefficients (k, p), and S v last, shape (k, m + 1, r)."""
        found = np.zeros((len(which), self._m + 1, self.targets.shape[1]), dtype=self.targets.dtype)
        _summed(self.vectors, self.images, which, self.held, v.astype(found.dtype, copy=False), found)
        return found

    def information(self, which: IntArray, w: FloatArray, v: FloatArray, diagonals: FloatArray) -> FloatArray:
        """v'S'K_a D^-1 K_b S v with D the diagonals (m, r) summed with weights w (k, m + 1), shape (k, m + 1, m + 1).

        The last one stands for K_b = I.
        """
        found, kind = np.empty((len(which), self._m + 1, self._m + 1)), self.targets.dtype
        w, v, diagonals = (one.astype(kind, copy=False) for one in (w, v, diagonals))
        _informed(self.vectors, self.images, which, self.held, w, v, diagonals, found)
        return found


def _images(grams: FloatArray, vectors: FloatArray, into: FloatArray) -> None:
    for a, gram in enumerate(grams):
        np.matmul(vectors, gram, out=into[:, a])


def _orthogonal(vectors: FloatArray, which: IntArray, held: IntArray, new: FloatArray) -> None:
    """Takes out of each new (k, r) its part along the vectors that its target holds, one after the other."""
    for i in range(len(which)):
        t = which[i]
        for j in range(held[t]):
            S = vectors[j, t]
            along = 0.0
            for k in range(len(S)):
                along += S[k] * new[i, k]
            for k in range(len(S)):
                new[i, k] -= along * S[k]


def _multiplied(images: FloatArray, vectors: FloatArray, which: IntArray, held: IntArray, inner: FloatArray) -> None:
    """The products of images (k, m, r) of the last vectors with all vectors of their targets, into inner."""
    for i in range(len(which)):
        t = which[i]
        last = held[t] - 1
        for j in range(held[t]):
            S = vectors[j, t]
            for a in range(images.shape[1]):
                image = images[i, a]
                total = 0.0
                for k in range(len(S)):
                    total += S[k] * image[k]
                inner[t, a, last, j] = total
                inner[t, a, j, last] = total


def _reduced(
    inner: FloatArray,
    along: FloatArray,
    held: IntArray,
    which: IntArray,
    w: FloatArray,
    v: FloatArray,
    quadratic: FloatArray,
    values: FloatArray,
    information: FloatArray,
) -> None:
    """The small problems of some targets within their spans, by the factors L D L' of their covariances.

    What lies outside of the basis is not in it.
    """
    m, most = inner.shape[1], v.shape[1]
    V, images = np.empty((most, most)), np.empty((m + 1, most))
    for i in range(len(which)):
        t = which[i]
        p, noise = held[t], w[i, m]
        for j in range(p):
            for h in range(j + 1):
                total = noise if h == j else 0.0
                for a in range(m):
                    total += w[i, a] * inner[t, a, j, h]
                V[j, h] = total
            v[i, j] = along[t, j]
        _factored(V, p)
        _divided(V, p, v[i])
        quadratic[i] = 0.0
        for j in range(p):
            quadratic[i] += along[t, j] * v[i, j]
            for a in range(m):
                total = 0.0
                for h in range(p):
                    total += inner[t, a, j, h] * v[i, h]
                images[a, j] = total
            images[m, j] = v[i, j]
        for a in range(m + 1):
            values[i, a] = 0.0
            for j in range(p):
                values[i, a] += images[a, j] * v[i, j]
        for a in range(m + 1):  # half way: forward alone, then products over D
            for j in range(p):
                for h in range(j):
                    images[a, j] -= V[j, h] * images[a, h]
            for b in range(a + 1):
                total = 0.0
                for j in range(p):
                    total += images[a, j] * images[b, j] / V[j, j]
                information[i, a, b] = total
                information[i, b, a] = total


def _factor(V: FloatArray, p: int) -> None:
    """V = L D L' of p rows, in its lower half: D on the diagonal, and L beside it."""
    for j in range(p):
        for h in range(j):
            scaled = V[j, h]
            for q in range(h):
                scaled -= V[j, q] * V[h, q]
            V[j, h] = scaled  # L D as yet
        for h in range(j):
            share = V[j, h] / V[h, h]
            V[j, j] -= share * V[j, h]
            V[j, h] = share


def _divide(V: FloatArray, p: int, v: FloatArray) -> None:
    """V^-1 v in place, by the factors of V."""
    for j in range(p):
        for h in range(j):
            v[j] -= V[j, h] * v[h]
    for j in range(p):
        v[j] /= V[j, j]
    for j in range(p - 1, -1, -1):
        for h in range(j + 1, p):
            v[j] -= V[h, j] * v[h]


def _subtracted(
    vectors: FloatArray,
    images: FloatArray,
    which: IntArray,
    held: IntArray,
    w: FloatArray,
    v: FloatArray,
    left: FloatArray,
) -> None:
    """Takes V S v out of left (k, r), at weights w (k, m + 1) and coefficients v (k, p)."""
    m = w.shape[1] - 1
    for i in range(len(which)):
        t = which[i]
        for j in range(held[t]):
            own = w[i, m] * v[i, j]
            for k in range(left.shape[1]):
                left[i, k] -= own * vectors[j, t, k]
            for a in range(m):
                share = w[i, a] * v[i, j]
                if share != 0.0:
                    for k in range(left.shape[1]):
                        left[i, k] -= share * images[j, t, a, k]


def _combined(
    vectors: FloatArray, images: FloatArray, which: IntArray, held: IntArray, v: FloatArray, found: FloatArray
) -> None:
    """The sums of images and of vectors with coefficients v (k, p), added to found (k, m + 1, r)."""
    m = images.shape[2]
    for i in range(len(which)):
        t = which[i]
        for j in range(held[t]):
            share = v[i, j]
            for k in range(found.shape[2]):
                found[i, m, k] += share * vectors[j, t, k]
            for a in range(m):
                for k in range(found.shape[2]):
                    found[i, a, k] += share * images[j, t, a, k]


def _inform(
    vectors: FloatArray,
    images: FloatArray,
    which: IntArray,
    held: IntArray,
    w: FloatArray,
    v: FloatArray,
    diagonals: FloatArray,
    found: FloatArray,
) -> None:
    """As `Subspaces.information`, into found."""
    m, r = diagonals.shape
    sums, weight = np.empty((1, m + 1, r), dtype=vectors.dtype), np.empty(r, dtype=vectors.dtype)
    for i in range(len(which)):
        sums[:] = 0.0
        _combine(vectors, images, which[i : i + 1], held, v[i : i + 1], sums)
        weight[:] = w[i, m]
        for a in range(m):
            for k in range(r):
                weight[k] += w[i, a] * diagonals[a, k]
        for k in range(r):
            weight[k] = 1.0 / weight[k]
        for a in range(m + 1):
            for b in range(a + 1):
                total = 0.0
                for k in range(r):
                    total += sums[0, a, k] * sums[0, b, k] * weight[k]
                found[i, a, b] = total
                found[i, b, a] = total


def _sums(vectors: FloatArray, held: IntArray, v: FloatArray, found: FloatArray) -> None:
    """The sums of the vectors of all targets with coefficients v (t, p), added to found (t, r)."""
    for t in range(len(found)):
        for j in range(held[t]):
            share = v[t, j]
            for k in range(found.shape[1]):
                found[t, k] += share * vectors[j, t, k]


_factored, _divided = inner(_factor), inner(_divide)
_solved = compiled(_reduced, bounded=True)
_beside = compiled(_orthogonal, bounded=True)
_products = compiled(_multiplied, bounded=True)
_taken_out = compiled(_subtracted, bounded=True)
_summed = compiled(_combined, bounded=True)
_combine = inner(_combined)
_informed = compiled(_inform, bounded=True)
_spanned = compiled(_sums, bounded=True)
