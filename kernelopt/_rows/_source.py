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
        """Whether these are rows of this kind. It is asked of whatever a user passes, and imports nothing."""

    @abstractmethod
    def blocks(self, X: Any, y: Any, weight: Any) -> RowBlocks:
        """Rows of this kind, with a target for each and a weight, or None where all count once, as blocks.

        Raises:
            InvalidData: they are no rows and columns, or the targets or weights are not as many.
        """

    @abstractmethod
    def serves(self, client: Any) -> bool:
        """Whether this is what leads to workers of this kind. It imports nothing."""

    @abstractmethod
    def passes(self, client: Any) -> Passes:
        """The workers behind such a client."""

    @abstractmethod
    def mapped(self, Z: Any, work: Callable[[Any], npt.NDArray[Any]], outline: Outline) -> Any:
        """What the work makes of each block of rows of this kind, not computed before it is asked for.

        Args:
            Z: rows, as `takes` knows them.
            work: of a block (k, d), an array or a table, the result (k,) or (k, columns). It can be pickled.
            outline: of the result.
        """
