"""From a TOML file to a table; a mistake in the file is told with the name of the file and of its part."""

import difflib
import math
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, TypeVar, cast

import attrs

from kernelopt._base._errors import InvalidOption, UnknownName
from kernelopt._base._options import is_number
from kernelopt.cli.papers._definition import QUANTITIES, Axis, Method, Number, Numbers, Protocol, Rows, Table

Value = TypeVar("Value")
_SUFFIX = ".toml"


def names() -> tuple[str, ...]:
    """The tables that there are, sorted."""
    entries = (files("kernelopt.cli.papers") / "tables").iterdir()
    return tuple(sorted(one.name.removesuffix(_SUFFIX) for one in entries if one.name.endswith(_SUFFIX)))


def load(key: str) -> Table:
    """The table of this name.

    Raises:
        UnknownName: there is none.
        InvalidOption: its file is broken.
    """
    if key not in names():
        close = difflib.get_close_matches(key, names(), n=1, cutoff=0.5)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise UnknownName(f"no table is called {key!r}; {hint}there are {', '.join(names())}")
    text = (files("kernelopt.cli.papers") / "tables" / f"{key}{_SUFFIX}").read_text(encoding="utf-8")
    return table_of(key, text)


def table_of(key: str, text: str) -> Table:
    """The table that this text of a TOML file describes.

    Raises:
        InvalidOption: it is no TOML, or not a table.
    """
    try:
        held = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidOption(f"the table {key} is no TOML file ({error})") from None
    axis = held.get("axis")
    places = _places(axis)
    parts = {
        "protocol": _made(Protocol, held.get("protocol", {}), f"{key}, protocol"),
        "methods": tuple(_made(Method, one, f"{key}, methods") for one in _listed(held, "methods", key)),
        "sets": tuple(
            _made(Rows, _with_numbers(one, places, key), f"{key}, sets") for one in _listed(held, "sets", key)
        ),
        "axis": None if axis is None else _made(Axis, axis, f"{key}, axis"),
    }
    return _made(Table, {**held, **parts, "key": key}, key)


def _places(axis: Any) -> int | None:
    """For how many places of the axis a paper has numbers; None: for all of them together."""
    if not isinstance(axis, dict) or axis.get("average") or not isinstance(axis.get("values"), list):
        return None
    return len(axis["values"])


def _listed(held: Mapping[str, Any], name: str, key: str) -> list[Any]:
    found = held.get(name, [])
    if not isinstance(found, list):
        raise InvalidOption(f"the table {key}: {name} is no list; write [[{name}]] above each of its entries")
    return found


def _made(kind: type[Value], entries: Any, where: str) -> Value:
    """A value of this class from the entries of a part of the file."""
    if not isinstance(entries, dict):
        raise InvalidOption(f"the table {where}: got {entries!r}, wanted entries such as name = ...")
    known = {field.name: field.default is attrs.NOTHING for field in attrs.fields(cast("type[Any]", kind))}
    for name in entries:
        if name not in known:
            raise InvalidOption(f"the table {where}: no entry is called {name!r}; there are {', '.join(known)}")
    missing = [name for name, needed in known.items() if needed and name not in entries]
    if missing:
        raise InvalidOption(f"the table {where}: {', '.join(missing)} is missing")
    try:
        return kind(**entries)
    except InvalidOption as error:
        raise InvalidOption(f"the table {where}: {error}") from None


def _with_numbers(entries: Any, places: int | None, key: str) -> Any:
    """The entries of a set with the paper's numbers as values; `places` on the axis, None without an axis."""
    if not isinstance(entries, dict) or "paper" not in entries:
        return entries
    where = f"the table {key}, sets, {entries.get('name')}, paper"
    found: Numbers = {
        method: {quantity: _numbers(value, places, f"{where}.{method}.{quantity}") for quantity, value in told.items()}
        for method, told in entries["paper"].items()
    }
    for told in found.values():
        for quantity in told:
            if quantity not in QUANTITIES:
                raise InvalidOption(f"{where}: {quantity!r} is no quantity; there are {', '.join(QUANTITIES)}")
    return {**entries, "paper": found}


def _numbers(value: Any, places: int | None, where: str) -> tuple[Number | None, ...]:
    if places is None:
        return (_number(value, where),)
    if not isinstance(value, list) or len(value) != places:
        raise InvalidOption(
            f"{where}: got {value!r}, wanted a list of {places} numbers, one for each place of the axis"
        )
    return tuple(_number(one, where) for one in value)


def _number(value: Any, where: str) -> Number | None:
    """A number, or a number and its deviation; nan stands for what the paper does not have."""
    if isinstance(value, float) and math.isnan(value):
        return None
    if is_number(value):
        return float(value), None
    if isinstance(value, list) and len(value) == 2 and all(map(is_number, value)):
        return float(value[0]), float(value[1])
    raise InvalidOption(f"{where}: got {value!r}, wanted a number, or a number and its deviation such as [23.5, 2.0]")
