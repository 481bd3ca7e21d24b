"""What a kernel of a list sees of a row: all columns, some of them, or a linear image."""

from typing import Protocol

import attrs
import numpy as np

from kernelopt._base._errors import InvalidData
from kernelopt._base._typing import FloatArray
from kernelopt._device._arrays import Array, Arrays
from kernelopt._families._description import largest_shares


class Place(Protocol):
    """A view of rows. Kernels of one place are computed together."""

    def of(self, X: FloatArray) -> FloatArray:
        """Rows X (n, d) as they are seen from here, shape (n, d')."""

    def there(self, arrays: Arrays, X: Array) -> Array:
        """The same of rows that are on a device."""

    def width(self, d: int) -> int:
        """The number of columns seen from here, of rows of d."""

    def pulled(self, gradients: FloatArray, seen: FloatArray, d: int) -> FloatArray:
        """Gradients (n, d') in what is seen from here as gradients in the d columns of the rows, shape (n, d).

        Args:
            gradients: at some rows.
            seen: what is seen of these, but for the indicators of many categories, shape (n, d'').
            d: how many columns the rows have.
        """

    def words(self, names: tuple[str, ...]) -> str:
        """What is seen from here, in a few words, or none where it is everything."""


@attrs.frozen
class Everywhere:
    """All columns."""

    def of(self, X: FloatArray) -> FloatArray:
        return X

    def there(self, arrays: Arrays, X: Array) -> Array:  # noqa: ARG002
        return X

    def width(self, d: int) -> int:
        return d

    def pulled(self, gradients: FloatArray, seen: FloatArray, d: int) -> FloatArray:  # noqa: ARG002
        return gradients

    def words(self, names: tuple[str, ...]) -> str:  # noqa: ARG002
        return ""


@attrs.frozen
class Column:
    """One column."""

    number: int

    def of(self, X: FloatArray) -> FloatArray:
        return X[:, self.number : self.number + 1]

    def there(self, arrays: Arrays, X: Array) -> Array:  # noqa: ARG002
        return X[:, self.number : self.number + 1]

    def width(self, d: int) -> int:  # noqa: ARG002
        return 1

    def pulled(self, gradients: FloatArray, seen: FloatArray, d: int) -> FloatArray:  # noqa: ARG002
        spread = np.zeros((len(gradients), d))
        spread[:, self.number] = gradients[:, 0]
        return spread

    def words(self, names: tuple[str, ...]) -> str:
        return names[self.number] if names else f"x{self.number}"


@attrs.frozen
class Some:
    """Some columns.

    Attributes:
        numbers: theirs.
        called: in words.
    """

    numbers: tuple[int, ...]
    called: str = ""

    def of(self, X: FloatArray) -> FloatArray:
        first, last = self.numbers[0], self.numbers[-1]
        together = self.numbers == tuple(range(first, last + 1))  # then nothing is copied
        return X[:, first : last + 1] if together else X[:, list(self.numbers)]

    def there(self, arrays: Arrays, X: Array) -> Array:
        return arrays.xp.take(X, arrays.places(self.numbers), axis=1)

    def width(self, d: int) -> int:  # noqa: ARG002
        return len(self.numbers)

    def pulled(self, gradients: FloatArray, seen: FloatArray, d: int) -> FloatArray:  # noqa: ARG002
        spread = np.zeros((len(gradients), d))
        spread[:, list(self.numbers)] = gradients
        return spread

    def words(self, names: tuple[str, ...]) -> str:  # noqa: ARG002
        return self.called


def _deviations(value: FloatArray) -> FloatArray:
    found = np.array(value, dtype=np.float64)
    if found.ndim != 1 or not (np.isfinite(found) & (found >= 0.0)).all() or not found.any():
        raise InvalidData(
            f"OwnUnits: got deviations of shape {found.shape}, wanted finite numbers of at least 0, shape (d,), some "
            "of them above 0"
        )
    found.setflags(write=False)
    return found


