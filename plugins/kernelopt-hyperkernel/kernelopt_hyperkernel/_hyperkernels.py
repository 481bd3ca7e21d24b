"""Hyperkernels: kernels between pairs of points (Ong, Smola and Williamson (2005), section 4).

Each is a function of two numbers or two short vectors, the base kernels' values at the one pair and at the other:
that is all that is ever held of a pair.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from types import MappingProxyType

import attrs
import numpy as np

from kernelopt import Dictionary
from kernelopt.plugin import FloatArray, InvalidData, Part

SERIES: Mapping[str, Callable[[FloatArray], FloatArray]] = MappingProxyType(
    {
        "exp": np.exp,
        "sinh": np.sinh,
        "cosh": np.cosh,
        "arctanh": np.arctanh,
        "log": lambda x: np.asarray(-np.log1p(-x)),
    }
)
"""Table 2: functions whose power series have no negative coefficient."""
UNIT_RADIUS = ("arctanh", "log")
"""Those of them that converge below 1 only."""

_RADIAL = "exp(-sum_j sigma_j (x_j - z_j)^2)"

_PAIRS = 32
"""Pairs that kernels of blocks are asked for at once: of each block only the diagonal is wanted."""


class PairKernel(ABC):
    """k((x, x'), (z, z')) = G(e(x, x'), e(z, z')), e the values of r base kernels, none of them negative.

    For a fixed first pair it is a positive kernel of the second.
    """

    @abstractmethod
    def base(self, A: FloatArray, B: FloatArray) -> FloatArray:
        """e at the pairs (A_i, B_i), rows of shape (m, d); shape (r, m)."""

    @abstractmethod
    def between(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """G between pairs with these base values, (r, k) and (r, m); shape (k, m)."""

    @abstractmethod
    def own(self, values: FloatArray) -> FloatArray:
        """G of each pair with itself, for base values (r, m); shape (m,)."""

    def of_a_point(self) -> str | None:
        """The kernel of a pair of any point with itself, in the signs of a formula; None where points differ in it."""
        return None


@attrs.frozen(eq=False)
class Harmonic(PairKernel):
    """prod_j (1 - lambda) / (1 - lambda e_j e'_j), equation (14), or (13) where all columns share one e.

    Attributes:
        lambda_h: lambda, between 0 and 1.
        sigma: e_j = exp(-sigma_j (x_j - x'_j)^2), shape (d,).
        shared: whether e is one number, exp(-sum_j sigma_j (x_j - x'_j)^2).
    """

    lambda_h: float
    sigma: FloatArray
    shared: bool = False

    def base(self, A: FloatArray, B: FloatArray) -> FloatArray:
        return gaussian(A, B, self.sigma) if self.shared else gaussians(A, B, self.sigma)

    def between(self, first: FloatArray, second: FloatArray) -> FloatArray:
        # Its inverse is a product of (1 - lambda e e') / (1 - lambda), all of at least 1.
        slope = (self.lambda_h / (1.0 - self.lambda_h)) * first
        inverse, factor = np.ones((2, first.shape[1], second.shape[1]))
        with np.errstate(over="ignore"):
            for c, e in zip(slope, second, strict=True):
                np.multiply.outer(c, e, out=factor)
                np.subtract(1.0 / (1.0 - self.lambda_h), factor, out=factor)
                inverse *= factor
        return np.divide(1.0, inverse, out=inverse)

    def own(self, values: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            inverse = (1.0 - self.lambda_h * values**2) / (1.0 - self.lambda_h)
            return np.asarray(1.0 / inverse.prod(axis=0))

    def of_a_point(self) -> str:
        if self.shared:
            return f"{1.0 - self.lambda_h:g} / (1 - {self.lambda_h:g} {_RADIAL})"
        return f"prod_j {1.0 - self.lambda_h:g} / (1 - {self.lambda_h:g} exp(-sigma_j (x_j - z_j)^2))"


@attrs.frozen(eq=False)
class PowerSeries(PairKernel):
    """g(lambda e e'), equation (11) with a function of table 2, e = exp(-sum_j sigma_j (x_j - x'_j)^2).

    Attributes:
        series: a name in `SERIES`.
        lambda_h: above 0, and below 1 where g converges there only.
        sigma: shape (d,).
    """

    series: str
    lambda_h: float
    sigma: FloatArray

    def base(self, A: FloatArray, B: FloatArray) -> FloatArray:
        return gaussian(A, B, self.sigma)

    def between(self, first: FloatArray, second: FloatArray) -> FloatArray:
        return SERIES[self.series](np.multiply.outer(self.lambda_h * first[0], second[0]))

    def own(self, values: FloatArray) -> FloatArray:
        return SERIES[self.series](self.lambda_h * values[0] ** 2)

    def of_a_point(self) -> str:
        argument = f"{self.lambda_h:g} {_RADIAL}"
        return f"-ln(1 - {argument})" if self.series == "log" else f"{self.series}({argument})"


@attrs.frozen(eq=False)
class PolynomialAndGaussian(PairKernel):
    """c1 e_1 e'_1 + c2 e_2 e'_2, equation (16): e_1 = (<x, x'> + b)^(2p), e_2 = exp(-sum_j sigma_j (x_j - x'_j)^2).

    Attributes:
        c1, c2: above 0.
        b: at least 0.
        p: at least 1.
        sigma: shape (d,).
    """

    c1: float
    c2: float
    b: float
    p: int
    sigma: FloatArray

    def base(self, A: FloatArray, B: FloatArray) -> FloatArray:
        inner = np.einsum("md,md->m", A, B) + self.b
        return np.vstack([inner ** (2 * self.p), gaussian(A, B, self.sigma)])

    def between(self, first: FloatArray, second: FloatArray) -> FloatArray:
        return np.outer(self.c1 * first[0], second[0]) + np.outer(self.c2 * first[1], second[1])

    def own(self, values: FloatArray) -> FloatArray:
        return np.asarray(self.c1 * values[0] ** 2 + self.c2 * values[1] ** 2)


@attrs.frozen(eq=False)
class Explicit(PairKernel):
    """sum_i c_i k_i(x, x') k_i(z, z'), equation (15).

    Attributes:
        kernels: the k_i, a finite list; none may be negative at a pair of rows.
        coefficients: c, shape (r,), > 0.
    """

    kernels: Dictionary
    coefficients: FloatArray

    def base(self, A: FloatArray, B: FloatArray) -> FloatArray:
        values = np.empty((len(self.coefficients), len(A)))
        for some in (slice(start, start + _PAIRS) for start in range(0, len(A), _PAIRS)):
            for i, part in enumerate(self._parts()):
                values[i, some] = np.diagonal(self.kernels.cross(part, A[some], B[some]))
        if (values < 0.0).any():
            raise InvalidData(
                f"Hyperkernel: one of the kernels of the sum is {values.min():g} at a pair of rows, and none may be "
                "negative; take an even power of it"
            )
        return values

    def between(self, first: FloatArray, second: FloatArray) -> FloatArray:
        return (first * self.coefficients[:, None]).T @ second

    def own(self, values: FloatArray) -> FloatArray:
        return np.asarray(self.coefficients @ values**2)

    def _parts(self) -> tuple[Part, ...]:
        """Each kernel alone."""
        return tuple(Part(atom[None], np.ones(1)) for atom in self.kernels.dictionary().atoms)


def gaussians(A: FloatArray, B: FloatArray, sigma: FloatArray) -> FloatArray:
    """exp(-sigma_j (A_ij - B_ij)^2), one row for each column, shape (d, m)."""
    difference = np.ascontiguousarray((A - B).T)
    return np.asarray(np.exp(-sigma[:, None] * difference**2))


def gaussian(A: FloatArray, B: FloatArray, sigma: FloatArray) -> FloatArray:
    """exp(-sum_j sigma_j (A_ij - B_ij)^2), shape (1, m)."""
    return np.asarray(np.exp(-np.sum(sigma * (A - B) ** 2, axis=1))[None])
