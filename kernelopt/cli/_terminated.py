"""SIGTERM, as `timeout` and schedulers of jobs send it: the command cleans up before it ends."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from kernelopt._base._interrupts import Terminated

TERMINATED = 128 + signal.SIGTERM
"""The exit code after SIGTERM, as shells expect it."""


@contextmanager
def orderly() -> Iterator[None]:
    """Inside, SIGTERM ends Python as `sys.exit` does: temporary copies of data and parts of files are removed."""
    before = signal.signal(signal.SIGTERM, _end)
    try:
        yield
    except Terminated:
        sys.exit(TERMINATED)
    finally:
        signal.signal(signal.SIGTERM, before)


def _end(_: int, frame: FrameType | None) -> None:  # noqa: ARG001
    raise Terminated
