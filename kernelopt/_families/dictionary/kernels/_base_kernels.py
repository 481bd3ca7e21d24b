"""The kernels that a dictionary lists: names of scikit-learn, callables, and kernels of some columns."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NoReturn, TypeGuard

import attrs
import numpy as np

from kernelopt._base._errors import InvalidData, InvalidOption
from kernelopt._base._options import is_number
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families._expansion import Expansion
from kernelopt._families.dictionary.kernels._closed_form import Form, check_values, evaluated, form_of
from kernelopt._families.dictionary.kernels._cosines import cosines
from kernelopt._families.dictionary.kernels._forest_kernel import ForestKernel
from kernelopt._families.dictionary.kernels._precomputed import Precomputed
from kernelopt._families.dictionary.kernels._rows_of_gram import RowsOfGram
from kernelopt._families.dictionary.seen._coded_columns import View, seen_from, squared_norms, written_out
from kernelopt._families.dictionary.seen._leaves import Leaves
from kernelopt._families.dictionary.seen._places import Column, Everywhere, Metric, OwnUnits, Place, Some
from kernelopt._families.dictionary.seen._seasons import Seasons

Callback = Callable[[FloatArray, FloatArray], Any]
Named = tuple[str, Mapping[str, Any]]

_LOOKED_AT = 64
"""Rows on which a user's function is looked at before any work."""
_TOGETHER = 64
"""Rows whose k(x, x) are read from one block of values: a call for each row would cost more than it saves."""
_ASYMMETRY = 1e-8
"""What rounding may do to a function that is symmetric, as a share of its largest value."""


