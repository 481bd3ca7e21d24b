"""A library of arrays and one of its devices: how numbers get there, and how results come back."""

from importlib import import_module
from typing import Any, TypeAlias

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import InvalidOption, MissingLibrary
from kernelopt._base._typing import FloatArray, IntArray

Array: TypeAlias = Any
"""An array of such a library: what the array API standard asks of it, and no more."""

_TORCH = "array_api_compat.torch"


@attrs.frozen
class Arrays:
    """A library of arrays that follows the array API standard, and one of its devices.

    Attributes:
        library: the module with the standard's functions, such as "numpy" or "array_api_compat.torch".
        device: in the words of the library; None for its default.
        single: whether numbers have single precision there: because the device knows no other, or because it is enough.
    """

    library: str = "numpy"
    device: str | None = None
    single: bool = False

    @property
    def xp(self) -> Any:
        """The functions of the standard."""
        return import_module(self.library)

    @property
    def plain(self) -> bool:
        """Whether they are numpy's own, with which compiled functions work."""
        return self.library == "numpy"

    @property
    def name(self) -> str:
        """The device in a word."""
        return self.device or self.library

    @property
    def dtype(self) -> Any:
        """Of the numbers there."""
        return self.xp.float32 if self.single else self.xp.float64

    def put(self, values: npt.ArrayLike) -> Array:
        """A copy of numbers on the device."""
        kind = np.float32 if self.single else np.float64
        return self.xp.asarray(np.array(values, dtype=kind, order="C"), dtype=self.dtype, device=self.device)

    def places(self, index: npt.ArrayLike) -> Array:
        """A copy of whole numbers on the device."""
        return self.xp.asarray(np.array(index, dtype=np.int64), dtype=self.xp.int64, device=self.device)

    def zeros(self, *shape: int) -> Array:
        """Zeros on the device."""
        return self.xp.zeros(shape, dtype=self.dtype, device=self.device)

    def back(self, values: Array) -> FloatArray:
        """An array of the device as one of numpy, in double precision."""
        if self.library == _TORCH:
            values = values.cpu()
        return np.asarray(np.from_dlpack(values), dtype=np.float64)

    def free_bytes(self) -> int | None:
        """Bytes of the device's own memory that nobody has taken; None where it has none, or does not say."""
        if self.library != _TORCH or not str(self.device).startswith("cuda"):
            return None
        free, _ = import_module("torch").cuda.mem_get_info(self.device)
        return int(free)


def opened(device: Any) -> Arrays | None:
    """The arrays of a device that a user names; None for None, which is numpy as it always is.

    Args:
        device: a name of torch, such as "cpu", "cuda" or "cuda:1", or the `Arrays` of a library.

    Raises:
        MissingLibrary: torch, or what makes it follow the standard, is not installed.
        InvalidOption: it is no such name, the device is not there, or it has no double precision.
    """
    if device is None or isinstance(device, Arrays):
        return device
    if not isinstance(device, str):
        raise InvalidOption(f'device: got {device!r}, wanted None or a name of torch, such as "cpu" or "cuda"')
    try:
        import_module("torch")
        import_module(_TORCH)
    except (ImportError, OSError) as error:
        raise MissingLibrary(
            f"device: got {device!r}, which needs torch and array-api-compat, and at least one of them could not be "
            f'imported ({error}); install both with: python -m pip install "kernelopt[torch]", or leave device out'
        ) from None
    reason = _defect(device)
    if reason is not None:
        raise InvalidOption(
            f"device: got {device!r}, which torch cannot use here ({reason}); take a device that torch sees and that "
            "has double precision, or leave device out"
        )
    return Arrays(_TORCH, device)


def _defect(device: str) -> str | None:
    """Why sums in double precision cannot be formed on a device of torch, in a few words; None where they can."""
    arrays, two = Arrays(_TORCH, device), np.ones((2, 2))
    try:
        there = arrays.put(two)
        wrong = bool((arrays.back(there @ there) != 2.0).any())
    except Exception as error:  # each device of torch fails in its own way
        return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return "it multiplies wrongly" if wrong else None


def chosen(arrays: Arrays, values: Array, rows: IntArray) -> Array:
    """Some rows (k,) of an array (n, ...) of the device."""
    return arrays.xp.take(values, arrays.places(rows), axis=0)
