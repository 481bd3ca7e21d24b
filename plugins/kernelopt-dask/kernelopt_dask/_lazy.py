"""Predictions at rows of dask: a collection with the same partitions, which nobody has computed yet."""

import pickle
from collections.abc import Callable
from typing import Any

import cloudpickle
import numpy as np
import numpy.typing as npt
import pandas as pd
from dask.delayed import delayed

from kernelopt.plugin import Outline
from kernelopt_dask._chunks import described, is_frame


def mapped(Z: Any, work: Callable[[Any], npt.NDArray[Any]], outline: Outline) -> Any:
    """What the work makes of each partition: an array of dask or, of a dataframe and with one number a row, a series.

    Raises:
        InvalidData: the rows are neither a dask array nor a dask dataframe.
    """
    described(Z)
    machine = delayed(pickle.loads)(cloudpickle.dumps(work))
    one = outline.columns is None
    like = np.empty((0,) if outline.columns is None else (0, outline.columns), dtype=outline.dtype)
    if not is_frame(Z):
        whole = Z.rechunk({1: -1})
        shape = {"drop_axis": 1} if one else {"chunks": (whole.chunks[0], (outline.columns,))}
        return whole.map_blocks(_values, machine=machine, like=like, dtype=outline.dtype, meta=like, **shape)
    if one:
        series = pd.Series(like, index=Z._meta.index[:0])  # noqa: SLF001, its public name computes
        return Z.map_partitions(_series, machine, like, meta=series)
    return Z.map_partitions(_values, machine, like, meta=like)


def _values(rows: Any, machine: Callable[[Any], npt.NDArray[Any]], like: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The result for a partition; nothing for one without rows."""
    return np.asarray(machine(rows), dtype=like.dtype) if len(rows) else like


def _series(rows: Any, machine: Callable[[Any], npt.NDArray[Any]], like: npt.NDArray[Any]) -> pd.Series:
    """The same, with the index of the rows."""
    return pd.Series(_values(rows, machine, like), index=rows.index)
