"""How targets with one candidate see the kernels: in its eigenvectors, or as the kernels are.

In the eigenvectors of a sum of kernels this sum is diagonal, and the sums near it nearly.
"""

from typing import Any, Protocol

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._targets._rays import Ray

_WORTHWHILE = 0.4
"""For so many targets, as a share of the dimensions, the kernels are turned."""


class Seen(Protocol):
    """The kernels in coordinates, with covariances V(w) that are inverted about, by the candidate's eigenvectors."""

    def coordinates(self, Z: FloatArray) -> FloatArray:
        """Of targets (t, r)."""

    def back(self, V: FloatArray) -> FloatArray:
        """Of vectors (t, r) in these coordinates, in double precision."""

    def images(self, S: FloatArray) -> FloatArray:
        """K_a of vectors (k, r), shape (k, m, r)."""

    def solved(self, w: FloatArray, R: FloatArray) -> FloatArray:
        """About V^-1 of vectors (k, r) at weights (k, m + 1)."""

    def halved(self, w: FloatArray, images: FloatArray) -> FloatArray:
        """About V^-1/2 of vectors (k, l, r), in any basis."""


def seen(ray: Ray, grams: FloatArray, targets: int) -> Seen:
    """By so many targets, in the precision of grams (m, r, r)."""
    if grams.dtype == np.float32 and targets > _WORTHWHILE * len(ray.values):
        return _Turned.of(ray, grams)
    return _Plain(ray, grams)


@attrs.frozen(eq=False)
class _Turned:
    """U'K_a U in single precision.

    Attributes:
        ray: of the eigenvectors U.
        grams: of all kernels but the one with the largest weight, of which the others and the eigenvalues tell, shape
            (r, r) each.
    """

    ray: Ray
    grams: tuple[FloatArray, ...]

    @classmethod
    def of(cls, ray: Ray, grams: FloatArray) -> "_Turned":
        assert ray.vectors is not None
        return cls(ray, tuple(ray.vectors.T @ (grams[a] @ ray.vectors) for a in _others(ray)))

    def coordinates(self, Z: FloatArray) -> FloatArray:
        assert self.ray.vectors is not None
        return np.asarray(Z.astype(np.float32) @ self.ray.vectors)

    def back(self, V: FloatArray) -> FloatArray:
        assert self.ray.vectors is not None
        return np.asarray((V @ self.ray.vectors.T).astype(np.float64))

    def images(self, S: FloatArray) -> FloatArray:
        direction: Any = self.ray.direction.astype(np.float32)
        largest = int(np.argmax(direction))
        found = np.empty((len(S), len(direction), S.shape[1]), dtype=S.dtype)
        rest: Any = S * self.ray.values.astype(S.dtype)
        for a, gram in zip(_others(self.ray), self.grams, strict=True):
            found[:, a] = S @ gram
            if direction[a]:
                rest -= direction[a] * found[:, a]
        found[:, largest] = rest / direction[largest]
        return found

    def solved(self, w: FloatArray, R: FloatArray) -> FloatArray:
        return np.asarray(R / _diagonal(self.ray, w))

    def halved(self, w: FloatArray, images: FloatArray) -> FloatArray:
        return np.asarray(images / np.sqrt(_diagonal(self.ray, w))[:, None])


@attrs.frozen(eq=False)
class _Plain:
    """The kernels as they are; what is inverted about is so in single precision."""

    ray: Ray
    grams: FloatArray

    def coordinates(self, Z: FloatArray) -> FloatArray:
        return np.asarray(Z.astype(self.grams.dtype))

    def back(self, V: FloatArray) -> FloatArray:
        return np.asarray(V.astype(np.float64))

    def images(self, S: FloatArray) -> FloatArray:
        return np.stack([S @ gram for gram in self.grams], axis=1)

    def solved(self, w: FloatArray, R: FloatArray) -> FloatArray:
        assert self.ray.vectors is not None
        inner = (R.astype(np.float32, copy=False) @ self.ray.vectors) / _diagonal(self.ray, w)
        return np.asarray((inner @ self.ray.vectors.T).astype(R.dtype, copy=False))

    def halved(self, w: FloatArray, images: FloatArray) -> FloatArray:
        assert self.ray.vectors is not None
        turned = images.reshape(-1, images.shape[2]).astype(np.float32, copy=False) @ self.ray.vectors
        return np.asarray(turned.reshape(images.shape) / np.sqrt(_diagonal(self.ray, w))[:, None])


def _diagonal(ray: Ray, w: FloatArray) -> Any:
    """Of covariances at weights (t, m + 1) in the eigenvectors, shape (t, r): at the ray's own weights all of them."""
    return (w[:, :-1] @ ray.diagonals + w[:, -1:]).astype(np.float32)


def _others(ray: Ray) -> list[int]:
    """The places of all but the largest weight."""
    return [a for a in range(len(ray.direction)) if a != int(np.argmax(ray.direction))]
