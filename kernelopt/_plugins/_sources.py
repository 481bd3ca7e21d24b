"""Which plugin brings the rows, or the workers, that a user passes."""

from contextlib import suppress
from typing import Any

import numpy as np

from kernelopt._base._errors import InvalidData, InvalidOption, MissingLibrary, UnknownName
from kernelopt._base.tables._input import is_lazy
from kernelopt._plugins._registry import registry
from kernelopt._rows._contract import RowBlocks
from kernelopt._rows._source import RowSource


def source_of(X: Any, name: str = "X") -> RowSource | None:
    """The plugin that brings these rows; None where they are in memory.

    Raises:
        InvalidData: they are rows in blocks, which bring themselves where they are learned from.
        MissingLibrary: they are a collection of dask, and its plugin is not installed.
        BrokenPlugin: it is installed, and broken.
    """
    if isinstance(X, np.ndarray):
        return None
    if isinstance(X, RowBlocks):
        raise InvalidData(
            f"{name}: got rows in blocks ({X.source}), wanted rows in memory; pass an array or a memory map itself, "
            "and read a file in parts, which you pass one after the other with the columns of the training rows, such "
            "as pyarrow.parquet.ParquetFile(file).iter_batches(columns=names) or "
            "pandas.read_csv(file, usecols=names, chunksize=100000)"
        )
    found = next((source for source in _sources() if source.takes(X)), None)
    if found is None and is_lazy(X):
        _broken("dask")
        raise MissingLibrary(
            f"{name} is a collection of dask ({type(X).__name__}), and what reads it in blocks is not installed; "
            "install it with: python -m pip install kernelopt-dask"
        )
    return found


def source_for(client: Any) -> RowSource:
    """The plugin whose workers this client leads to.

    Raises:
        InvalidOption: there is none.
    """
    found = next((source for source in _sources() if source.serves(client)), None)
    if found is None:
        _broken("dask")
        raise InvalidOption(
            f"client: got {type(client).__name__}, wanted a client of dask.distributed, and the plugin that works "
            "there: python -m pip install kernelopt-dask"
        )
    return found


def _sources() -> tuple[RowSource, ...]:
    """All of them."""
    found = registry()
    return tuple(found.find("rows", name)() for name in found.names("rows"))


def _broken(name: str) -> None:
    """Say why the plugin of this name is broken, where it is.

    Raises:
        BrokenPlugin: it is.
    """
    with suppress(UnknownName):
        registry().find("rows", name)
