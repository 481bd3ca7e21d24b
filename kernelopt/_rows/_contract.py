"""Rows that nobody holds: pieces that can be read again and again, here or elsewhere, and sums over them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Protocol, Self, TypeVar

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import InvalidData
from kernelopt._base._typing import FloatArray
from kernelopt._base.tables._tables import Table, stacked


@attrs.frozen(eq=False)
class Given:
    """Some rows as the user gave them.

    Attributes:
        table: the columns of the k rows.
        targets: the targets, shape (k,), or (k, c) for several numbers for each row.
        weight: the weight of each row, >= 0, shape (k,).
    """

    table: Table
    targets: npt.NDArray[Any]
    weight: FloatArray

    def __len__(self) -> int:
        return len(self.table)

    @property
    def parts(self) -> tuple[Table, npt.NDArray[Any], FloatArray]:
        """The columns, the targets and the weights."""
        return self.table, self.targets, self.weight

    def __getitem__(self, rows: npt.NDArray[np.intp]) -> "Given":
        """Some of them, by their numbers (k',)."""
        return Given(self.table[rows], self.targets[rows], self.weight[rows])

    @classmethod
    def joined(cls, parts: Sequence["Given"]) -> "Given":
        """The rows of all parts, in their order."""
        return cls(
            stacked([part.table for part in parts]),
            np.concatenate([part.targets for part in parts]),
            np.concatenate([part.weight for part in parts]),
        )


class Piece(ABC):
    """Some of the rows. A piece can be pickled, so that it can be read on the machine that has the rows."""

    @abstractmethod
    def read(self) -> Given:
        """The rows: the same whenever they are read.

        Raises:
            InvalidData: they cannot be read, or are none.
        """

    def place(self, row: int) -> str:  # noqa: ARG002
        """Where one of the rows stands, for messages, such as "line 9"; nothing if that is not known."""
        return ""


class Total(Protocol):
    """A result that is added up over pieces."""

    def plus(self, other: Self) -> Self:
        """The sum of both. Grouping the terms of a sum otherwise changes it by rounding alone."""


T = TypeVar("T", bound=Total)
Work = Callable[[Piece], T]
"""What is found in a piece. It can be pickled."""


def unheard(share: float) -> None:
    """Nobody is told of a pass."""


class Passes(ABC):
    """The place where work on pieces is done: in this process, or on the workers of a cluster."""

    @abstractmethod
    def total(
        self,
        pieces: Sequence[Piece],
        work: Work[T],
        heard: Callable[[float], None] = unheard,
        stop: Callable[[], bool] = bool,
    ) -> tuple[T, int]:
        """The sum over all pieces in their order, and over how many of them.

        Args:
            pieces: at least one.
            work: what is found in each.
            heard: gets the share of the pass that is over.
            stop: whether to end with the sum over some of them, at least one.
        """


@attrs.frozen
class Here(Passes):
    """In this process, one piece after the other: one of them is in memory at a time."""

    def total(
        self,
        pieces: Sequence[Piece],
        work: Work[T],
        heard: Callable[[float], None] = unheard,
        stop: Callable[[], bool] = bool,
    ) -> tuple[T, int]:
        found = work(pieces[0])
        for done, piece in enumerate(pieces[1:], 1):
            heard(done / len(pieces))
            if stop():
                return found, done
            found = found.plus(work(piece))
        heard(1.0)
        return found, len(pieces)


@attrs.frozen(eq=False)
class RowBlocks:
    """Rows with their targets, in pieces that are read when they are needed; `kernelopt.row_blocks` makes this object.

    Attributes:
        source: the name of the rows in messages, such as that of a file.
        pieces: all rows, at least one piece.
        passes: the object that carries out a pass over the pieces, for example in this process.
        changed: a function that returns a sentence if the rows have changed since they were opened, and None otherwise.
        rows: the number of rows, if it is known without reading the rows; otherwise None.
        notes: sentences on how the rows were read.
        kept: an object that must exist as long as the rows are read, such as a temporary file.
    """

    source: str
    pieces: tuple[Piece, ...] = attrs.field(repr=False)
    passes: Passes = attrs.field(factory=Here)
    changed: Callable[[], str | None] = attrs.field(default=lambda: None, repr=False)
    rows: int | None = attrs.field(default=None, repr=False)
    notes: tuple[str, ...] = attrs.field(default=(), repr=False)
    kept: object = attrs.field(default=None, repr=False)

    def total(
        self,
        work: Work[T],
        heard: Callable[[float], None] = unheard,
        stop: Callable[[], bool] = bool,
    ) -> tuple[T, int]:
        """The sum over all pieces in one pass, and the number of pieces that it has.

        If the pass is stopped early, the pieces that it has read are spread evenly over all pieces.

        Raises:
            InvalidData: the rows have changed since they were opened.
        """
        self._refuse_changed()
        found = self.passes.total(self._ordered(len(self.pieces)), work, heard, stop)
        self._refuse_changed()
        return found

    def first(self, pieces: int) -> "RowBlocks":
        """The rows that a pass has read when it is stopped after this number of pieces."""
        return self if pieces == len(self.pieces) else attrs.evolve(self, pieces=self._ordered(pieces))

    def _ordered(self, most: int) -> tuple[Piece, ...]:
        return tuple(self.pieces[i] for i in _spread(len(self.pieces))[:most])

    def whole(self) -> Given:
        """All rows, read into memory, in their order.

        Raises:
            InvalidData: the rows have changed since they were opened.
        """
        self._refuse_changed()
        found, _ = self.passes.total(self.pieces, _reading)
        self._refuse_changed()
        return Given.joined(found.parts)

    def _refuse_changed(self) -> None:
        reason = self.changed()
        if reason is not None:
            raise InvalidData(
                f"{reason}; the sums so far cannot be used: open the rows again when no program writes to the files"
            )


@attrs.frozen(eq=False)
class _Read:
    """All that was read so far, in its order."""

    parts: tuple[Given, ...]

    def plus(self, other: "_Read") -> "_Read":
        return _Read(self.parts + other.parts)


def _reading(piece: Piece) -> _Read:
    return _Read((piece.read(),))


def _spread(m: int) -> list[int]:
    """The numbers below m in an order of which every beginning comes from everywhere: by their digits, reversed."""
    bits = max(m - 1, 0).bit_length()
    reversed_ = (int(f"{i:0{bits}b}"[::-1], 2) if bits else 0 for i in range(1 << bits))
    return [i for i in reversed_ if i < m]
