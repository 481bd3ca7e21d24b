"""Where delayed sums are computed: on the workers of a client, or by dask in this process."""

import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Generator, Sequence
from functools import reduce
from typing import Any

import attrs
import dask

from kernelopt.plugin import InvalidData, NotEnoughMemory
from kernelopt_dask._tree import added

_LOOK = 0.2
"""Seconds after which somebody may have asked to stop."""


@attrs.frozen
class Done:
    """A sum that is computed.

    Attributes:
        number: of the sum.
        handle: where it is.
    """

    number: int
    handle: Any


class Engine(ABC):
    """Computes delayed sums."""

    @abstractmethod
    def completed(self, sums: Sequence[Any]) -> Generator[Done | None, None, None]:
        """Each sum when it is computed, and now and then None. When this is closed the others are given up."""

    @abstractmethod
    def plus(self, one: Any, other: Any) -> Any:
        """The sum of two, where they are."""

    @abstractmethod
    def value(self, handles: Sequence[Any]) -> Any:
        """The sum of all in their order, in this process."""

    @abstractmethod
    def release(self, handles: Sequence[Any]) -> None:
        """Keep them no longer."""


def engine_for(client: Any) -> Engine:
    """Where a client's workers, or those of the default one, compute; else where dask does."""
    client = default_client() if client is None else client
    return Here() if client is None else Workers(client)


@attrs.frozen
class Here(Engine):
    """By dask in this process, one sum after the other."""

    def completed(self, sums: Sequence[Any]) -> Generator[Done | None, None, None]:
        for number, one in enumerate(sums):
            yield Done(number, dask.compute(one)[0])

    def plus(self, one: Any, other: Any) -> Any:
        return added(one, other)

    def value(self, handles: Sequence[Any]) -> Any:
        return reduce(added, handles)

    def release(self, handles: Sequence[Any]) -> None:
        """They are values, and go with their last name."""


@attrs.frozen(eq=False)
class Workers(Engine):
    """On the workers of a client. They keep the sums; handles are futures, and one value comes here."""

    client: Any

    def completed(self, sums: Sequence[Any]) -> Generator[Done | None, None, None]:
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"}):
            waiting = dict(enumerate(self.client.compute(list(sums))))
        news = threading.Event()
        for future in waiting.values():
            future.add_done_callback(lambda _: news.set())
        try:
            while waiting:
                news.clear()
                for number in [i for i, future in waiting.items() if future.status != "pending"]:
                    yield Done(number, _sound(waiting.pop(number)))
                yield None
                if waiting:
                    news.wait(_LOOK)
        finally:
            self.release(list(waiting.values()))

    def plus(self, one: Any, other: Any) -> Any:
        return self.client.submit(added, one, other, pure=False, priority=1)  # before other pieces: two sums become one

    def value(self, handles: Sequence[Any]) -> Any:
        return _sound(reduce(self.plus, handles)).result()

    def release(self, handles: Sequence[Any]) -> None:
        if handles:
            self.client.cancel(list(handles))


def _sound(future: Any) -> Any:
    """A future when it is computed.

    Raises:
        NotEnoughMemory: worker after worker died of it.
        InvalidData: workers that are lost had what nobody can make again.
        Exception: what the work on a piece has raised.
    """
    from distributed import KilledWorker

    error = future.exception()
    if isinstance(error, KilledWorker):
        raise NotEnoughMemory(
            f"workers of dask ended several times while they summed up rows ({error}); give each more memory or "
            f"fewer "
            "threads, or make the partitions smaller"
        ) from error
    if error is not None:
        raise error
    if future.status != "finished":
        raise InvalidData(
            f"rows of dask are lost (a sum was {future.status}): workers that ended held data that cannot be "
            "computed again, such as scattered data, or the scheduler was restarted; read the rows from files, and "
            "call again"
        )
    return future


def default_client() -> Any:
    """The client that dask computes with where nothing else is said, or None."""
    if "distributed" not in sys.modules:
        return None
    from distributed.client import default_client as found

    if dask.config.get("scheduler", None) not in (None, "dask.distributed", "distributed"):
        return None
    try:
        return found()
    except ValueError:  # there is none
        return None
