"""Loops over the vectors and images that each of many targets holds, compiled.

`Kept` are arrays of `Subspaces`: vectors (N, r) and images (N, m, r) of all targets, the rows (t, p) where those of
each target stand, and how many of these it holds (t,). Targets are those of the places `which` (k,).
"""

import numpy as np

from kernelopt._base._jit import compiled, inner
from kernelopt._base._typing import FloatArray, IntArray

Kept = tuple[FloatArray, FloatArray, IntArray, IntArray]


def _orthogonal(kept: Kept, which: IntArray, new: FloatArray) -> None:
    """Takes out of each new (k, r) its part along the vectors that its target holds, one after the other."""
    vectors, _, rows, held = kept
    for i in range(len(which)):
        t = which[i]
        for j in range(held[t]):
            S = vectors[rows[t, j]]
            along = 0.0
            for k in range(len(S)):
                along += S[k] * new[i, k]
            for k in range(len(S)):
                new[i, k] -= along * S[k]


def _multiplied(kept: Kept, which: IntArray, inner: FloatArray) -> None:
    """The products of the last images with all vectors of their targets, into inner (t, m, p, p)."""
    vectors, images, rows, held = kept
    for i in range(len(which)):
        t = which[i]
        last = held[t] - 1
        for j in range(held[t]):
            S = vectors[rows[t, j]]
            for a in range(images.shape[1]):
                image = images[rows[t, last], a]
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
    kept: Kept,
    which: IntArray,
    w: FloatArray,
    v: FloatArray,
    left: FloatArray,
) -> None:
    """Takes V S v out of left (k, r), at weights w (k, m + 1) and coefficients v (k, p)."""
    vectors, images, rows, held = kept
    m = w.shape[1] - 1
    for i in range(len(which)):
        t = which[i]
        for j in range(held[t]):
            row, own = rows[t, j], w[i, m] * v[i, j]
            for k in range(left.shape[1]):
                left[i, k] -= own * vectors[row, k]
            for a in range(m):
                share = w[i, a] * v[i, j]
                if share != 0.0:
                    for k in range(left.shape[1]):
                        left[i, k] -= share * images[row, a, k]


def _combined(
    kept: Kept,
    which: IntArray,
    v: FloatArray,
    found: FloatArray,
) -> None:
    """The sums of images and of vectors with coefficients v (k, p), added to found (k, m + 1, r)."""
    vectors, images, rows, held = kept
    m = images.shape[1]
    for i in range(len(which)):
        t = which[i]
        for j in range(held[t]):
            row, share = rows[t, j], v[i, j]
            for k in range(found.shape[2]):
                found[i, m, k] += share * vectors[row, k]
            for a in range(m):
                for k in range(found.shape[2]):
                    found[i, a, k] += share * images[row, a, k]


def _inform(
    kept: Kept,
    which: IntArray,
    w: FloatArray,
    v: FloatArray,
    diagonals: FloatArray,
    found: FloatArray,
) -> None:
    """As `Subspaces.information`, into found (k, m + 1, m + 1)."""
    m, r = diagonals.shape
    sums, weight = np.empty((1, m + 1, r), dtype=kept[0].dtype), np.empty(r, dtype=kept[0].dtype)
    for i in range(len(which)):
        sums[:] = 0.0
        _combine(kept, which[i : i + 1], v[i : i + 1], sums)
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


def _sums(kept: Kept, v: FloatArray, found: FloatArray) -> None:
    """The sums of the vectors of all targets with coefficients v (t, p), added to found (t, r)."""
    vectors, _, rows, held = kept
    for t in range(len(found)):
        for j in range(held[t]):
            row, share = rows[t, j], v[t, j]
            for k in range(found.shape[1]):
                found[t, k] += share * vectors[row, k]


_factored, _divided, _combine = inner(_factor), inner(_divide), inner(_combined)
orthogonalised = compiled(_orthogonal, bounded=True)
multiplied_with = compiled(_multiplied, bounded=True)
reduced = compiled(_reduced, bounded=True)
subtracted = compiled(_subtracted, bounded=True)
combined = compiled(_combined, bounded=True)
informed = compiled(_inform, bounded=True)
summed = compiled(_sums, bounded=True)
