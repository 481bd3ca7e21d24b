"""Values as plain words and arrays, and back: what a model file says of a prepared family and its machine.

Numbers, words, None, tuples, lists, mappings, arrays and attrs classes can be written. A class is found again by its
name among those that the annotations of its owner name, a family or a criterion by its name among the plugins. So a
file can ask for nothing else, and nothing in it is ever executed.
"""

import json
import math
import numbers
from collections.abc import Callable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any, NoReturn, TypeVar

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import ModelFileError
from kernelopt._families.dictionary._mean_embedding import MeanEmbedded
from kernelopt._families.features._landmarks import Landmarks
from kernelopt._families.variances._lacking import Lacking
from kernelopt._io._container import storable
from kernelopt._io._hints import PLUGGED, fits, hints_of, reachable
from kernelopt._plugins._registry import Kind, registry

Array = npt.NDArray[Any]
Value = TypeVar("Value")

_UNLISTED: Mapping[tuple[Kind, str], type] = MappingProxyType(
    {("family", one.name): one for one in (Lacking, Landmarks, MeanEmbedded)}
)
"""What no user names: the core makes it."""
_LONGEST_WORD = 1 << 18
"""In bytes, for every label takes the room of the longest."""


def encoded(value: Any) -> tuple[Any, dict[str, Array]]:
    """The fields of an attrs value as JSON, and the arrays that this names.

    Raises:
        ModelFileError: it holds something that a file has no words for.
    """
    written = _Written()
    return _fields(value, written, reachable(type(value))), written.arrays


def decoded(plain: Any, arrays: Mapping[str, Array], root: type[Value]) -> Value:
    """The value of class `root` whose fields were encoded.

    Raises:
        ModelFileError, or whatever the classes say to such fields.
    """
    return _restored(plain, _Read(arrays), root, reachable(root))


@attrs.frozen(eq=False)
class _Written:
    """What is in words already: what two values share is written once.

    Attributes:
        arrays: by the names that the words have for them.
        known: values by their identity, each beside its words, so that it lives as long as these.
    """

    arrays: dict[str, Array] = attrs.field(factory=dict)
    known: dict[int, tuple[Any, Any]] = attrs.field(factory=dict)

    def once(self, value: Any, words: Callable[[], Any]) -> Any:
        """The words for a value, which are looked for where it has none."""
        if id(value) not in self.known:
            self.known[id(value)] = value, words()
        return self.known[id(value)][1]


@attrs.frozen(eq=False)
class _Read:
    """What is read already: what two values shared when they were written they share again.

    Attributes:
        arrays: by their names.
        known: values of attrs classes, by their class and their words.
    """

    arrays: Mapping[str, Array]
    known: dict[tuple[type, str], Any] = attrs.field(factory=dict)

    def once(self, cls: type, plain: Any, value: Callable[[], Any]) -> Any:
        """The value of a class with these words, which is made where it is not known."""
        words = cls, json.dumps(plain, sort_keys=True)
        if words not in self.known:
            self.known[words] = value()
        return self.known[words]


def _plain(value: Any, written: _Written, scope: Mapping[str, type], where: str) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)  # numpy's words are Python's in a file
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value) if math.isfinite(value) else {"number": str(float(value))}
    if isinstance(value, np.ndarray):
        return written.once(value, lambda: _stored(value, written.arrays, where))
    if isinstance(value, tuple):
        return [_plain(item, written, scope, where) for item in value]
    if isinstance(value, list):
        return {"list": [_plain(item, written, scope, where) for item in value]}
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {"mapping": {key: _plain(item, written, scope, where) for key, item in value.items()}}
    for kind, base in PLUGGED:
        if isinstance(value, base):
            return {kind: _offered(kind, type(value)), "fields": _fields(value, written, reachable(type(value)))}
    if scope.get(type(value).__name__) is not type(value):
        _no_words(f"{where} is {_called(value)}")
    if isinstance(value, Enum):
        return {"enumeration": type(value).__name__, "member": value.name}
    return written.once(value, lambda: {"class": type(value).__name__, "fields": _fields(value, written, scope)})


