"""Rows as numbers, block by block: codes, encoded targets and weights, and what is summed up over them."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Protocol, Self, TypeVar

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._target_frame import TargetFrame
from kernelopt._base._typing import FloatArray
from kernelopt._base.tables._encoding import Encoding
from kernelopt._rows._contract import Given, Piece, RowBlocks, Total, unheard
from kernelopt._rows._tallies import in_columns


@attrs.frozen(eq=False)
class Block:
    """Some rows.

    Attributes:
        X: codes, shape (k, d).
        y: encoded targets less their level, shape (k, c).
        weight: how much each row counts, > 0, shape (k,).
        features: of the rows, where they are held, shape (k, r); not to be written into.
    """

    X: FloatArray
    y: FloatArray
    weight: FloatArray
    features: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.X)

    def __getitem__(self, rows: slice) -> "Block":
        """Some of them."""
        held = None if self.features is None else self.features[rows]
        return Block(self.X[rows], self.y[rows], self.weight[rows], held)


T = TypeVar("T", bound=Total)
T_co = TypeVar("T_co", bound=Total, covariant=True)


class BlockWork(Protocol[T_co]):
    """What is found in a block. It can be pickled, so that it may be done where the rows are."""

    @property
    def at_once(self) -> int:
        """So many rows a block has at most."""

    def __call__(self, block: Block) -> T_co: ...


class CodedRows(ABC):
    """Rows of a problem, which are gone through in passes."""

    @property
    @abstractmethod
    def n(self) -> int:
        """How many they are."""

    @abstractmethod
    def total(
        self,
        work: BlockWork[T],
        heard: Callable[[float], None] = unheard,
        stop: Callable[[], bool] = bool,
    ) -> tuple[T, Self]:
        """One pass: the sum of what is found in all blocks, and the rows that were seen.

        These are all, but where it was to stop: then at least one block of rows from everywhere.
        """


@attrs.frozen(eq=False)
class Coding:
    """How rows that were given become numbers.

    Attributes:
        encoding: of the columns.
        classes: the labels, ascending; None where targets are numbers.
        level: what is taken out of each encoded target, shape (c,).
        frame: how given targets become those that are learned; None where these are the same.
        deviation: the standard deviation of each given target that is a number, shape (c,); None of classes.
        factors: the weight of each class, shape (classes,); None where they have none.
        times: what each weight is multiplied by.
    """

    encoding: Encoding
    classes: npt.NDArray[Any] | None
    level: FloatArray
    factors: FloatArray | None = None
    times: float = 1.0
    frame: TargetFrame | None = None
    deviation: FloatArray | None = None

    def block(self, given: Given) -> Block:
        """Rows that have a weight, as numbers."""
        counted = np.flatnonzero(given.weight > 0.0)
        given = given if len(counted) == len(given) else given[counted]
        weight = given.weight * self.times
        if self.classes is None:
            encoded = in_columns(given.targets).astype(np.float64)
            encoded = encoded if self.frame is None else self.frame.framed(encoded)
        else:
            code = np.searchsorted(self.classes, given.targets)
            weight = weight if self.factors is None else weight * self.factors[code]
            encoded = one_against_rest(code, len(self.classes))
        return Block(self.encoding.encode(given.table), encoded - self.level, weight)


def one_against_rest(code: npt.NDArray[np.intp], classes: int) -> FloatArray:
    """Targets -1 and +1 of rows of these classes (n,): one column for two classes, else one for each, (n, c)."""
    if classes == 2:
        return np.where(code == 1, 1.0, -1.0)[:, None]
    return np.where(code[:, None] == np.arange(classes), 1.0, -1.0)


@attrs.frozen(eq=False)
class _Counted:
    """A sum over blocks, and over how many rows."""

    found: Any
    rows: int

    def plus(self, other: "_Counted") -> "_Counted":
        if other.found is None:
            return self
        return other if self.found is None else _Counted(self.found.plus(other.found), self.rows + other.rows)


@attrs.frozen(eq=False)
class _OnPiece:
    """Work on blocks, done on a piece.

    Attributes:
        coding: of the rows.
        work: on blocks.
    """

    coding: Coding
    work: BlockWork[Any]

    def __call__(self, piece: Piece) -> _Counted:
        block, found = self.coding.block(piece.read()), _Counted(None, 0)
        for i in range(0, len(block), self.work.at_once):
            rows = block[i : i + self.work.at_once]
            found = found.plus(_Counted(self.work(rows), len(rows)))
        return found


@attrs.frozen(eq=False)
class ReadRows(CodedRows):
    """Rows that are read anew in each pass.

    Attributes:
        blocks: where they are.
        coding: how they become numbers.
        count: how many of them have a weight.
    """

    blocks: RowBlocks
    coding: Coding
    count: int

    @property
    def n(self) -> int:
        return self.count

    def total(
        self,
        work: BlockWork[T],
        heard: Callable[[float], None] = unheard,
        stop: Callable[[], bool] = bool,
    ) -> tuple[T, "ReadRows"]:
        found, pieces = self.blocks.total(_OnPiece(self.coding, work), heard, stop)
        return found.found, attrs.evolve(self, blocks=self.blocks.first(pieces), count=found.rows)
