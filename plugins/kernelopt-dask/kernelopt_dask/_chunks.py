"""Arrays and dataframes of dask as pieces: each is a partition of X, with those of y and of the weights."""

from typing import Any

import attrs
import dask
import dask.array as da
import numpy as np
from dask.base import is_dask_collection
from dask.delayed import delayed

from kernelopt.plugin import Given, InvalidData, Piece, check_target, check_weights, table_of


@attrs.frozen(eq=False)
class Chunk(Piece):
    """Some rows of collections: each part is delayed, or in memory.

    Attributes:
        rows: an array (k, d), or a dataframe.
        targets: shape (k,) or (k, c).
        weight: shape (k,), or None where all rows count once.
        kept: the collections themselves: what workers keep for them is given up with the last that knows them.
    """

    rows: Any
    targets: Any
    weight: Any
    kept: tuple[Any, ...] = attrs.field(default=(), repr=False)

    def read(self) -> Given:
        return given(*dask.compute(self.rows, self.targets, self.weight))


@attrs.frozen(eq=False)
class Read(Piece):
    """Rows that are in memory where the work on them is done."""

    rows: Given

    def read(self) -> Given:
        return self.rows


def given(rows: Any, targets: Any, weight: Any) -> Given:
    """A partition, its targets and its weights as they were given.

    Raises:
        InvalidData: they are not as many, or none.
    """
    for name, values in (("y", targets), ("sample_weight", weight)):
        if values is not None and len(values) != len(rows):
            raise InvalidData(
                f"{name} has {len(values)} rows in a partition, and X has {len(rows)} in the same; take both from one "
                "collection, with the same partitions"
            )
    return Given(table_of(rows), check_target(targets), check_weights(weight, len(rows)))


def described(X: Any) -> str:
    """A collection of rows in a few words.

    Raises:
        InvalidData: it is another kind of collection.
    """
    if not ((isinstance(X, da.Array) or is_frame(X)) and X.ndim == 2):
        raise InvalidData(
            f"X is a collection of dask ({type(X).__name__}), wanted a dask array of two dimensions or a dask dataframe"
        )
    return f"a dask {'dataframe' if is_frame(X) else 'array'} of {_count(X)} partitions"


def is_frame(X: Any) -> bool:
    """Whether it is a dataframe or a series of dask, and no array."""
    return type(X).__module__.startswith("dask.dataframe")


def chunks_of(X: Any, y: Any, weight: Any) -> tuple[Chunk, ...]:
    """Collections as pieces.

    Raises:
        InvalidData: the partitions of y or of the weights are not those of X.
    """
    rows = _parts(X)
    others = [_beside(X, rows, values, name) for values, name in ((y, "y"), (weight, "sample_weight"))]
    return tuple(Chunk(*parts) for parts in zip(rows, *others, [(X, y, weight)] * len(rows), strict=True))


def _count(X: Any) -> int:
    """How many partitions of rows there are."""
    return int(X.npartitions if is_frame(X) else len(X.chunks[0]))


def _parts(values: Any) -> list[Any]:
    """The partitions of rows, delayed."""
    whole = values if is_frame(values) or values.ndim == 1 else values.rechunk({1: -1})
    return list(np.ravel(np.asarray(whole.to_delayed(), dtype=object)))


def _beside(X: Any, rows: list[Any], values: Any, name: str) -> list[Any]:
    """What stands beside the rows, in the same partitions.

    Raises:
        InvalidData: there are more, or fewer.
    """
    if values is None:
        return [None] * len(rows)
    if not is_dask_collection(values):
        return _cut(np.asarray(values), rows, name)
    if not (isinstance(values, da.Array) or is_frame(values)):
        raise InvalidData(
            f"{name} is a collection of dask ({type(values).__name__}), wanted a dask array, or a series of a "
            "dask dataframe"
        )
    if not (is_frame(X) or is_frame(values)) and not np.isnan([*X.shape[:1], *values.shape[:1]]).any():
        if values.shape[0] != X.shape[0]:
            raise InvalidData(f"{name} has {values.shape[0]} rows, and X has {X.shape[0]}; wanted one for each row")
        values = values.rechunk({0: X.chunks[0]})
    if _count(values) != len(rows):
        raise InvalidData(
            f"{name} has {_count(values)} partitions, and X has {len(rows)}; take both from one collection, or give "
            "both as dask arrays whose lengths are known, after compute_chunk_sizes()"
        )
    return _parts(values)


def _cut(values: Any, rows: list[Any], name: str) -> list[Any]:
    """An array in memory, cut where the partitions of rows are."""
    ends = np.cumsum(dask.compute(*(delayed(len)(part) for part in rows)))
    if len(values) != ends[-1]:
        raise InvalidData(f"{name} has {len(values)} rows, and X has {ends[-1]}; wanted one for each row")
    return list(np.split(values, ends[:-1]))
