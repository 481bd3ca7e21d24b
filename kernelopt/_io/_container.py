"""Words and arrays in one file: the layout of safetensors, with a digest over all of it.

    8 bytes      N, the length of the header, little-endian
    N bytes      the header, JSON: a table of the arrays, and words in `__metadata__`
    the rest     the arrays, one after the other, little-endian, rows first

Nothing is compressed and every length stands in the header, so a file never takes more memory than it has bytes.
"""

import hashlib
import json
import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, NoReturn

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import ModelFileError
from kernelopt._base._memory import explained
from kernelopt._io._whole_file import whole

Array = npt.NDArray[Any]

_WORDS = "__metadata__"
_DIGEST = "sha256"
_LONGEST_HEADER = 100_000_000
_MOST_DIMENSIONS = 8
_LARGEST_DIMENSION = 1 << 40
_DTYPES: Mapping[str, str] = MappingProxyType(
    {
        "F64": "<f8",
        "I64": "<i8",
        "U64": "<u8",
        "F32": "<f4",
        "I32": "<i4",
        "U32": "<u4",
        "F16": "<f2",
        "I16": "<i2",
        "U16": "<u2",
        "I8": "|i1",
        "U8": "|u1",
        "BOOL": "|b1",
    }
)
_NAMES: Mapping[str, str] = MappingProxyType({dtype: name for name, dtype in _DTYPES.items()})


@attrs.frozen(eq=False)
class Content:
    """What a file holds.

    Attributes:
        words: names and texts.
        arrays: names and arrays of numbers or truth values.
    """

    words: Mapping[str, str]
    arrays: Mapping[str, Array]


def storable(array: Array) -> bool:
    """Whether a file has a name for this array's dtype."""
    return _little(array.dtype).str in _NAMES


def write(path: Path, content: Content) -> None:
    """Write a file, whole or not at all, with the mode of the one that was there.

    Raises:
        ModelFileError: the file cannot be written.
    """
    table, blocks = _table(content.arrays)
    digest = _digest({_WORDS: dict(content.words), **table}, blocks)
    header = _canonical({_WORDS: {**content.words, _DIGEST: digest}, **table})
    header += b" " * (-len(header) % 8)
    try:
        with whole(path) as file:
            file.write(len(header).to_bytes(8, "little") + header)
            for block in blocks:
                file.write(block)
    except OSError as error:
        raise ModelFileError(f"{path} cannot be written: {error.strerror}") from None


def is_container(path: Path) -> bool:
    """Whether a file begins as ours do, or has their suffix."""
    if path.suffix == ".kernelopt":
        return True
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            return file.read(1) == b"{" and length <= os.fstat(file.fileno()).st_size - 8
    except OSError:
        return False


def read(path: Path) -> Content:
    """What a file holds; arrays are copies that may be written into.

    Raises:
        ModelFileError: it cannot be read, is of another kind, was cut or was changed.
    """
    try:
        if path.exists() and not path.is_file():
            _refuse("is no file")
        with path.open("rb") as file, explained(f"{path} was read"):
            return _read(file, os.fstat(file.fileno()).st_size)
    except OSError as error:
        raise ModelFileError(f"{path} cannot be read: {error.strerror}") from None
    except ModelFileError as error:
        raise ModelFileError(f"{path} {error}") from None
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"{path} is no file of kernelopt's ({type(error).__name__}: {error})") from None


def _read(file: BinaryIO, size: int) -> Content:
    length = int.from_bytes(file.read(8), "little")
    if size < 8 or not 2 <= length <= min(size - 8, _LONGEST_HEADER):
        _refuse("is no file of kernelopt's: it has no header")
    header = json.loads(file.read(length).decode(), object_pairs_hook=_distinct, parse_constant=_refuse_constant)
    if not isinstance(header, dict):
        _refuse("is no file of kernelopt's: its header is no table")
    words = header.pop(_WORDS, None)
    if not (isinstance(words, dict) and all(isinstance(text, str) for text in words.values())):
        _refuse("is no file of kernelopt's: its header has no words")
    spans = _spans(header, size - 8 - length)
    data = file.read(size - 8 - length)
    told = words.pop(_DIGEST, None)
    if told != _digest({_WORDS: words, **header}, [data]):
        _refuse("was cut or changed after it was written: its digest is another")
    return Content(words, {name: _array(data, *span) for name, span in spans.items()})


def _spans(header: Mapping[str, Any], size: int) -> dict[str, tuple[str, tuple[int, ...], int]]:
    """Dtype, shape and place of each array; they follow each other without a hole."""
    spans, end = {}, 0
    for name, entry in sorted(header.items(), key=lambda item: _places(item[1])):
        first, last = _places(entry)
        shape = entry.get("shape")
        if entry.get("dtype") not in _DTYPES or not _is_shape(shape):
            _refuse(f"is broken: its array {name!r} has no dtype or no shape")
        dtype = _DTYPES[entry["dtype"]]
        if first != end or last - first != math.prod(shape) * np.dtype(dtype).itemsize:
            _refuse(f"is broken: its array {name!r} has another size than its shape")
        spans[name], end = (dtype, tuple(shape), first), last
    if end != size:
        _refuse(f"is broken: it holds {size} bytes of arrays, its header says {end}")
    return spans


def _places(entry: Any) -> tuple[int, int]:
    places = entry.get("data_offsets") if isinstance(entry, dict) else None
    if not (isinstance(places, list) and len(places) == 2 and all(type(place) is int for place in places)):
        _refuse("is broken: an array of it has no place")
    first, last = places
    return first, last


def _is_shape(shape: Any) -> bool:
    if not (isinstance(shape, list) and len(shape) <= _MOST_DIMENSIONS):
        return False
    return all(type(size) is int and 0 <= size <= _LARGEST_DIMENSION for size in shape)


def _array(data: bytes, dtype: str, shape: tuple[int, ...], first: int) -> Array:
    count = math.prod(shape)
    flat = np.frombuffer(data, dtype, count, first) if count else np.zeros(0, dtype)
    return flat.reshape(shape).astype(np.dtype(dtype).newbyteorder("="))


def _table(arrays: Mapping[str, Array]) -> tuple[dict[str, Any], list[bytes]]:
    """The header's entry of each array, and their bytes; large items first, so that all are aligned."""
    table, blocks, end = {}, [], 0
    for name in sorted(arrays, key=lambda name: -arrays[name].dtype.itemsize):
        array = arrays[name]
        dtype = _little(array.dtype)
        blocks.append(np.asarray(array, dtype=dtype).tobytes())
        start, end = end, end + len(blocks[-1])
        table[name] = {"dtype": _NAMES[dtype.str], "shape": list(array.shape), "data_offsets": [start, end]}
    return table, blocks


def _little(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return dtype.newbyteorder("<")


def _digest(header: Mapping[str, Any], blocks: Iterable[bytes]) -> str:
    digest = hashlib.sha256(_canonical(header))
    for block in blocks:
        digest.update(block)
    return digest.hexdigest()


def _canonical(header: Mapping[str, Any]) -> bytes:
    return json.dumps(header, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        _refuse("is broken: its header names something twice")
    return table


def _refuse_constant(text: str) -> NoReturn:
    _refuse(f"is broken: its header has the number {text}")


def _refuse(reason: str) -> NoReturn:
    raise ModelFileError(reason)
