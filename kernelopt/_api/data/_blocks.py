"""Rows that are not in memory, or are worked on elsewhere, at the door: they become blocks of rows."""

from typing import Any

import attrs
import numpy as np

from kernelopt._base._errors import InvalidData, InvalidOption
from kernelopt._families.features._landmark_lists import MANY
from kernelopt._plugins._sources import source_for, source_of
from kernelopt._rows._contract import RowBlocks
from kernelopt._rows._open import row_blocks


def in_blocks(X: Any, y: Any, sample_weight: Any, client: Any = None) -> RowBlocks | None:
    """Rows with their targets in blocks, worked on where the client says; None where the rows are in memory.

    Raises:
        InvalidData: there are targets or weights beside rows that have their own, or too few or many of them.
        InvalidOption: there is a client, and it leads nowhere, or the rows are in memory.
        MissingLibrary, BrokenPlugin: the plugin that reads them is not installed, or broken.
    """
    blocks = _given(X, y, sample_weight)
    if client is None:
        return blocks
    if blocks is None:
        raise InvalidOption(
            f"client: got a client with rows in memory ({type(X).__name__}), wanted rows that workers can read: files "
            'opened with kernelopt.row_blocks("folder", target="price"), or a collection of dask'
        )
    return attrs.evolve(blocks, passes=source_for(client).passes(client))


def _given(X: Any, y: Any, sample_weight: Any) -> RowBlocks | None:
    if isinstance(X, RowBlocks):
        _refuse_beside(y, sample_weight)
        return X
    if isinstance(X, np.memmap) and len(X) > MANY and y is not None:
        return row_blocks(X, y, sample_weight=sample_weight)
    source = source_of(X)
    if source is None:
        return None
    if y is None:
        raise InvalidData(f"y is missing: {source.name} rows need a target for each row; pass y together with X")
    return source.blocks(X, y, sample_weight)


def _refuse_beside(y: Any, sample_weight: Any) -> None:
    """Refuse targets or weights beside rows that have their own.

    Raises:
        InvalidData: there are some.
    """
    for name, given in (("y", y), ("sample_weight", sample_weight)):
        if given is not None:
            raise InvalidData(
                f"{name}: got an array with rows whose files have columns for it; name the column where the rows "
                f"are opened, as in "
                'kernelopt.row_blocks("big.parquet", target="price", weight="times")'
            )
