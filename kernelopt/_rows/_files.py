"""What tells that files are still those that were opened."""

import os
from collections.abc import Iterable
from pathlib import Path

import attrs

from kernelopt._base._errors import InvalidData


@attrs.frozen
class Stamps:
    """How large files were, and when they were last written: called, it says which one has changed, or None."""

    seen: tuple[tuple[str, int, int], ...]

    @classmethod
    def of(cls, paths: Iterable[str | os.PathLike[str]]) -> "Stamps":
        """Of files as they are now.

        Raises:
            InvalidData: one is not there.
        """
        return cls(tuple((os.fspath(path), *_stamp(path)) for path in paths))

    def __call__(self) -> str | None:
        for path, size, written in self.seen:
            try:
                now = _stamp(path)
            except InvalidData as error:
                return str(error)
            if now != (size, written):
                return f"{path} has been written to since it was opened"
        return None


def _stamp(path: str | os.PathLike[str]) -> tuple[int, int]:
    """The size in bytes, and the time of the last change in nanoseconds."""
    try:
        stat = Path(path).stat()
    except FileNotFoundError:
        raise InvalidData(f"{os.fspath(path)}: there is no such file") from None
    except OSError as error:
        raise InvalidData(f"{os.fspath(path)} cannot be read: {error.strerror}") from None
    return stat.st_size, stat.st_mtime_ns
