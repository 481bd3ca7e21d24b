"""Archives of zip: the one table that is packed in them."""

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from kernelopt._base._errors import InvalidData

MARK = b"PK\x03\x04"
"""How archives begin; so do files of numpy and of spreadsheets, which are archives."""
_PROGRAMS = ("[Content_Types].xml", "mimetype")
"""The files of a spreadsheet that say what it is."""


def member_of(path: Path, source: str) -> str | None:
    """The name of the only file in an archive, but for what an operating system adds; None where the archive is a file
    of numpy or of another program, or only begins as an archive.

    Raises:
        InvalidData: it is broken and is called an archive, or holds no file or several.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except zipfile.BadZipFile as error:
        if path.suffix.lower() != ".zip":
            return None
        raise InvalidData(f"{source} cannot be read ({error}); it is broken, or was cut off") from None
    files = [name for name in names if not (name.endswith("/") or name.startswith("__MACOSX/"))]
    if any(name in files for name in _PROGRAMS) or (files and all(name.endswith(".npy") for name in files)):
        return None
    if len(files) != 1:
        raise InvalidData(
            f"{source} is a zip archive of {len(files)} files, wanted one table; unpack it, and name the file to read"
        )
    return files[0]


@contextmanager
def opened(path: Path, member: str, source: str) -> Iterator[BinaryIO]:
    """A file of an archive.

    Raises:
        InvalidData: it wants a password, or is packed in another way.
    """
    with zipfile.ZipFile(path) as archive:
        try:
            stream = archive.open(member)
        except (RuntimeError, NotImplementedError) as error:
            raise InvalidData(f"{source} cannot be unpacked ({error}); unpack it, and name the file in it") from None
        with stream:
            yield cast("BinaryIO", stream)
