"""What the annotations of a class say: which classes its values may hold, and whether a value fits."""

import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

import attrs
import numpy as np

from kernelopt._base._errors import ModelFileError
from kernelopt._criteria._contract import Criterion
from kernelopt._families._contract import KernelFamily
from kernelopt._plugins._registry import Kind

PLUGGED: tuple[tuple[Kind, type], ...] = (("family", KernelFamily), ("criterion", Criterion))
"""What plugins offer: its classes are found by name, and have annotations of their own to follow."""


def hints_of(cls: type) -> Mapping[str, Any]:
    """The annotation of each field of an attrs class that its constructor takes, by the constructor's name for it.

    Raises:
        ModelFileError: an annotation names what is not imported when the program runs.
    """
    try:
        hints = get_type_hints(cls)
    except NameError as error:
        raise ModelFileError(
            f"the annotations of {cls.__name__} cannot be read: {error}; import it at run time"
        ) from None
    return {field.alias or field.name: hints.get(field.name, Any) for field in attrs.fields(cls) if field.init}


def reachable(root: type) -> Mapping[str, type]:
    """The attrs classes and enumerations that the annotations of a class name, through each other, with subclasses.

    They are all that a file can ask for. What plugins offer is not followed.

    Raises:
        ModelFileError: two of them have the same name.
    """
    found: dict[str, type] = {}
    queue = [root]
    while queue:
        cls = queue.pop()
        if found.setdefault(cls.__name__, cls) is not cls:
            raise ModelFileError(f"the annotations of {root.__name__} name two classes called {cls.__name__}")
        named = _classes(hints_of(cls).values()) if attrs.has(cls) else ()
        queue += [one for part in named for one in _family_tree(part) if one not in found.values()]
    return found


def _classes(hints: Any) -> Iterator[type]:
    """The classes within annotations that are worth following."""
    for hint in hints:
        if get_args(hint):
            yield from _classes(get_args(hint))
        elif isinstance(hint, type) and not any(issubclass(hint, base) for _, base in PLUGGED):
            yield hint


def _family_tree(cls: type) -> Iterator[type]:
    """A class with its subclasses, as far as they are attrs classes in their own right, or enumerations."""
    # With slots attrs makes a second class, and the first may still be listed as a subclass.
    if "__attrs_attrs__" in vars(cls) or issubclass(cls, Enum):
        yield cls
    if cls is not object and cls.__module__ != "builtins":
        subclasses: list[type] = type.__subclasses__(cls)
        for subclass in subclasses:
            yield from _family_tree(subclass)


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is what an annotation says; an annotation of a kind that is not known here says nothing."""
    if hint is Any:
        return True
    if hint is None:
        return value is None
    kind, parts = get_origin(hint), get_args(hint)
    if kind in (Union, types.UnionType):
        return any(fits(value, part) for part in parts)
    if kind is Literal:
        return any(type(value) is type(part) and value == part for part in parts)
    if kind is ClassVar or kind is Callable:
        return False
    if kind is np.ndarray:
        return isinstance(value, np.ndarray) and _same_kind(value, parts[1])
    if kind is tuple:
        return _fits_tuple(value, parts)
    if isinstance(kind, type) and issubclass(kind, Mapping):
        return isinstance(value, Mapping) and all(fits(k, parts[0]) and fits(v, parts[1]) for k, v in value.items())
    if isinstance(kind, type) and issubclass(kind, Sequence):
        return isinstance(value, kind) and all(fits(item, parts[0]) for item in value)
    if hint is float:
        return isinstance(value, float | int) and not isinstance(value, bool)
    if hint is int:
        return type(value) is int
    return isinstance(value, hint) if isinstance(hint, type) else True


def _fits_tuple(value: Any, parts: tuple[Any, ...]) -> bool:
    if not isinstance(value, tuple):
        return False
    if len(parts) == 2 and parts[1] is Ellipsis:
        return all(fits(item, parts[0]) for item in value)
    return len(value) == len(parts) and all(map(fits, value, parts))


def _same_kind(value: Any, dtype: Any) -> bool:
    """Whether an array holds integers, floating point numbers or truth values, as its annotation says."""
    wanted = get_args(dtype)
    if not wanted or wanted[0] is Any or not isinstance(wanted[0], type):
        return True
    return bool(np.issubdtype(value.dtype, _GENERAL.get(np.dtype(wanted[0]).kind, wanted[0])))


_GENERAL: Mapping[str, type] = types.MappingProxyType(
    {"f": np.floating, "i": np.integer, "u": np.integer, "b": np.bool_}
)
