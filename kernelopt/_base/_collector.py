"""Python's collector of cyclic garbage, which waits while many objects are made that stay."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Inside, nothing is collected: for imports and compilation, whose objects stay, and all of which the collector
    would look through again and again. Afterwards it takes them for old ones, as if it had looked through them. Who has
    switched it off himself finds it off.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            if not gc.get_freeze_count():  # what somebody else has frozen stays so
                gc.freeze()
                gc.unfreeze()
            gc.enable()
