"""How many threads the linear algebra gets: one for the many small products, all for the few large factorisations."""

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

LARGE = 2000
"""From this many rows on, a factorisation is worth waking the other threads for, on a machine that is idle.
Worth: `constants.py threads.LARGE`, in seconds of the wall, with as many threads as the machine has cores."""


@cache
def _pool() -> tuple[Any, dict[str, int]]:
    """The process's BLAS libraries, and how many threads each had when kernelopt first looked."""
    from threadpoolctl import ThreadpoolController

    controller = ThreadpoolController()
    return controller, {library["prefix"]: library["num_threads"] for library in controller.info()}


def one_thread() -> AbstractContextManager[Any]:
    """One BLAS thread inside, as it was afterwards.

    A solve consists of thousands of small products. Threads cost each of them more than they bring, and on a busy
    machine, where they wait for one another, ten times the whole.
    """
    limit: AbstractContextManager[Any] = _pool()[0].limit(limits=1)
    return limit


def all_threads(n: int) -> AbstractContextManager[Any]:
    """Inside `one_thread`, the threads that the process had, if n rows are worth it."""
    if n < LARGE:
        return nullcontext()
    controller, threads = _pool()
    limit: AbstractContextManager[Any] = controller.limit(limits=threads)
    return limit