@attrs.frozen
class ColumnKernel:
    """A kernel of the list that sees one of the dictionary's columns."""

    kernel: Named
    column: int
    name: str | None = None

    def __call__(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        """The kernel of the column, shape (n, n')."""
        self.check(X)
        return np.asarray(function_of(self.kernel)(self.place.of(X), self.place.of(Z)))

    @property
    def place(self) -> Column:
        """What it sees."""
        return Column(self.column)

    def check(self, X: View) -> None:
        """Refuse rows that lack the column."""
        if self.column >= X.shape[1]:
            _refuse(self, f"there are {X.shape[1]} columns")

    def among(self, columns: IntArray, width: int) -> "ColumnKernel":
        """The same kernel where of `width` columns these are left, (d',)."""
        place = np.flatnonzero(columns == self.column)
        if not place.size:
            others = f"there are {width} columns" if self.column >= width else "that column is constant on these rows"
            _refuse(self, others)
        return attrs.evolve(self, column=int(place[0]))

    def spread(self, layout: Expansion) -> "ColumnKernel":
        """The same kernel where categories and gaps became indicators."""
        place = np.flatnonzero(layout.numbers == self.column)
        if not place.size:
            _refuse(self, "that column holds categories, or nothing but one number and gaps")
        return attrs.evolve(self, column=int(place[0]))


@attrs.frozen(eq=False)
class PlacedKernel:
    """A kernel of the list that sees some of the dictionary's columns, a linear image of them, leaves of trees, or
    the seasons of dates.

    Attributes:
        kernel: of what is seen.
        place: what is seen.
        name: of that, in words.
    """

    kernel: Named
    place: Some | OwnUnits | Metric | Leaves | Seasons
    name: str = ""

    def __call__(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        """The kernel of what is seen of the rows, shape (n, n')."""
        return np.asarray(function_of(self.kernel)(self.place.of(X), self.place.of(Z)))


Partial = ColumnKernel | PlacedKernel
Kernel = str | Named | ColumnKernel | PlacedKernel | ForestKernel | RowsOfGram | Callback


def _refuse(kernel: ColumnKernel, why: str) -> NoReturn:
    raise InvalidData(
        f"Dictionary: {label(kernel)} was listed, and {why}; Dictionary() without a list makes one for the rows it sees"
    )


def opaque(kernel: Kernel) -> bool:
    """Whether it is a function that may look at any column, so that none may be taken away or change its place."""
    return callable(kernel) and not isinstance(kernel, Partial)


def at_hand(kernel: Kernel) -> TypeGuard[Precomputed | RowsOfGram]:
    """Whether a matrix holds its values."""
    return isinstance(kernel, Precomputed | RowsOfGram)


_OF_PRODUCTS = ("linear", "poly", "polynomial", "rbf", "exponential", "sigmoid", "cosine")
"""Kernels of x'z, |x|^2 and |z|^2 alone."""


def in_any_basis(kernel: Kernel, width: int) -> Kernel | None:
    """The same kernel of rows of `width` columns where these are held as coordinates, as many as there are; None where
    it looks at single columns.
    """
    name, options = kernel if isinstance(kernel, tuple) else (kernel, {})
    if not isinstance(name, str) or name not in _OF_PRODUCTS:
        return None
    if name in ("linear", "cosine") or options.get("gamma") is not None:
        return kernel
    return name, {**options, "gamma": 1.0 / width}


def called(kernel: Kernel, columns: tuple[str, ...]) -> Kernel:
    """The kernel, which calls by their names the columns that it sees."""
    if isinstance(kernel, ForestKernel):
        return kernel.named(columns)
    return attrs.evolve(kernel, name=kernel.place.words(columns)) if isinstance(kernel, Partial) else kernel


def label(kernel: Kernel) -> str:
    """The kernel in a few words."""
    if isinstance(kernel, ColumnKernel):
        return f"{label(kernel.kernel)} of {kernel.name or f'x{kernel.column}'}"
    if isinstance(kernel, PlacedKernel):
        name = kernel.name or kernel.place.words(())
        return f"{label(kernel.kernel)} of {name}" if name else label(kernel.kernel)
    if isinstance(kernel, Precomputed | RowsOfGram | ForestKernel):
        return kernel.name
    if isinstance(kernel, tuple):
        return f"{kernel[0]}({', '.join(f'{key}={_short(value)}' for key, value in kernel[1].items())})"
    return kernel if isinstance(kernel, str) else getattr(kernel, "__name__", type(kernel).__name__)


def _short(value: Any) -> str:
    return f"{value:.3g}" if is_number(value) else repr(value)


def function_of(kernel: Kernel) -> Callback:
    """The function that a kernel of the list stands for."""
    if callable(kernel):
        return kernel
    name, options = kernel if isinstance(kernel, tuple) and len(kernel) == 2 else (kernel, {})
    if not isinstance(name, str) or not isinstance(options, Mapping):
        raise InvalidOption(f"Dictionary: got the kernel {kernel!r}, wanted a name, (name, options) or a callable")
    form = form_of(name, options)
    if form is not None:
        check_values(name, options)
        return partial(evaluated, form)
    if name == "cosine" and not options:  # without scikit-learn, which takes long to import
        return cosines
    from kernelopt._families.dictionary.kernels._named_kernels import (
        named_kernel,  # scikit-learn is imported where it is needed
    )

    return named_kernel(name, options)


def placed(kernel: Kernel) -> tuple[Place, Form | None]:
    """What a kernel of the list sees, and its closed form, None where there is none here."""
    if isinstance(kernel, Partial):
        return kernel.place, placed(kernel.kernel)[1]
    if isinstance(kernel, str):
        return Everywhere(), form_of(kernel, {})
    return Everywhere(), form_of(*kernel) if isinstance(kernel, tuple) else None


@np.errstate(over="ignore", invalid="ignore")
def finite(array: FloatArray) -> bool:
    """Whether no number is NaN or infinite: mostly their sum says so, without another array."""
    return bool(np.isfinite(array.sum()) or np.isfinite(array).all())


def checked(block: Any, shape: tuple[int, int], kernel: Kernel) -> FloatArray:
    """What a kernel returned, as an array of this shape with finite entries."""
    array = np.asarray(block)
    if array.dtype.kind not in "biuf":
        raise InvalidData(
            f"Dictionary: the kernel {label(kernel)} returned values of dtype {array.dtype}, wanted real numbers in an "
            f"array of shape {shape}"
        )
    if array.shape != shape:
        raise InvalidData(
            f"Dictionary: the kernel {label(kernel)} returned shape {array.shape}, wanted {shape}: its value for each "
            "row of the first argument with each of the second"
        )
    array = np.asarray(array, dtype=np.float64)
    if not finite(array):
        raise InvalidData(f"Dictionary: the kernel {label(kernel)} returned NaN or infinity; scale the columns of X")
    return array


def check_function(kernel: Kernel, X: FloatArray) -> None:
    """Refuse a function of the user's own that is no kernel on some of the rows X (n, d), where that can be seen."""
    if not opaque(kernel) or at_hand(kernel):
        return
    rows = X[np.linspace(0, len(X) - 1, min(len(X), _LOOKED_AT), dtype=np.intp)]
    K = checked(function_of(kernel)(rows, rows), (len(rows), len(rows)), kernel)
    largest = float(np.abs(K).max())
    off = float(np.abs(K - K.T).max())
    if off > _ASYMMETRY * largest:
        raise InvalidData(
            f"Dictionary: the kernel {label(kernel)} is not symmetric: k(x, z) and k(z, x) differ by {off:.3g} on the "
            f"training rows, where its largest value is {largest:.3g}; return the same for both"
        )
    if K.diagonal().min() < -_ASYMMETRY * largest:
        raise InvalidData(
            f"Dictionary: the kernel {label(kernel)} is {K.diagonal().min():.3g} for a row with itself, wanted "
            "at least 0, as every positive semidefinite kernel has; return an inner product of features, such "
            "as A @ B.T"
        )


def diagonal(kernel: Kernel, rows: View) -> FloatArray:
    """k(x, x) of each row, shape (n,): of a function that is not known, in small blocks."""
    if always_one(kernel):
        return np.ones(len(rows))
    if isinstance(kernel, ColumnKernel):
        kernel.check(rows)
    if at_hand(kernel):
        return kernel.diagonal(written_out(rows))
    if isinstance(kernel, Partial):
        return diagonal(kernel.kernel, seen_from(kernel.place, rows))
    known = None if callable(kernel) else _diagonal_of(kernel, rows)
    if known is not None:
        return known
    X = written_out(rows)
    function = function_of(kernel)
    parts = np.array_split(X, len(X) // _TOGETHER + 1)
    return np.concatenate([np.diagonal(checked(function(x, x), (len(x), len(x)), kernel)) for x in parts])


def level_and_slopes(squares: float, n: float) -> Named:
    """The linear kernel of n standard rows whose mean square is this, with a level that varies as their mean would if
    each row were drawn by itself.
    """
    return "poly", {"degree": 1, "gamma": 1.0 / squares, "coef0": 1.0 / n}


def always_one(kernel: Kernel) -> bool:
    """Whether k(x, x) is 1 of every row, whatever is seen of it. Of a column it is not known: rows may lack it."""
    inside = kernel.kernel if isinstance(kernel, PlacedKernel) else kernel
    return not callable(inside) and _named(inside)[0] in ("rbf", "laplacian", "exponential")


def boundless(kernel: Kernel) -> bool | None:
    """Whether k(x, x) grows with the numbers of a row without end; None of a function, for nothing is known of it."""
    inside = kernel.kernel if isinstance(kernel, PlacedKernel | ColumnKernel) else kernel
    if isinstance(inside, ForestKernel):
        return False
    return None if callable(inside) else _named(inside)[0] in ("linear", "poly", "polynomial")


def _named(kernel: str | Named) -> Named:
    return (kernel, {}) if isinstance(kernel, str) else kernel


@np.errstate(over="ignore", invalid="ignore")  # judged by the values
def _diagonal_of(kernel: str | Named, X: View) -> FloatArray | None:
    """The same in closed form, with scikit-learn's defaults; None where there is none here."""
    name, options = _named(kernel)
    squares = squared_norms(X)
    if name == "linear":
        return squares
    if name == "cosine":
        return np.where(squares > 0.0, 1.0, 0.0)
    if name in ("poly", "polynomial"):
        gamma = options.get("gamma")
        return np.asarray(
            ((1.0 / X.shape[1] if gamma is None else gamma) * squares + options.get("coef0", 1.0))
            ** options.get("degree", 3)
        )
    return None
