"""How a law is stated, and how it is reported broken."""

import json
import pickle
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, TypeVar

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt.testing._pytest import pytest

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
    demand(
        worst <= tolerance * max(size, 1e-300),
        law,
        f"{detail}; got {left[where]:.10g}{position}, wanted {right[where]:.10g}: {worst:.1e} off, size {size:.1e}",
    )


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


def broken_laws(suite: object) -> Mapping[str, str]:
    """Run every law of a suite, outside of pytest; what does not apply is left out.

    Args:
        suite: an instance of a subclass of `FamilySuite`, `CriterionSuite` or `SolverSuite`.

    Returns:
        For each broken law its message. A test that ends with another exception counts under its own name.
    """
    broken: dict[str, str] = {}
    for name in sorted(dir(suite)):
        if not name.startswith("test_"):
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                getattr(suite, name)()
        except pytest.skip.Exception:
            continue
        except LawBroken as error:
            broken[error.law] = str(error)
        except Exception as error:
            broken[name] = f"{type(error).__name__}: {error}"
    return MappingProxyType(broken)
