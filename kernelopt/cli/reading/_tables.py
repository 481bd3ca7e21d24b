"""What a data file becomes, whatever its format: columns by name, as numbers to learn from or as a target."""

from abc import ABC, abstractmethod
from collections.abc import Container, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base.tables._tables import Table as Rows
from kernelopt._base.tables._tables import of_columns
from kernelopt._rows._columns import others, place_of, require_columns


@attrs.frozen(eq=False)
class Table(ABC):
    """Named columns of one length.

    Attributes:
        source: where they were read, for messages.
        names: of the columns.
        own_target: the column that this format calls the target, or None.
        indices: the columns that count rows, and are learned from only where they are asked for.
    """

    source: str
    names: tuple[str, ...]
    own_target: str | None = attrs.field(default=None, kw_only=True)
    indices: tuple[str, ...] = attrs.field(default=(), kw_only=True)

    @abstractmethod
    def column(self, name: str, text: bool = False) -> npt.NDArray[Any]:
        """A column, shape (rows,): numbers, NaN where one is missing, or words, None where one is missing.

        Args:
            name: of the column.
            text: whether to leave words that could be read as numbers.

        Raises:
            InvalidData: it is not there.
        """

    def rows(self, names: Sequence[str], texts: Container[str] = ()) -> Rows:
        """These columns as rows to learn from or to predict; some are words, whatever they look like.

        Raises:
            InvalidData: columns are not there, or hold neither numbers nor words, or infinite numbers.
        """
        self.require(names)
        return of_columns({name: self.column(name, name in texts) for name in names}, self.source)

    def written_as(self, marks: Mapping[str, str]) -> "Table":  # noqa: ARG002
        """The same, with numbers in these columns read with the marks of the training rows where all are written so."""
        return self  # most formats hold numbers and no text

    def marks_of(self, name: str) -> str:  # noqa: ARG002
        """The marks in the numbers of a column that is text, as in `kernelopt._base.tables._tables.Table`."""
        return ""

    @abstractmethod
    def target(self, name: str) -> npt.NDArray[Any]:
        """The column of the target, shape (rows,): integers or numbers where all cells are, else words.

        Raises:
            InvalidData: there is no such column, or a cell is missing.
        """

    def place(self, row: int) -> str:
        """Where a row stands in the file, for messages."""
        return f"row {row + 1}"

    def index(self, name: str) -> int:
        """The number of the column of this name.

        Raises:
            InvalidData: there is none; the nearest name is suggested.
        """
        return place_of(self.source, self.names, name)

    def require(self, names: Sequence[str]) -> None:
        """Refuse names of columns that are not there.

        Raises:
            InvalidData: some are not.
        """
        require_columns(self.source, self.names, names)

    def others(self, names: Sequence[str]) -> tuple[str, ...]:
        """The columns besides these, all of which must be there, and besides an index; at least one."""
        return others(self.source, self.names, [*names, *self.indices])

    @abstractmethod
    def notes(self, names: Sequence[str]) -> tuple[str, ...]:
        """What the user should know of how these columns were read, and what was left out."""


def narrowed(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Numbers as integers where all of them are whole, so that labels come back as they are written."""
    whole = values.dtype.kind == "f" and bool(np.all(np.abs(values) < 2**53) and np.all(values == np.round(values)))
    return values.astype(np.int64) if whole else values
