"""What surrounds a solve: no mistake of a plugin, no end of memory and no Ctrl-C goes unexplained."""

from collections.abc import Iterator
from contextlib import contextmanager

from kernelopt._base._interrupts import Gate
from kernelopt._base._memory import explained
from kernelopt._plugins._blame import blamed


@contextmanager
def guarded() -> Iterator[Gate]:
    """Inside, errors name the plugin whose they are, and Ctrl-C goes by the gate.

    Raises:
        NotEnoughMemory: memory ended.
        KeyboardInterrupt: Ctrl-C came before there was an answer.
    """
    try:
        with explained("a kernel was learned"), blamed(), Gate() as gate:
            yield gate
    except KeyboardInterrupt:
        raise KeyboardInterrupt("solve was interrupted before there was an answer") from None
