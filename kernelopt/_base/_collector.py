"""Python's collector of cyclic garbage, which waits while many objects are made that stay."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Inside, nothing is collected: for imports and compilation, whose objects stay, and all of which the collector
    would look through again and again. Who has switched it off himself finds it off afterwards.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
