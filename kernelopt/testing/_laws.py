"""How a law is stated, and how it is reported broken."""

import dataclasses
import gc
import json
import pickle
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._plugins._registry import unusable

Anything = TypeVar("Anything")

_SINGLE = 1e-6
"""So far float32 is from the truth, relative."""
_LEAST_SINGLE = 1e-8
"""So near is float32 to the truth in none but a few entries."""
_WINDOWS = 3
"""How often what calls keep is measured."""
_MANY = 10
"""So many different values of exactly the digits of float32 are no chance."""


class LawBroken(AssertionError):
    """The error that says that a plugin breaks a law of its contract.

    Attributes:
        law: the name of the law, such as "gram-symmetric".
    """

    def __init__(self, law: str, detail: str) -> None:
        super().__init__(f"LAW {law}: {detail}")
        self.law = law


FROZEN = "an attribute of a frozen object is set"
SINGLE = "float32, which has seven digits"


def demand_kind(value: Any, kind: type, law: str, what: str, example: str = "") -> None:
    """Raise `LawBroken` where a method returned something else than it must."""
    got = "None; does it end with a return?" if value is None else type(value).__name__
    demand(isinstance(value, kind), law, f"{what} must return a {kind.__name__}{example}, got {got}")


def is_frozen(error: BaseException) -> bool:
    """Whether somebody set an attribute of a frozen object."""
    return isinstance(error, attrs.exceptions.FrozenError | dataclasses.FrozenInstanceError)


def demand(held: bool | np.bool_, law: str, detail: str) -> None:
    """Raise `LawBroken` unless the law held."""
    if not held:
        raise LawBroken(law, detail)


def demand_close(
    got: Any, wanted: Any, law: str, detail: str, *, tolerance: float = 1e-9, scale: float | None = None
) -> None:
    """Raise `LawBroken` unless two arrays agree to `tolerance` times their size.

    Args:
        got: from the plugin.
        wanted: of the same shape.
        law: its name.
        detail: what the law says.
        tolerance: relative to `scale`.
        scale: what the entries are measured by; the largest entry of `wanted` where None.
    """
    narrow = is_single(np.asarray(got))
    left, right = np.asarray(got, dtype=float), np.asarray(wanted, dtype=float)
    demand(left.shape == right.shape, law, f"{detail}; got shape {left.shape}, wanted {right.shape}")
    demand(np.isfinite(left).all(), law, f"{detail}; got values that are NaN or infinite")
    if not left.size:
        return
    size = float(np.abs(right).max()) if scale is None else scale
    error = np.abs(left - right)
    where = np.unravel_index(int(np.argmax(error)), error.shape)
    worst = float(error[where])
    position = f" at {tuple(map(int, where))}" if error.ndim else ""
    digits = f"; the values are {SINGLE}: compute in float64" if narrow else ""
    if not narrow and tolerance < _SINGLE and _LEAST_SINGLE * size <= worst <= _SINGLE * size:
        digits = f"; so small a difference is often that of {SINGLE}: compute in float64"
    demand(
        worst <= tolerance * max(size, 1e-300),
        law,
        f"{detail}; got {left[where]:.10g}{position}, wanted {right[where]:.10g}: {worst:.1e} off, size {size:.1e}"
        f"{digits}",
    )


def is_single(array: npt.NDArray[Any]) -> bool:
    """Whether the values are float32, or were: float64 with no more digits than that, and more than a few bits."""
    if array.dtype != np.float64:
        return bool(array.dtype == np.float32)
    with np.errstate(over="ignore"):
        narrow = np.array_equal(array.astype(np.float32), array)
        long = array[(array != np.rint(array)) & (array.astype(np.float16) != array)]
    return narrow and len(np.unique(long)) >= _MANY


def demand_doubles(law: str, **arrays: Any) -> None:
    """Raise `LawBroken` where one of these arrays holds other numbers than float64, or what was computed in float32."""
    for name, values in arrays.items():
        plain = type(values) is np.ndarray
        demand(plain, law, f"{name} must be a numpy array, got {type(values).__name__}; return np.asarray(...)")
        array = np.asarray(values)
        found = SINGLE if array.dtype == np.float32 else str(array.dtype)
        demand(array.dtype == np.float64, law, f"{name} must hold float64, got {found}; compute in float64")
        demand(not is_single(array), law, f"{name} was computed in {SINGLE}, and stored in float64; compute in float64")


def claim(exact: bool) -> str:
    """What a broken ceiling says of what an oracle claims for it."""
    return "exact=True is false: " if exact else ""


def arrays_in(value: Any) -> list[npt.NDArray[Any]]:
    """Every array that a value holds, through tuples, lists, dictionaries and objects; each once."""
    found: list[npt.NDArray[Any]] = []
    seen: set[int] = set()
    queue = [value]
    while queue:
        item = queue.pop()
        if id(item) in seen or item is None or isinstance(item, str | int | float | bool | type):
            continue
        seen.add(id(item))
        if isinstance(item, np.ndarray):
            found.append(item)
        elif isinstance(item, Mapping):
            queue.extend(item.values())
        elif isinstance(item, tuple | list):
            queue.extend(item)
        elif attrs.has(type(item)):
            queue.extend(getattr(item, field.name) for field in attrs.fields(type(item)))
        elif hasattr(item, "__dict__"):
            queue.extend(vars(item).values())
    return found