def _offered(kind: Kind, cls: type[Any]) -> str:
    """The name under which a plugin offers this class."""
    if registry().classes.get((kind, cls.name), _UNLISTED.get((kind, cls.name))) is not cls:
        _no_words(f"the {kind} {cls.__name__} is offered by no plugin")
    return str(cls.name)


def _fields(value: Any, written: _Written, scope: Mapping[str, type]) -> dict[str, Any]:
    """What the constructor of an attrs value takes; what the value computes from it is computed again."""
    named = ((field.name, str(field.alias)) for field in attrs.fields(type(value)) if field.init)
    return {
        alias: _plain(getattr(value, name), written, scope, f"`{name}` of {type(value).__name__}")
        for name, alias in named
    }


def _stored(array: Array, arrays: dict[str, Array], where: str) -> dict[str, Any]:
    """An array by its name; the order of its numbers in memory is kept, on which the last bits of products depend."""
    if array.dtype.kind in "US":
        words = array.astype(str)
        return {"words": words.ravel().tolist(), "dtype": array.dtype.str, "shape": list(array.shape)}
    if not storable(array):
        _no_words(f"{where} is an array of dtype {array.dtype}")
    name = f"array{len(arrays)}"
    turned = array.flags.f_contiguous and not array.flags.c_contiguous
    arrays[name] = array.T if turned else array
    return {"array": name, "transposed": True} if turned else {"array": name}


def _is_words(dtype: str) -> bool:
    """Whether a dtype is one of words, of a length that labels may have."""
    return dtype[1:2] in ("U", "S") and np.dtype(dtype).itemsize <= _LONGEST_WORD


def _called(value: Any) -> str:
    return f"the function {value.__name__!r}" if hasattr(value, "__name__") else f"a {type(value).__name__}"


def _no_words(what: str) -> NoReturn:
    raise ModelFileError(
        f"the model cannot be saved: {what}; a model file holds numbers, words, arrays and what the annotations of a "
        "plugin's family name, and no functions and no Gram of the training data: see docs/model-files.md"
    )


def _value(plain: Any, read: _Read, scope: Mapping[str, type]) -> Any:
    if plain is None or isinstance(plain, bool | str | int | float):
        return plain
    if isinstance(plain, list):
        return tuple(_value(item, read, scope) for item in plain)
    match plain:
        case {"number": "inf" | "-inf" | "nan" as text}:
            return float(text)
        case {"array": str(name), **rest} if name in read.arrays:
            return read.arrays[name].T if rest.get("transposed") is True else read.arrays[name]
        case {"words": list(words), "dtype": str(dtype), "shape": list(shape)} if _is_words(dtype):
            return np.array(words, dtype=str).astype(dtype).reshape(shape)
        case {"list": list(items)}:
            return [_value(item, read, scope) for item in items]
        case {"mapping": dict(items)}:
            return {key: _value(item, read, scope) for key, item in items.items()}
        case {"enumeration": str(name), "member": str(member)} if issubclass(scope.get(name, int), Enum):
            return scope[name][member]  # type: ignore[index]
        case {"class": str(name), "fields": fields} if attrs.has(scope.get(name, int)):
            return read.once(scope[name], fields, lambda: _restored(fields, read, scope[name], scope))
    for kind, _ in PLUGGED:
        if isinstance(plain.get(kind), str):
            cls = _UNLISTED.get((kind, plain[kind])) or registry().find(kind, plain[kind])
            return _restored(plain.get("fields"), read, cls, reachable(cls))
    raise ModelFileError(f"is broken: it has {str(plain)[:60]!r}, which is no value of this format")


def _restored(plain: Any, read: _Read, cls: type[Value], scope: Mapping[str, type]) -> Value:
    hints = hints_of(cls)
    if not (isinstance(plain, Mapping) and plain.keys() <= hints.keys()):
        raise ModelFileError(f"is broken, or of a later version: {cls.__name__} has other fields here")
    fields = {name: _value(item, read, scope) for name, item in plain.items()}
    for name, value in fields.items():
        if not fits(value, hints[name]):
            raise ModelFileError(
                f"is broken: `{name}` of {cls.__name__} is {_called(value)}, its annotation says another"
            )
    return cls(**fields)
