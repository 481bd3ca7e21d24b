"""How many threads the linear algebra gets: more than one only hurts small matrices."""

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

SMALL = 1000
"""Below this many rows one BLAS thread is fastest: waking the others takes longer than their share of the work."""


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def threads_for(n: int) -> AbstractContextManager[Any]:
    """One BLAS thread while a problem of n rows is solved, if n is small; as it was, afterwards."""
    if n >= SMALL:
        return nullcontext()
    limit: AbstractContextManager[Any] = _controller().limit(limits=1)
    return limit
