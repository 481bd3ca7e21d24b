"""What is computed in a pass, as delayed sums: work on pieces, wherever they are, and a tree of sums of it."""

import pickle
from collections.abc import Sequence
from typing import Any, TypeVar

import cloudpickle
from dask.delayed import delayed

from kernelopt.plugin import InvalidData, Piece, Total, Work
from kernelopt_dask._chunks import Chunk, Read, given
from kernelopt_dask._tree import added, grown, in_order

_DESCRIPTION = 1 << 20
"""A piece says where rows are: what takes more than 1 MiB are the rows themselves."""
T = TypeVar("T", bound=Total)


def summed(batches: Sequence[Sequence[Piece]], work: Work[Any]) -> list[Any]:
    """The sum over each batch, delayed; None where it has no rows."""
    # in one string, which can be sent again where a worker is lost
    here = delayed(pickle.loads)(cloudpickle.dumps(work))
    plus = delayed(added)
    found = []
    for batch in batches:
        leaves = {(0, i): _found(here, piece) for i, piece in enumerate(batch)}
        found.append(in_order(grown(leaves, len(batch), plus))[0])
    return found


def _found(work: Any, piece: Piece) -> Any:
    """What is found in a piece, delayed.

    Raises:
        InvalidData: a piece holds its rows, which would travel to the workers in each pass.
    """
    if isinstance(piece, Chunk):
        return delayed(on_chunk)(work, piece.rows, piece.targets, piece.weight)
    packed = cloudpickle.dumps(piece)
    if len(packed) > _DESCRIPTION:
        raise InvalidData(
            f"client: got rows of this process ({type(piece).__name__}), which would travel to the workers in each "
            "pass; write them to Parquet files that the workers can read, or pass a dask array"
        )
    return delayed(on_piece)(work, packed)


def on_chunk(work: Work[T], rows: Any, targets: Any, weight: Any) -> T | None:
    """What is found in a partition; None where it has no rows."""
    return work(Read(given(rows, targets, weight))) if len(rows) else None


def on_piece(work: Work[T], packed: bytes) -> T:
    """What is found in a piece that is read here."""
    return work(pickle.loads(packed))
