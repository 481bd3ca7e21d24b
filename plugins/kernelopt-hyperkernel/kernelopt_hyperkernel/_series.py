"""A hyperkernel of one's own: a power series of the product of a kernel's values at two pairs of rows."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import attrs
import numpy as np

from kernelopt.plugin import FloatArray, IntArray, InvalidOption, positive
from kernelopt_hyperkernel import _closed_forms as closed
from kernelopt_hyperkernel._bases import Base, GaussianBase, as_base, known
from kernelopt_hyperkernel._closed_forms import CLOSED, HARMONIC, Terms
from kernelopt_hyperkernel._hyperkernels import Composed, Harmonic, PairKernel, PowerSeries

_SHARE = 0.6
READY: Mapping[str, str] = MappingProxyType(
    {HARMONIC: HARMONIC, "isotropic": HARMONIC, **{name: name for name in CLOSED if name != HARMONIC}}
)
"""The series of each kind that has a name."""


def as_terms(value: Any) -> Terms:
    """The name of a series, or a tuple of finite coefficients of at least 0, from any sequence of numbers."""
    if isinstance(value, str):
        if value not in CLOSED:
            raise InvalidOption(
                f"Series: terms must be one of {', '.join(map(repr, CLOSED))}, or a list, got {value!r}"
            )
        return value
    try:
        listed = np.asarray(value, dtype=float)
        right = listed.ndim == 1 and bool(np.isfinite(listed).all() and (listed >= 0.0).all() and (listed > 0.0).any())
    except (TypeError, ValueError, OverflowError):
        right = False
    if not right or isinstance(value, bytes):
        raise InvalidOption(
            "Series: terms must be a name or a list of coefficients, each a finite number of at least 0 and one of "
            f"them above 0, got {value!r}"
        )
    return tuple(listed.tolist())


@attrs.frozen
class Series:
    """The hyperkernel

        h((x, x'), (z, z')) = sum_i c_i (lambda_h k(x, x') k(z, z'))^i,     c_i >= 0,     k >= 0,

    for a kernel k of rows (Ong, Smola and Williamson (2005), equation (11)); with several k_j it is the product of this
    over j, as in (14). `Hyperkernel(kind=Series([0, 0.5, 0.5]))` learns from it. With a Gaussian base it depends on
    x - x' and z - z' alone, as in theorem 9 of the paper.

    Attributes:
        terms: the coefficients c_0, c_1, ..., each finite and at least 0, one of them above 0; or a name: "exp",
            "sinh", "cosh", "arctanh", "log" (-ln(1 - xi)) of table 2, or "harmonic", (1 - lambda_h) / (1 - xi), whose
            coefficients with lambda_h are (1 - lambda_h) lambda_h^i.
        base: k. A `GaussianBase`, or a mapping of its options; else any one kernel that `Dictionary` takes and that is
            nowhere negative, such as ("poly", {"degree": 2}).
        lambda_h: above 0; where it is left out, 0.6 for a name and 1 for coefficients. With "harmonic", "arctanh" and
            "log", which converge below 1 only, lambda_h k k' must stay below 1: with a Gaussian base lambda_h must,
            and every other base is checked at the rows.

    Raises:
        InvalidOption: an option is out of its range.
    """

    terms: Terms = attrs.field(converter=as_terms)
    base: Base = attrs.field(factory=GaussianBase, converter=as_base)
    lambda_h: float = attrs.field()

    @lambda_h.default
    def _usual(self) -> float:
        return _SHARE if isinstance(self.terms, str) else 1.0

    @lambda_h.validator
    def _check_radius(self, field: "attrs.Attribute[float]", value: float) -> None:
        positive(self, field, value)
        limit = closed.radius(self.terms)
        if value >= limit and (self.base.unit or self.terms == HARMONIC):
            raise InvalidOption(f"Series: lambda_h must be below {limit:g} for {self.terms!r}, got {value!r}")

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> "Series":
        """From a mapping of options, as files and commands have it.

        Raises:
            InvalidOption: `terms` is missing, or there is another option.
        """
        if "terms" not in options:
            raise InvalidOption(f'Series: a mapping needs "terms", got the keys {sorted(map(str, options))}')
        return cls(**known(cls, options))

    def seeing(self, columns: IntArray, width: int) -> "Series | None":
        """On these (d',) of `width` columns, if the others are constant; None where the base must see all."""
        base = self.base.seeing(columns, width)
        return None if base is None else attrs.evolve(self, base=base)

    def coefficients(self, count: int) -> FloatArray:
        """The coefficients of (k k')^i for i < count, the powers of lambda_h included, shape (count,)."""
        return closed.coefficients(self.terms, self.lambda_h, count)

    def between_pairs(self, X: FloatArray, weight: FloatArray) -> PairKernel:
        """The hyperkernel, with widths from training rows X (n, d) of weights (n,) > 0."""
        base = self.base.prepared(X, weight)
        if isinstance(base, GaussianBase) and isinstance(self.terms, str):
            # Both are quicker than the general form.
            if self.terms == HARMONIC:
                return Harmonic(self.lambda_h, base.widths, shared=base.columns == "together")
            if base.columns == "together":
                return PowerSeries(self.terms, self.lambda_h, base.widths)
        return Composed(self.terms, self.lambda_h, base)

    def __str__(self) -> str:
        several = isinstance(self.base, GaussianBase) and self.base.columns == "each"
        one = closed.formula(self.terms, self.lambda_h, "k_j k'_j" if several else "k k'")
        return f"{f'prod_j ({one})' if several else one} with {self.base}"
