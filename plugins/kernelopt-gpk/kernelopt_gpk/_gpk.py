"""The family of generalised polynomial kernels (Colbert and Peet, 2020)."""

import math
from typing import ClassVar, Literal

import attrs
import numpy as np

from kernelopt.plugin import (
    FeatureFamily,
    FloatArray,
    IntArray,
    InvalidOption,
    MatrixFamily,
    Part,
    exponents,
    monomial_names,
    monomials,
    one_of,
    positive_or,
    reading_order,
    within,
)
from kernelopt_gpk._column_scaling import Frame


@attrs.frozen
class GPK(FeatureFamily):
    """Generalised polynomial kernels: every quadratic form in monomials,

        k(x, y) = Z(x)' P Z(y),     P >= 0, trace P = 1,

    with Z the plain monomials of total degree at most `degree` of the columns of x, after `rescale` (Colbert and Peet
    (2020), equation (9), which every polynomial kernel of that degree satisfies). `exponents` states their order.

    With one output nothing is learned but the classifier: the optimum is the fixed kernel Z(x)'Z(y) in disguise, and a
    note of the solution says so. Several classes or targets share a P that is learned.

    Attributes:
        degree: total degree of the monomials, 0 to 4095. P is q x q, q = C(d + degree, degree), at most 4096.
        trace: the trace of P under `scale="paper"`: a positive number, or "order" for q.
        rescale: "minmax" maps each training column to [-1, 1], and every other row with it: monomials of higher degree
            are then of one size; None leaves the columns.

    Raises:
        InvalidOption: an option is out of its range; `prepare`: P is too large, or the monomials of the training rows
            are no floating point numbers.
    """

    name: ClassVar[str] = "gpk"

    degree: int = attrs.field(default=2, validator=within(0, MatrixFamily.max_order - 1, integer=True))
    trace: float | Literal["order"] = attrs.field(default=1, validator=positive_or("order"))
    rescale: Literal["minmax"] | None = attrs.field(default="minmax", validator=one_of("minmax", None))
    _frame: Frame | None = attrs.field(default=None, alias="_frame", repr=False)

    def seeing(self, columns: IntArray, width: int) -> "GPK":  # noqa: ARG002
        return self

    def prepare(self, X: FloatArray, weight: FloatArray) -> "GPK":
        """This family with the rescaling of its columns fixed."""
        counted = X[weight > 0]
        family = attrs.evolve(self, _frame=Frame.fit(counted, self.rescale)).check_order()
        with np.errstate(over="ignore"):
            finite = np.isfinite(np.square(family.features(counted))).all()
        if not finite:
            raise InvalidOption(
                f"GPK: the squares of monomials of degree {self.degree} overflow on these rows; "
                'use a lower degree, or rescale="minmax"'
            )
        return family

    @property
    def _fixed(self) -> Frame:
        if self._frame is None:
            raise InvalidOption("GPK: the family has not seen any data; call prepare(X, weight) first")
        return self._frame

    @property
    def order(self) -> int:
        return math.comb(self._fixed.d + self.degree, self.degree)

    @property
    def exponents(self) -> IntArray:
        """The exponents of Z, one row for each monomial, one column for each column of x, shape (q, d).

        In lexicographic order, the last column's fastest: 00, 01, 02, 10, 11, 20 for two columns and degree 2.
        """
        return exponents(self._fixed.d, self.degree)

    def features(self, X: FloatArray) -> FloatArray:
        return monomials(self._fixed.rescaled(X), self.exponents)

    def boundless(self, part: Part) -> bool:  # noqa: ARG002
        return self.degree > 0

    def paper_scale(self) -> float:
        """The trace of P in the paper's units: the option `trace`, or the order of P."""
        return float(self.order) if self.trace == "order" else float(self.trace)

    def coordinates(self, columns: tuple[str, ...]) -> tuple[str, ...]:
        """The monomials."""
        return monomial_names(self.exponents, columns)

    def reading_order(self) -> IntArray:
        return reading_order(self.exponents)

    def describe(self, part: Part) -> str:
        return f"degree {self.degree}, {super().describe(part)}"
