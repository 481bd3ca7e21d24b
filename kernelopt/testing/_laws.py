"""How a law is stated, and how it is reported broken."""

import json
import pickle
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import attrs
import numpy as np
import numpy.typing as npt

Anything = TypeVar("Anything")


class LawBroken(AssertionError):
    """A plugin breaks a law of its contract.

    Attributes:
        law: its name, such as "gram-symmetric".
    """

    def __init__(self, law: str, detail: str) -> None:
        super().__init__(f"LAW {law}: {detail}")
        self.law = law


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
    narrow = np.asarray(got).dtype == np.float32
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
    digits = "; the values are float32, which has seven digits: compute in float64" if narrow else ""
    demand(
        worst <= tolerance * max(size, 1e-300),
        law,
        f"{detail}; got {left[where]:.10g}{position}, wanted {right[where]:.10g}: {worst:.1e} off, size {size:.1e}"
        f"{digits}",
    )


def demand_doubles(law: str, **arrays: Any) -> None:
    """Raise `LawBroken` where one of these arrays holds other numbers than float64."""
    for name, array in arrays.items():
        dtype = np.asarray(array).dtype
        digits = ", which has seven digits" if dtype == np.float32 else ""
        detail = f"{name} must hold float64, got {dtype}{digits}; convert with astype(np.float64), or compute in it"
        demand(dtype == np.float64, law, detail)


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
    """Raise `LawBroken` where an array inside one of these values changes within the block."""
    before = [(name, array, array.copy()) for name, value in values.items() for array in arrays_in(value)]
    yield
    for name, array, copy in before:
        same = array.shape == copy.shape and array.tobytes() == copy.tobytes()
        demand(same, law, f"{act} must leave its inputs as they are, and it changed {name}")


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


def demand_name(value: Any, law: str) -> None:
    """Raise `LawBroken` where a plugin's class has no name that a user could type."""
    name = getattr(type(value), "name", None)
    readable = isinstance(name, str) and name == name.strip().lower() and " " not in name and bool(name)
    demand(readable, law, f"the class variable `name` must be a lower-case word, got {name!r}")