@contextmanager
def untouched(law: str, act: str, **values: Any) -> Iterator[None]:
    """Raise `LawBroken` where the block changes an array inside one of these values, or what all of numpy shares.

    Every program of a user shares the generator of `np.random.normal` and its kin, and the switches of `np.seterr`.
    """
    before = [(name, array, array.copy()) for name, value in values.items() for array in arrays_in(value)]
    drawn, errors = _shared_generator(), np.geterr()
    yield
    for name, array, copy in before:
        same = array.shape == copy.shape and array.tobytes() == copy.tobytes()
        demand(same, law, f"{act} must leave its inputs as they are, and it changed {name}")
    detail = f"{act} draws from the generator that all of numpy shares, or seeds it; use np.random.default_rng(seed)"
    demand(_shared_generator() == drawn, law, detail)
    changed = np.seterr(**errors)
    detail = f"{act} calls np.seterr, which changes the warnings of all programs; use `with np.errstate(...)`"
    demand(changed == errors, law, detail)


def _shared_generator() -> bytes:
    """Where the generator stands that all of numpy shares."""
    return pickle.dumps(np.random.get_state())  # noqa: NPY002


def demand_keeps_nothing(law: str, what: str, n: int, call: Callable[[int], Any], turns: int = 12) -> None:
    """Raise `LawBroken` where each call keeps half as much memory as an n x n array, or more.

    Args:
        law: its name.
        what: the method that is called.
        n: the number of rows.
        call: calls the method; it gets the number of the call.
        turns: how many calls are measured at a time, after another. What is kept only once is no leak, so the least of
            several measurements counts.
    """
    began = not tracemalloc.is_tracing()
    if began:
        tracemalloc.start()
    try:
        call(-1)
        for window in range(_WINDOWS):
            kept = _kept(call, range(window * turns, (window + 1) * turns), collected=window > 0)
            if kept < 4 * n * n:
                return
    finally:
        if began:
            tracemalloc.stop()
    detail = (
        f"each call of {what} keeps {kept:.0f} bytes for {n} rows, so that a long run has no "
        "memory left; keep no results, or only a few of them"
    )
    raise LawBroken(law, detail)


def _kept(call: Callable[[int], Any], turns: range, *, collected: bool) -> float:
    """How many bytes each of these calls keeps on average; cycles are collected only if asked for, which is slow."""
    before = tracemalloc.get_traced_memory()[0]
    for turn in turns:
        call(turn)
    if collected:
        gc.collect()
    return (tracemalloc.get_traced_memory()[0] - before) / len(turns)


def demand_frozen(value: Any, law: str) -> None:
    """Raise `LawBroken` where an attribute of a value can be set."""
    try:
        value.law_probe = 1
    except AttributeError:
        return
    raise LawBroken(law, f"{type(value).__name__} must be frozen, and an attribute could be set; use attrs.frozen")


def pickled(value: Anything, law: str) -> Anything:
    """A value, pickled and restored; `LawBroken` where it cannot be."""
    try:
        restored: Anything = pickle.loads(pickle.dumps(value))
    except Exception as error:
        raise LawBroken(law, f"{type(value).__name__} cannot be pickled and restored: {error}") from error
    return restored


def through_a_file(value: Anything, law: str) -> Anything:
    """An attrs value as it comes back from a model file; `LawBroken` where no file can hold it."""
    from kernelopt._io._values import decoded, encoded

    try:
        plain, arrays = encoded(value)
        copies = {name: np.array(array) for name, array in arrays.items()}
        return decoded(json.loads(json.dumps(plain)), copies, type(value))
    except Exception as error:
        raise LawBroken(law, f"{type(value).__name__} cannot be saved and loaded: {error}") from error


def demand_line(text: Any, method: str) -> None:
    """None, or one line that is not empty; the law has the method's name."""
    fine = text is None or (isinstance(text, str) and bool(text.strip()) and "\n" not in text)
    demand(fine, method, f"{method} must return None or one line that is not empty, got {text!r}")


def demand_sentence(value: Any, law: str, what: str) -> None:
    """Raise `LawBroken` where a method told the user something else than None or one sentence."""
    readable = value is None or (isinstance(value, str) and " " in value and "\n" not in value)
    demand(readable, law, f"{what} must return None or one sentence for the user, got {value!r}")


def demand_name(value: Any, law: str) -> None:
    """Raise `LawBroken` where a plugin's class has no name that a user could type; a function may be what has it."""
    name = getattr(type(value), "name", None)
    fault = None if name is not None and name == getattr(value, "caller", None) else unusable(name)
    demand(fault is None, law, f"{type(value).__name__} {fault}")
    demand(name == str(name).lower(), law, f"the class variable `name` must be a lower-case word, got {name!r}")
