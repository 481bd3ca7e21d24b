"""A small problem for each target: y'V^-1 y within the span of a few vectors, for all weights at once."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._targets import _spans

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
        vectors: of all targets in the order in which they came, shape (N, r); 0 where a vector brought nothing. Memory
            is touched where vectors have come, and nowhere else.
        images: K_a of the vectors, shape (N, m, r).
        rows: where the vectors of each target stand, shape (t, p).
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
        self.vectors = room.taken("vectors", (most * t, r), targets.dtype)
        self.images = room.taken("images", (most * t, m, r), targets.dtype)
        self.rows = np.zeros((t, most), dtype=np.intp)
        self.inner = np.zeros((t, m, most, most))
        self.along = np.zeros((t, most))
        self.held = np.zeros(t, dtype=np.intp)

    @property
    def full(self) -> bool:
        """Whether a target has no place for another vector."""
        return int(self.held.max()) == self.rows.shape[1]

    @property
    def _kept(self) -> _spans.Kept:
        return self.vectors, self.images, self.rows, self.held

    def add(self, which: IntArray, new: FloatArray) -> None:
        """One more vector (k, r) for some targets.

        Two rounds of Gram and Schmidt, then one product with each kernel.
        """
        first = int(self.held.sum())
        rows = slice(first, first + len(which))
        before, vectors = np.linalg.norm(new, axis=1), self.vectors[rows]
        vectors[:] = new
        for _ in range(2):
            _spans.orthogonalised(self._kept, which, vectors)
        length = np.linalg.norm(vectors, axis=1)
        kept = length > _NOTHING * np.maximum(before, 1e-300)
        vectors *= np.where(kept, 1.0 / np.where(kept, length, 1.0), 0.0).astype(vectors.dtype)[:, None]
        self._kernels(vectors, self.images[rows])
        place = self.held[which]
        self.rows[which, place] = np.arange(rows.start, rows.stop)
        self.held[which] += 1
        _spans.multiplied_with(self._kept, which, self.inner)
        self.along[which, place] = np.einsum("tr,tr->t", vectors, self.targets[which])

    def at(self, which: IntArray, w: FloatArray) -> Reduced:
        """The small problems of some targets at weights (k, m + 1)."""
        k, c = w.shape
        found = Reduced(np.zeros((k, self.rows.shape[1])), np.empty(k), np.empty((k, c)), np.empty((k, c, c)))
        at = (found.solution, found.quadratic, found.values, found.information)
        _spans.reduced(self.inner, self.along, self.held, which, w, *at)
        outside, noise = self.outside[which], w[:, -1]
        found.quadratic[:] += outside / noise
        found.values[:, -1] += outside / noise**2
        found.information[:, -1, -1] += outside / noise**3
        return found

    def residual(self, which: IntArray, w: FloatArray, v: FloatArray) -> FloatArray:
        """Y - V S v within the basis of the kernels, shape (k, r)."""
        left, kind = self.targets[which], self.targets.dtype
        w, v = w.astype(kind, copy=False), v.astype(kind, copy=False)
        _spans.subtracted(self._kept, which, w, v, left)
        return left

    def solution(self, v: FloatArray) -> FloatArray:
        """S v of all targets, shape (t, r), with coefficients (t, p)."""
        found = np.zeros_like(self.targets)
        _spans.summed(self._kept, v, found)
        return found

    def imaged(self, which: IntArray, v: FloatArray) -> FloatArray:
        """K_a S v of some targets with coefficients (k, p), and S v last, shape (k, m + 1, r)."""
        found = np.zeros((len(which), self._m + 1, self.targets.shape[1]), dtype=self.targets.dtype)
        _spans.combined(self._kept, which, v.astype(found.dtype, copy=False), found)
        return found

    def information(self, which: IntArray, w: FloatArray, v: FloatArray, diagonals: FloatArray) -> FloatArray:
        """v'S'K_a D^-1 K_b S v with D the diagonals (m, r) summed with weights w (k, m + 1), shape (k, m + 1, m + 1).

        The last one stands for K_b = I.
        """
        found, kind = np.empty((len(which), self._m + 1, self._m + 1)), self.targets.dtype
        w, v, diagonals = (one.astype(kind, copy=False) for one in (w, v, diagonals))
        _spans.informed(self._kept, which, w, v, diagonals, found)
        return found


def _images(grams: FloatArray, vectors: FloatArray, into: FloatArray) -> None:
    for a, gram in enumerate(grams):
        np.matmul(vectors, gram, out=into[:, a])
