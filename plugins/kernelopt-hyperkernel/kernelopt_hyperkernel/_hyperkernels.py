"""Hyperkernels: kernels between pairs of points (Ong, Smola and Williamson (2005), section 4).

Each is a function of two numbers or two short vectors, the base kernels' values at the one pair and at the other:
that is all that is ever held of a pair.
"""

import math
from abc import ABC, abstractmethod

import attrs
import numpy as np

from kernelopt import Dictionary
from kernelopt.plugin import FloatArray, InvalidData
from kernelopt_hyperkernel import _closed_forms as closed
from kernelopt_hyperkernel._bases import COLUMNWISE, RADIAL, Base, gaussian, gaussians, listed_values
from kernelopt_hyperkernel._closed_forms import HARMONIC, Terms


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

    @property
    def boundless(self) -> bool | None:
        """Whether e(x, x) grows with the numbers of a row without end; None where nothing is known of it."""
        return False


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
            return closed.formula(HARMONIC, self.lambda_h, RADIAL)
        return f"prod_j {closed.formula(HARMONIC, self.lambda_h, COLUMNWISE)}"


@attrs.frozen(eq=False)
class PowerSeries(PairKernel):
    """g(lambda e e'), equation (11) with a function of table 2, e = exp(-sum_j sigma_j (x_j - x'_j)^2).

    Attributes:
        series: a name in `CLOSED`.
        lambda_h: above 0, and below 1 where g converges there only.
        sigma: shape (d,).
    """

    series: str
    lambda_h: float
    sigma: FloatArray

    def base(self, A: FloatArray, B: FloatArray) -> FloatArray:
        return gaussian(A, B, self.sigma)

    def between(self, first: FloatArray, second: FloatArray) -> FloatArray:
        return closed.products(self.series, self.lambda_h, first[0], second[0])

    def own(self, values: FloatArray) -> FloatArray:
        return closed.squares(self.series, self.lambda_h, values[0])

    def of_a_point(self) -> str:
        return closed.formula(self.series, self.lambda_h, RADIAL)


@attrs.frozen(eq=False)
class Composed(PairKernel):
    """prod_j g(lambda k_j k'_j) for any power series g without a negative coefficient and any base, equation (11).

    Attributes:
        terms: of g.
        lambda_h: above 0.
        base_kernel: the k_j, its widths fixed.
    """

    terms: Terms
    lambda_h: float
    base_kernel: Base

    def base(self, A: FloatArray, B: FloatArray) -> FloatArray:
        values, limit = self.base_kernel.values(A, B), closed.radius(self.terms)
        largest = float(values.max(initial=0.0))
        if math.isfinite(limit) and largest >= math.sqrt(limit / self.lambda_h):
            raise InvalidData(
                f"Hyperkernel: the base kernel is {largest:g} at a pair of rows, and with lambda_h={self.lambda_h:g} "
                f"the series {self.terms!r} converges below {math.sqrt(limit / self.lambda_h):g} only; take a smaller "
                "lambda_h, or rescale the columns of X"
            )
        return values

    def between(self, first: FloatArray, second: FloatArray) -> FloatArray:
        product = np.ones((first.shape[1], second.shape[1]))
        for one, two in zip(first, second, strict=True):
            product *= closed.products(self.terms, self.lambda_h, one, two)
        return product

    def own(self, values: FloatArray) -> FloatArray:
        return np.asarray(closed.squares(self.terms, self.lambda_h, values).prod(axis=0))

    @property
    def boundless(self) -> bool | None:
        return self.base_kernel.boundless

    def of_a_point(self) -> str | None:
        argument = self.base_kernel.of_a_point()
        if argument is None:
            return None
        one = closed.formula(self.terms, self.lambda_h, argument)
        return f"prod_j ({one})" if argument == COLUMNWISE else one


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

    @property
    def boundless(self) -> bool:
        return True

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
        return listed_values(self.kernels, A, B)

    def between(self, first: FloatArray, second: FloatArray) -> FloatArray:
        return (first * self.coefficients[:, None]).T @ second

    def own(self, values: FloatArray) -> FloatArray:
        return np.asarray(self.coefficients @ values**2)

    @property
    def boundless(self) -> bool | None:
        return self.kernels.boundless(self.kernels.dictionary())
