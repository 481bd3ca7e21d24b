"""How targets with one candidate see the kernels: in its eigenvectors, or as the kernels are.

In the eigenvectors of a sum of kernels this sum is diagonal, and the sums near it nearly.
"""

from collections.abc import Mapping
from typing import Any, Protocol

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._targets._rays import Ray
from kernelopt._targets._subspace import Subspaces, multiplied
from kernelopt._targets._thin import Thin

_WORTHWHILE = 0.4
"""For so many targets, as a share of the dimensions, the kernels are turned."""
_HEAVY = 0.3
"""A kernel may be the one of which the others tell where it has so large a share of the largest weight."""


class Seen(Protocol):
    """The kernels in coordinates, with covariances V(w) that are inverted about, by the candidate's eigenvectors."""

    def coordinates(self, Z: FloatArray, along: FloatArray | None = None) -> FloatArray:
        """Of targets (t, r), where those along the candidate's eigenvectors may be known; they may be these arrays."""

    def back(self, V: FloatArray) -> FloatArray:
        """Of vectors (t, r) in these coordinates, in double precision."""

    def images(self, S: FloatArray, into: FloatArray) -> None:
        """K_a of vectors (k, r), into an array (k, m, r)."""

    def solved(self, w: FloatArray, R: FloatArray) -> FloatArray:
        """About V^-1 of vectors (k, r) at weights (k, m + 1)."""

    def information(self, spaces: Subspaces, which: IntArray, w: FloatArray, v: FloatArray) -> FloatArray:
        """About v'S'K_a V^-1 K_b S v of some targets, at weights (k, m + 1) and coefficients (k, p)."""


def seen(ray: Ray, grams: FloatArray, thin: Thin, targets: int) -> Seen:
    """By so many targets, in the precision of grams (m, r, r), some of which have factors of low rank."""
    if grams.dtype == np.float32 and targets > _WORTHWHILE * len(ray.values):
        return _Turned.of(ray, grams, thin)
    return _Plain(ray, grams)


@attrs.frozen(eq=False)
class _Turned:
    """U'K_a U in single precision.

    Attributes:
        ray: of the eigenvectors U.
        implied: the place of a kernel with a large weight, of which the others and the eigenvalues tell.
        parts: of the others, as (U'K_a U,) or as (F, F') with F = U'F_a.
    """

    ray: Ray
    implied: int
    parts: Mapping[int, tuple[FloatArray, ...]]

    @classmethod
    def of(cls, ray: Ray, grams: FloatArray, thin: Thin) -> "_Turned":
        U = ray.vectors
        assert U is not None
        heavy = np.flatnonzero(ray.direction >= _HEAVY * ray.direction.max())
        costs = np.array([thin[int(a)].shape[1] if a in thin else len(U) for a in heavy])
        implied = int(heavy[np.lexsort((ray.direction[heavy], costs))[-1]])
        parts = dict[int, tuple[FloatArray, ...]]()
        for a in range(len(grams)):
            if a in thin and a != implied:
                F = U.T @ thin[a].astype(U.dtype)
                parts[a] = (F, np.ascontiguousarray(F.T))
            elif a != implied:
                parts[a] = (U.T @ (grams[a] @ U),)
        return cls(ray, implied, parts)

    def coordinates(self, Z: FloatArray, along: FloatArray | None = None) -> FloatArray:
        return self.ray.coordinates(Z) if along is None else along

    def back(self, V: FloatArray) -> FloatArray:
        assert self.ray.vectors is not None
        return np.asarray((V @ self.ray.vectors.T).astype(np.float64))

    def images(self, S: FloatArray, into: FloatArray) -> None:
        direction: Any = self.ray.direction.astype(np.float32)
        rest: Any = S * self.ray.values.astype(S.dtype)
        for a, (*first, last) in self.parts.items():
            image = into[:, a]
            np.matmul(S @ first[0] if first else S, last, out=image)
            if direction[a]:
                rest -= direction[a] * image
        np.divide(rest, direction[self.implied], out=into[:, self.implied])

    def solved(self, w: FloatArray, R: FloatArray) -> FloatArray:
        return np.asarray(R / _diagonal(self.ray, w))

    def information(self, spaces: Subspaces, which: IntArray, w: FloatArray, v: FloatArray) -> FloatArray:
        return spaces.information(which, w, v, self.ray.diagonals)


@attrs.frozen(eq=False)
class _Plain:
    """The kernels as they are; what is inverted about is so in single precision."""

    ray: Ray
    grams: FloatArray

    def coordinates(self, Z: FloatArray, along: FloatArray | None = None) -> FloatArray:  # noqa: ARG002
        return np.asarray(Z.astype(self.grams.dtype))

    def back(self, V: FloatArray) -> FloatArray:
        return np.asarray(V.astype(np.float64))

    def images(self, S: FloatArray, into: FloatArray) -> None:
        multiplied(self.grams)(S, into)

    def solved(self, w: FloatArray, R: FloatArray) -> FloatArray:
        assert self.ray.vectors is not None
        inner = (R.astype(np.float32, copy=False) @ self.ray.vectors) / _diagonal(self.ray, w)
        return np.asarray((inner @ self.ray.vectors.T).astype(R.dtype, copy=False))

    def information(self, spaces: Subspaces, which: IntArray, w: FloatArray, v: FloatArray) -> FloatArray:
        assert self.ray.vectors is not None
        images = spaces.imaged(which, v)
        turned = images.reshape(-1, images.shape[2]).astype(np.float32, copy=False) @ self.ray.vectors
        half = turned.reshape(images.shape) / np.sqrt(_diagonal(self.ray, w))[:, None]
        return np.asarray((half @ half.transpose(0, 2, 1)).astype(np.float64))


def _diagonal(ray: Ray, w: FloatArray) -> Any:
    """Of covariances at weights (t, m + 1) in the eigenvectors, shape (t, r): at the ray's own weights all of them."""
    return (w[:, :-1] @ ray.diagonals + w[:, -1:]).astype(np.float32)
