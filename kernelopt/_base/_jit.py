"""Numba's compiler with one set of options. Importing this module imports numba."""

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

_Function = TypeVar("_Function", bound=Callable[..., object])


def compiled(function: _Function) -> _Function:
    """The function, compiled when first called; no option lets the compiler assume that there are no infinities."""
    fastmath = {"nnan", "nsz", "contract", "arcp"}
    return cast(_Function, njit(cache=True, nogil=True, error_model="numpy", fastmath=fastmath)(function))
