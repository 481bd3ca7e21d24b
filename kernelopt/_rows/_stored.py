"""A file that can be read as often as it is needed: itself, or a temporary copy of what is packed or flows by once."""

import bz2
import gzip
import lzma
import os
import re
import stat
import tempfile
import weakref
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

import attrs

from kernelopt._base._errors import InvalidData
from kernelopt._rows import _zipped

_PACKED: Mapping[bytes, tuple[str, Callable[..., Any]]] = MappingProxyType(
    {
        b"\x1f\x8b": ("gzip", gzip.open),
        b"BZh": ("bzip2", bz2.open),
        b"\xfd7zXZ\x00": ("xz", lzma.open),
    }
)
"""How packed files begin, what that is called, and what unpacks them."""
_OTHERS: Mapping[bytes, str] = MappingProxyType({b"\x28\xb5\x2f\xfd": "zstd", b"\x04\x22\x4d\x18": "lz4"})
"""How files begin that are packed in a way that is not read here."""
SUFFIXES = (".gz", ".bz2", ".xz", ".zip")
"""What the names of packed files end in."""
_FORMATS: Mapping[bytes, str] = MappingProxyType({b"PAR1": ".parquet", _zipped.MARK: ".npz"})
"""How files begin that are no text, and the suffixes that they usually have."""
_SVMLIGHT = re.compile(rb"[^\s,;:]+([ \t]+\d+:[^\s:]+)+[ \t]*(#.*)?\r?(\n|$)")
"""The first line of an svmlight file."""
_LINE = 1 << 16
"""So many bytes are looked at for it."""
_AT_ONCE = 1 << 20
_LONGEST = max(map(len, (*_PACKED, *_OTHERS)))


class _Temporary:
    """A file that is removed when nobody needs it any more, at the latest when Python ends."""

    def __init__(self) -> None:
        handle, name = tempfile.mkstemp(prefix="kernelopt-")
        os.close(handle)
        self.path = Path(name)
        weakref.finalize(self, self.path.unlink, missing_ok=True)


@attrs.frozen(eq=False)
class Stored:
    """A file that can be read again and again.

    Attributes:
        path: where it is.
        source: what the user calls it, for messages.
        suffix: what its name ends in, in small letters, without that of packing; where it ends in nothing, what names
            of files with such a content end in, and nothing for CSV.
        notes: that it is a copy, where it is.
    """

    path: Path
    source: str
    suffix: str
    notes: tuple[str, ...] = ()
    _copy: _Temporary | None = None


def stored(path: Path) -> Stored:
    """A file by its name. A pipe and what is packed, by gzip, bzip2, xz or zip, become a temporary file.

    Raises:
        InvalidData: it cannot be read, or unpacked.
    """
    source = str(path)
    found = Stored(path, source, path.suffix.lower())
    if path.is_dir():
        return found
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            with path.open("rb") as stream:
                return from_stream(stream, source)
        return _unpacked(found)
    except FileNotFoundError:
        raise InvalidData(f"{source}: there is no such file") from None
    except OSError as error:
        raise InvalidData(f"{source} cannot be read: {error.strerror or error}") from None


def from_stream(stream: BinaryIO, source: str) -> Stored:
    """What flows by once, such as standard input, in a temporary file.

    Raises:
        InvalidData: there is no room for it, or it cannot be unpacked.
    """
    copy = _copied(stream, source, f"{source} can be read once only")
    return _unpacked(copy)


def _unpacked(found: Stored) -> Stored:
    """The file, or a temporary one of what is packed in it; what its suffix leaves open, its content says."""
    with found.path.open("rb") as file:
        begin = file.read(_LONGEST)
    other = next((name for mark, name in _OTHERS.items() if begin.startswith(mark)), None)
    if other is not None:
        raise InvalidData(
            f"{found.source} is compressed by {other}, which kernelopt cannot read; decompress it, "
            f"or compress it with gzip"
        )
    for mark, (name, unpack) in _PACKED.items():
        if begin.startswith(mark):
            inner = Path(found.source).with_suffix("").suffix if found.suffix in SUFFIXES else found.suffix
            with unpack(found.path, "rb") as stream:
                copy = _copied(stream, found.source, f"{found.source} is packed by {name}")
            return attrs.evolve(copy, suffix=inner.lower() or _format(copy.path))
    if begin.startswith(_zipped.MARK) and found.suffix != ".npz":
        member = _zipped.member_of(found.path, found.source)
        if member is not None:
            with _zipped.opened(found.path, member, found.source) as stream:
                copy = _copied(stream, found.source, f"{found.source} is packed by zip")
            return attrs.evolve(copy, suffix=Path(member).suffix.lower() or _format(copy.path))
    return found if found.suffix else attrs.evolve(found, suffix=_format(found.path))


def _format(path: Path) -> str:
    """The suffix that files with this content have; none for CSV."""
    with path.open("rb") as file:
        begin = file.read(_LINE)
    known = next((suffix for mark, suffix in _FORMATS.items() if begin.startswith(mark)), "")
    return known or (".svmlight" if _SVMLIGHT.match(begin) else "")


def _copied(stream: BinaryIO, source: str, reason: str) -> Stored:
    """A temporary file of all that a stream has."""
    copy, size = _Temporary(), 0
    try:
        with copy.path.open("wb") as file:
            for block in _blocks(stream, source):
                size += file.write(block)
    except OSError as error:
        raise InvalidData(
            f"{source}: the temporary file for it cannot be written into {copy.path.parent} ({error.strerror}); name a "
            "folder with more room in the environment variable TMPDIR"
        ) from None
    note = f"data: {reason}, so a temporary file was made of it ({size / 1e6:.3g} MB); it is removed at the end"
    return Stored(copy.path, source, "", (note,), copy)


def _blocks(stream: BinaryIO, source: str) -> Iterator[bytes]:
    """All that a stream has.

    Raises:
        InvalidData: it cannot be read to its end.
    """
    try:
        while block := stream.read(_AT_ONCE):
            yield block
    except (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile) as error:
        raise InvalidData(f"{source} cannot be read to its end ({error}); it is broken, or was cut off") from None
