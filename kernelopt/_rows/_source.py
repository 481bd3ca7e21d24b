"""Rows that the library does not know by itself: what a plugin owes that brings them."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._rows._contract import Passes, RowBlocks


@attrs.frozen
class Outline:
    """The type and shape of a result that is not computed yet.

    Attributes:
        dtype: the type of the values.
        columns: the number of values for each row; None for one value, in an array of one dimension.
    """

    dtype: np.dtype[Any]
    columns: int | None


class RowSource(ABC):
    """Rows that are neither arrays nor files, such as those of a cluster, and the place of the work on them.

    The class is frozen and has no options. Heavy libraries are imported only when rows of this kind are met.

    Attributes:
        name: the name of this kind of rows in messages.
    """

    name: ClassVar[str]

    @abstractmethod
    def takes(self, X: Any) -> bool:
        """Whether X is rows of this kind. It is called with any object that a user passes, and imports no library."""

    @abstractmethod
    def blocks(self, X: Any, y: Any, weight: Any) -> RowBlocks:
        """Rows of this kind as blocks, with a target for each row, and a weight, or None if all rows count once.

        Raises:
            InvalidData: X has no rows and columns, or the numbers of targets or weights differ from that of the rows.
        """

    @abstractmethod
    def serves(self, client: Any) -> bool:
        """Whether this client leads to workers of this kind. It imports no library."""

    @abstractmethod
    def passes(self, client: Any) -> Passes:
        """The object that works on pieces by the workers of this client."""

    @abstractmethod
    def mapped(self, Z: Any, work: Callable[[Any], npt.NDArray[Any]], outline: Outline) -> Any:
        """The results of the work for each block of rows of this kind, which are computed when the user asks for them.

        Args:
            Z: rows that `takes` accepts.
            work: a function of a block (k, d), an array or a table, that returns an array (k,) or (k, columns). It can
                be pickled.
            outline: the type and shape of the result.
        """
