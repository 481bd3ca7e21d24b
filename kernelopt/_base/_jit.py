"""Numba's compiler with one set of options. Importing this module imports numba.

What is compiled is kept in a folder, so that only the first process waits for it. Where no folder can be written, or
what is there cannot be read, everything works all the same: each process compiles anew.
"""

import warnings
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import cache
from typing import Any, TypeVar, cast

from kernelopt._base._collector import uncollected
from kernelopt._base._errors import KerneloptWarning
from kernelopt._base._interrupts import undisturbed
from kernelopt._base._working_time import compiling

with undisturbed(), uncollected():  # an import that was broken off may fail the next time
    from numba import njit
    from numba.core import event
    from numba.core.caching import FunctionCache

_Function = TypeVar("_Function", bound=Callable[..., object])


class _Listener(event.Listener):
    """Tells the clock of working time when numba compiles, and lets Ctrl-C and Python's collector wait meanwhile.

    LLVM calls Python back, where a `KeyboardInterrupt` would be lost, and with it what was compiled.

    Attributes:
        inside: what ends with each function that is being compiled, one for the other.
    """

    def __init__(self) -> None:
        self.inside: list[ExitStack] = []

    def on_start(self, event: Any) -> None:  # noqa: ARG002
        waiting = ExitStack()
        waiting.enter_context(undisturbed())
        waiting.enter_context(uncollected())
        self.inside.append(waiting)
        compiling().begin()

    def on_end(self, event: Any) -> None:  # noqa: ARG002
        compiling().end()
        self.inside.pop().close()


event.register("numba:compile", _Listener())  # type: ignore[no-untyped-call]


class _PatientCache(FunctionCache):
    """Numba's cache of one function, which is in nobody's way where its files cannot be read or written.

    Numba finds what it keeps by the function and its types alone. One function may be compiled with several options
    here, and to call what was compiled without a wrapper for Python from Python would end the process.
    """

    def __init__(self, function: Any, options: tuple[Any, ...]) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        self._options = options

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return super()._index_key(sig, codegen), self._options  # type: ignore[no-untyped-call]

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception:  # a file that was cut short is no reason to stop: numba compiles what it does not find
            with suppress(OSError):
                self.flush()  # type: ignore[no-untyped-call]
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            with undisturbed():
                super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        except OSError as error:
            self.disable()  # type: ignore[no-untyped-call]
            _tell(error.strerror or str(error))


@cache
def _tell(why: str) -> None:
    """Say it once."""
    text = (
        f"what numba compiles cannot be kept in a file ({why}), so each process compiles it anew, which takes seconds; "
        "set the environment variable NUMBA_CACHE_DIR to a folder where you may write"
    )
    warnings.warn(text, KerneloptWarning, stacklevel=2)


def compiled(function: _Function, *, bounded: bool = False, exact: bool = False, wrapped: bool = True) -> _Function:
    """The function, compiled when first called.

    Args:
        function: to compile.
        bounded: whether the compiler may take it that there are no infinities.
        exact: whether NaN and infinities mean what they do in Python; otherwise the compiler may take it that there is
            no NaN.
        wrapped: whether Python may call it; where only compiled functions do, less is compiled.

    Returns:
        The compiled function; it warns with a `KerneloptWarning`, once, where what is compiled cannot be kept.
    """
    fastmath = True if bounded else {"contract"} if exact else {"nnan", "nsz", "contract", "arcp"}
    wrappers: dict[str, Any] = {"no_cpython_wrapper": not wrapped, "no_cfunc_wrapper": True}  # nobody needs C's
    found: Any = njit(nogil=True, error_model="numpy", fastmath=fastmath, **wrappers)(function)
    try:
        found._cache = _PatientCache(function, (bounded, exact, wrapped))  # noqa: SLF001
    except RuntimeError:  # numba finds no folder that it may write into
        _tell("no folder for it can be written")
    return cast(_Function, found)


def inner(function: _Function) -> _Function:
    """The function, compiled when a compiled one first calls it; Python cannot call it."""
    return compiled(function, wrapped=False)