@attrs.frozen(eq=False)
class OwnUnits:
    """The first columns, each by how much it varied before all were brought to the deviation 1.

    Columns that share a unit, such as grey levels, counts of words or the channels of a spectrum, then count by what
    they are, and one that hardly varies is no louder than the others.

    Attributes:
        deviation: of each column, >= 0, the mean of all squares being 1, shape (d,).

    Raises:
        InvalidData: these are no such numbers, as in a file that somebody has changed.
    """

    deviation: FloatArray = attrs.field(converter=_deviations)

    @classmethod
    def of_columns(cls, deviation: FloatArray) -> "OwnUnits":
        """Of columns of these deviations (d,), at least one of which is above 0."""
        root = deviation / deviation.max()  # so that no square leaves the floating point numbers
        return cls(root / np.sqrt(np.mean(root * root)))

    @property
    def shown(self) -> float:
        """How many columns are seen beside each other: d where all vary alike, 1 where one drowns the others."""
        squares = self.deviation**2
        return float(squares.sum() ** 2 / (squares @ squares))

    def of(self, X: FloatArray) -> FloatArray:
        return np.asarray(X[:, : len(self.deviation)] * self.deviation)

    def there(self, arrays: Arrays, X: Array) -> Array:
        return X[:, : len(self.deviation)] * arrays.put(self.deviation)

    def width(self, d: int) -> int:  # noqa: ARG002
        return len(self.deviation)

    def pulled(self, gradients: FloatArray, seen: FloatArray, d: int) -> FloatArray:  # noqa: ARG002
        spread = np.zeros((len(gradients), d))
        spread[:, : len(self.deviation)] = gradients * self.deviation
        return spread

    def words(self, names: tuple[str, ...]) -> str:  # noqa: ARG002
        return "columns in their own units"


def _finite(value: FloatArray) -> FloatArray:
    root = np.array(value, dtype=np.float64)
    if root.ndim not in (1, 2) or not root.size or not np.isfinite(root).all():
        raise InvalidData(
            f"Metric: got a root of shape {root.shape}, wanted finite numbers: one for each column, shape (d,), or "
            "directions, shape (d, r)"
        )
    root.setflags(write=False)
    return root


@attrs.frozen(eq=False)
class Metric:
    """Distances |R'(x - z)|: rows are seen as R'x.

    Attributes:
        root: R, shape (d, r), or the numbers of a diagonal R, shape (d,).
    """

    root: FloatArray = attrs.field(converter=_finite)

    def of(self, X: FloatArray) -> FloatArray:
        """R'x of rows X (n, d), shape (n, r).

        Raises:
            InvalidData: the rows have another number of columns.
        """
        if X.shape[1] != len(self.root):
            raise InvalidData(
                f"Metric: the metric has numbers for {len(self.root)} columns, wanted numbers for {X.shape[1]} columns"
            )
        return np.asarray(X * self.root if self.root.ndim == 1 else X @ self.root)

    def there(self, arrays: Arrays, X: Array) -> Array:
        root = arrays.put(self.root)
        return X * root if self.root.ndim == 1 else X @ root

    def width(self, d: int) -> int:  # noqa: ARG002
        return int(self.root.shape[-1])

    def pulled(self, gradients: FloatArray, seen: FloatArray, d: int) -> FloatArray:  # noqa: ARG002
        return np.asarray(gradients * self.root if self.root.ndim == 1 else gradients @ self.root.T)

    @property
    def shares(self) -> FloatArray:
        """M_jj / tr M of each column, M = R R', shape (d,); 0 where M is."""
        squares = self.root**2 if self.root.ndim == 1 else np.einsum("ij,ij->i", self.root, self.root)
        total = float(squares.sum())
        return np.asarray(squares / (total if total > 0.0 else 1.0))

    def words(self, names: tuple[str, ...]) -> str:
        """The columns that matter the most, with their shares, such as "x3 62 %, x1 21 %"."""
        sums: dict[str, float] = {}  # the indicators of a column share one name
        for share, name in zip(self.shares, names or map("x{}".format, range(len(self.root))), strict=True):
            sums[name] = sums.get(name, 0.0) + float(share)
        return largest_shares(np.array(list(sums.values())), tuple(sums))
