"""Passes over rows on the workers of dask: pieces are worked on where they are, and summed up there."""

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any, TypeVar

import attrs

from kernelopt.plugin import InvalidData, Passes, Piece, RowBlocks, Total, Work
from kernelopt_dask._tree import Node, grown, in_order

_BATCHES = 64
"""A pass is so many sums at most, each of which is known when it is done: progress is told as often, and a pass that is
stopped loses no more than what is begun."""
T = TypeVar("T", bound=Total)


@attrs.frozen(eq=False)
class DaskPasses(Passes):
    """On the workers of a client, or wherever the caller's dask computes.

    Attributes:
        client: of dask.distributed; None for the default one or, where there is none, dask's own threads.
    """

    client: Any = None

    def total(
        self,
        pieces: Sequence[Piece],
        work: Work[T],
        heard: Callable[[float], None] = lambda _: None,
        stop: Callable[[], bool] = bool,
    ) -> tuple[T, int]:
        from kernelopt_dask._engines import engine_for
        from kernelopt_dask._graph import summed

        step = -(-len(pieces) // _BATCHES)
        batches = [pieces[i : i + step] for i in range(0, len(pieces), step)]
        engine = engine_for(self.client)
        held: dict[Node, Any] = {}
        seen = 0
        try:
            with closing(engine.completed(summed(batches, work))) as completed:
                for done in completed:
                    if done is not None:
                        held = grown({**held, (0, done.number): done.handle}, len(batches), engine.plus)
                        seen += len(batches[done.number])
                        heard(seen / len(pieces))
                    if held and stop():
                        break
            found = engine.value(in_order(held))
        finally:
            engine.release(list(held.values()))
        if found is None:
            raise InvalidData(f"X has no rows in the {seen} of its {len(pieces)} partitions that were read")
        return found, seen


def on_workers(rows: RowBlocks, client: Any = None) -> RowBlocks:
    """The same rows, read and summed up on dask's workers.

        KernelRegressor().fit(on_workers(kernelopt.row_blocks("folder", target="price"), client))

    Args:
        rows: files that the workers can read, as `kernelopt.row_blocks` opens them.
        client: of dask.distributed; None for the default one.
    """
    return attrs.evolve(rows, passes=DaskPasses(client))
