"""What the library asks of collections of dask, and of its workers."""

import sys
from collections.abc import Callable
from typing import Any

import attrs
import numpy.typing as npt

from kernelopt.plugin import InvalidOption, Outline, Passes, RowBlocks, RowSource
from kernelopt_dask._passes import DaskPasses


@attrs.frozen
class DaskRows(RowSource):
    """Arrays and dataframes of dask, whose chunks are read where they are."""

    name = "dask"

    def takes(self, X: Any) -> bool:
        if "dask" not in sys.modules:  # nobody can have a collection then
            return False
        from dask.base import is_dask_collection

        return bool(is_dask_collection(X))

    def blocks(self, X: Any, y: Any, weight: Any) -> RowBlocks:
        from kernelopt_dask._chunks import chunks_of, described

        return RowBlocks(described(X), chunks_of(X, y, weight), DaskPasses())

    def serves(self, client: Any) -> bool:
        if "distributed" not in sys.modules:
            return False
        from distributed import Client

        return isinstance(client, Client)

    def passes(self, client: Any) -> Passes:
        if client.asynchronous:
            raise InvalidOption(
                "client: got an asynchronous client, wanted a synchronous one: distributed.Client(address)"
            )
        return DaskPasses(client)

    def mapped(self, Z: Any, work: Callable[[Any], npt.NDArray[Any]], outline: Outline) -> Any:
        from kernelopt_dask._lazy import mapped

        return mapped(Z, work, outline)
