"""Gaussian kernels of several widths for kernelopt: `kernelopt.solve(X, y, family="gaussians")`."""

import attrs
import numpy as np
from attrs.validators import deep_iterable, min_len
from scipy.spatial.distance import cdist

from kernelopt.plugin import Data, Dense, FiniteFamily, FloatArray, Gram, KernelFamily, Part, hookimpl, positive

KERNELOPT_CONTRACT = 1


@attrs.frozen
class Gaussians(FiniteFamily):
    """The hull of k_r(x, z) = exp(-|x - z|^2 / (r^2 s)), s the mean squared distance of two training rows.

    Attributes:
        widths: every r, > 0; an atom of the family is one of them.
    """

    name = "gaussians"
    widths: tuple[float, ...] = attrs.field(
        default=(0.1, 0.3, 1.0, 3.0), converter=tuple, validator=deep_iterable(positive, min_len(1))
    )
    _size: float = attrs.field(default=1.0, alias="_size", repr=False)

    def prepare(self, X: FloatArray, weight: FloatArray) -> "Gaussians":
        """Fix s, which is twice the total variance of the columns."""
        mean = np.average(X, axis=0, weights=weight)
        return attrs.evolve(self, _size=2.0 * float(np.average((X - mean) ** 2, axis=0, weights=weight).sum()))

    def bind(self, X: FloatArray) -> Data:
        """The squared distances (n, n): computed once, used by every Gram."""
        return cdist(X, X, "sqeuclidean")

    def bind_bytes(self, n: int, d: int) -> int:  # noqa: ARG002
        return 8 * n * n

    def dictionary(self) -> Part:
        return Part(np.array(self.widths)[:, None], np.full(len(self.widths), 1.0 / len(self.widths)))

    def diag(self, part: Part, X: FloatArray) -> FloatArray:
        return np.full(len(X), part.mass)

    def gram(self, part: Part, data: Data) -> Gram:
        return Dense(self._mixed(part, data))

    def cross(self, part: Part, Z: FloatArray, X: FloatArray) -> FloatArray:
        return self._mixed(part, cdist(Z, X, "sqeuclidean"))

    def _mixed(self, part: Part, squared: FloatArray) -> FloatArray:
        pairs = zip(part.atoms[:, 0], part.weights, strict=True)
        return sum((w * np.exp(-squared / (r * r * self._size)) for r, w in pairs), np.zeros_like(squared))


@hookimpl
def kernelopt_families() -> list[type[KernelFamily]]:
    """The families that this plugin offers."""
    return [Gaussians]
