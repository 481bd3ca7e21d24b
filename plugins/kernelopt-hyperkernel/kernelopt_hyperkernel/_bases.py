"""The kernel of rows whose values at two pairs of rows a hyperkernel multiplies."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Literal

import attrs
import numpy as np

from kernelopt import Dictionary
from kernelopt.plugin import FloatArray, IntArray, InvalidData, InvalidOption, Part, one_of
from kernelopt_hyperkernel._widths import Sigma, as_sigma, cut, widths

_PAIRS = 128
"""Pairs that kernels of blocks are asked for at once: of each block only the diagonal is wanted."""


class Base(ABC):
    """r kernels of two rows, none of them negative."""

    unit: bool
    """Whether none of them is above 1."""

    @property
    def boundless(self) -> bool | None:
        """Whether one of them grows at a row with itself without end; None where nothing is known of it."""
        return False

    @abstractmethod
    def prepared(self, X: FloatArray, weight: FloatArray) -> "Base":
        """With what training rows X (n, d) of weights (n,) > 0 decide."""

    @abstractmethod
    def seeing(self, columns: IntArray, width: int) -> "Base | None":
        """On these (d',) of `width` columns; None where it must see all."""

    @abstractmethod
    def values(self, A: FloatArray, B: FloatArray) -> FloatArray:
        """At the pairs (A_i, B_i) of rows (m, d), shape (r, m)."""

    @abstractmethod
    def of_a_point(self) -> str | None:
        """The kernel of (x, z) times its value at a row with itself, as a formula; None where rows differ in it."""


@attrs.frozen
class GaussianBase(Base):
    """exp(-sum_j sigma_j (x_j - x'_j)^2), or exp(-sigma_j (x_j - x'_j)^2) for every column.

    Attributes:
        sigma: as `Hyperkernel(sigma=...)`: a positive number, one for each column, "quantile" or "printed".
        columns: "together": one kernel of all columns; "each": one for each column, and the hyperkernel is the product
            of its power series over the columns, as in Ong, Smola and Williamson (2005), equation (14).

    Raises:
        InvalidOption: an option is out of its range.
    """

    unit = True

    sigma: Sigma = attrs.field(default="quantile", converter=as_sigma)
    columns: Literal["together", "each"] = attrs.field(default="together", validator=one_of("together", "each"))
    _fixed: FloatArray | None = attrs.field(default=None, alias="_fixed", repr=False, eq=False)

    @property
    def widths(self) -> FloatArray:
        """sigma_j, shape (d,)."""
        if self._fixed is None:
            raise InvalidOption("GaussianBase: the widths have not seen any data; call prepared(X, weight) first")
        return self._fixed

    def prepared(self, X: FloatArray, weight: FloatArray) -> "GaussianBase":
        return attrs.evolve(self, _fixed=widths(self.sigma, X, weight))

    def seeing(self, columns: IntArray, width: int) -> "GaussianBase":
        return attrs.evolve(self, sigma=cut(self.sigma, columns, width))

    def values(self, A: FloatArray, B: FloatArray) -> FloatArray:
        return (gaussians if self.columns == "each" else gaussian)(A, B, self.widths)

    def of_a_point(self) -> str:
        return COLUMNWISE if self.columns == "each" else RADIAL

    def __str__(self) -> str:
        return f"k_j(x, z) = {COLUMNWISE}" if self.columns == "each" else f"k(x, z) = {RADIAL}"


@attrs.frozen
class ListedBase(Base):
    """Any kernel of a `Dictionary` that is nowhere negative.

    Attributes:
        kernel: one item of the list that `Dictionary` takes, such as ("poly", {"degree": 2}).

    Raises:
        InvalidOption: it is none.
    """

    unit = False

    kernel: Any
    _list: Dictionary = attrs.field(init=False, repr=False, eq=False)

    @_list.default
    def _listed(self) -> Dictionary:
        return Dictionary((self.kernel,), normalize=None)

    def prepared(self, X: FloatArray, weight: FloatArray) -> "ListedBase":  # noqa: ARG002
        return self

    def seeing(self, columns: IntArray, width: int) -> "ListedBase | None":
        fewer: Any = self._list.seeing(columns, width)
        return None if fewer is None else attrs.evolve(self, kernel=fewer.listed[0])

    def values(self, A: FloatArray, B: FloatArray) -> FloatArray:
        return listed_values(self._list, A, B)

    def of_a_point(self) -> None:
        return None

    @property
    def boundless(self) -> bool | None:
        return self._list.boundless(self._list.dictionary())

    def __str__(self) -> str:
        return f"k = {self.kernel!r}"


RADIAL = "exp(-sum_j sigma_j (x_j - z_j)^2)"
COLUMNWISE = "exp(-sigma_j (x_j - z_j)^2)"


def as_base(value: Any) -> Base:
    """A base itself, the options of a Gaussian one, or one kernel as `Dictionary` takes it."""
    if isinstance(value, Base):
        return value
    if isinstance(value, Mapping):
        return GaussianBase(**known(GaussianBase, value))
    return ListedBase(tuple(value) if isinstance(value, list) else value)


def known(cls: type, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options, each of them one of the class.

    Raises:
        InvalidOption: one is none.
    """
    names = [str(field.alias) for field in attrs.fields(cls) if field.init and not str(field.alias).startswith("_")]
    unknown = sorted(map(str, options.keys() - set(names)))
    if unknown:
        raise InvalidOption(f"{cls.__name__}: got the options {unknown}, wanted some of {names}")
    return dict(options)


def listed_values(kernels: Dictionary, A: FloatArray, B: FloatArray) -> FloatArray:
    """Each kernel of a list at the pairs (A_i, B_i) of rows (m, d), shape (r, m).

    Raises:
        InvalidData: one is negative there.
    """
    parts = [Part(atom[None], np.ones(1)) for atom in kernels.dictionary().atoms]
    values = np.empty((len(parts), len(A)))
    for some in (slice(start, start + _PAIRS) for start in range(0, len(A), _PAIRS)):
        for i, part in enumerate(parts):
            values[i, some] = np.diagonal(kernels.cross(part, A[some], B[some]))
    if (values < 0.0).any():
        raise InvalidData(
            f"Hyperkernel: one of its kernels of rows is {values.min():g} at a pair of rows, and none may be negative; "
            "take an even power of it"
        )
    return values


def gaussians(A: FloatArray, B: FloatArray, sigma: FloatArray) -> FloatArray:
    """exp(-sigma_j (A_ij - B_ij)^2), one row for each column, shape (d, m)."""
    difference = np.ascontiguousarray((A - B).T)
    return np.asarray(np.exp(-sigma[:, None] * difference**2))


def gaussian(A: FloatArray, B: FloatArray, sigma: FloatArray) -> FloatArray:
    """exp(-sum_j sigma_j (A_ij - B_ij)^2), shape (1, m)."""
    return np.asarray(np.exp(-np.sum(sigma * (A - B) ** 2, axis=1))[None])
