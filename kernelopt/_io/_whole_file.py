"""A file appears whole or not at all: it is written beside its place, and then takes it."""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

_NAME = 40
"""So much of a file's name stands in that of its part: together they stay below what file systems allow."""


@contextmanager
def whole(path: Path) -> Iterator[BinaryIO]:
    """A file to write into, which takes the place of `path` when the block ends.

    It keeps the mode of the file that was there, and a new one has what the umask leaves. What ends the block early, a
    full disk or an interruption, leaves what was there; only a process that is killed leaves its part behind. The part
    has a name of its own, so that any number of writers may write the same file: the last one stays.

    Args:
        path: a file, or a link to one, which stays a link.

    Raises:
        OSError: the file cannot be written.
    """
    target = _target(path)
    part = _beside(target)
    try:
        with _opened(part, target) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def try_place(path: Path) -> None:
    """Try whether a file could be written there, with an empty one beside it that goes again.

    Raises:
        OSError: it could not.
    """
    target = _target(path)
    part = _beside(target)
    try:
        _opened(part, target).close()
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _target(path: Path) -> Path:
    """The file itself, behind any links; a folder or a device is none."""
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "it is there already, and is no file")
    return target


def _beside(target: Path) -> Path:
    """A name that no other writer has."""
    return target.with_name(f"{target.name[:_NAME]}.{os.getpid()}-{secrets.token_hex(4)}.part")


def _opened(part: Path, target: Path) -> BinaryIO:
    """The part, new and empty, with the mode that the target has or would get; until it has it, it is nobody else's."""
    known = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    file = os.fdopen(os.open(part, flags, 0o666 if known is None else 0o600), "wb")
    if known is not None:
        part.chmod(known)
    return file
