"""Words that are numbers with a unit, such as 37%, 12 kg and 1.234,50 €, as numbers.

One order reads all words of a column: their unit, and what stands before decimals. An order is a word, as the orders of
dates are.
"""

import re
from collections.abc import Iterable
from types import MappingProxyType

from kernelopt._base._doubles import FARTHEST
from kernelopt._base.tables._number_words import is_unit, parted, pointed

_UNIT = "unit "
_POINT, _COMMA = ", decimal point", ", decimal comma"
_MARKS = MappingProxyType({_POINT: ".", _COMMA: ","})
"""What stands before decimals."""
_CODE = re.compile(r"[+-]?0\d")
"""A number with a zero before it may be a code."""
_PLAIN = re.compile(r"[+-]?\d[\d.,]*")
_SINGLE = frozenset("ghklmstJKLMNVW")
"""Units of one letter; behind a number others may belong to a code, such as 12A."""


def measures_of(words: Iterable[str | float | None]) -> tuple[str, ...]:
    """The orders in which words may be numbers with a unit: with the unit of the first of them that is not missing."""
    first = next((word for word in words if word is not None), None)
    found = parted(first) if isinstance(first, str) else None
    if found is None or not _is_unit(found[0]):
        return ()
    return _order(found[0], _POINT), _order(found[0], _COMMA)


def is_measure(order: str) -> bool:
    """Whether words that are read in this order are numbers with a unit."""
    unit, style = _split(order)
    return order == _order(unit, style) and style in ("", *_MARKS) and _is_unit(unit)


def possible(order: str) -> frozenset[str]:
    """The orders that words may have which were read in this order: both where nothing stands before decimals."""
    unit, style = _split(order)
    if not is_measure(order) or style:
        return frozenset([order])
    return frozenset(_order(unit, style) for style in _MARKS)


def settled(orders: set[str]) -> set[str]:
    """The orders of parts of a column, without those of parts that have no decimals where others show what they are."""
    return {order for order in orders if possible(order) == {order} or possible(order).isdisjoint(orders)}


def settles(orders: set[str]) -> bool:
    """Whether these say how the words of other parts are to be read: parts without decimals do not."""
    return all(possible(order) == {order} for order in orders)


def whole(order: str) -> str:
    """The order of words that are the same numbers whatever stands before decimals."""
    return _order(_split(order)[0], "")


def number_of_word(word: str, order: str) -> float | None:
    """The number that a word says; None where it is none in this order, or may be two."""
    unit, style = _split(order)
    written = _beside(word, unit)
    if written is None or _CODE.match(written):
        return None
    styles = [style] if style else [*_MARKS]
    numbers = {number for one in styles if (number := _number(written, one)) is not None}
    return numbers.pop() if len(numbers) == 1 else None


def told(order: str) -> str:
    """An order in a message: the unit, and what stands before decimals where that is known."""
    return order.removeprefix(_UNIT)


def described(order: str) -> str:
    """What words are that are read in this order."""
    unit, style = _split(order)
    return f"numbers with {unit!r}" + (f" and a {style.removeprefix(', ')}" if style else "")


def unit_of(order: str) -> str:
    """The unit of words that are read in this order."""
    return _split(order)[0]


def _beside(word: str, unit: str) -> str | None:
    """The number beside a unit, as it is written; None if the word has another unit, or is no number."""
    for bare in (word.removesuffix(unit).rstrip(), word.removeprefix(unit).lstrip()):
        if bare != word and _PLAIN.fullmatch(bare):  # nearly all words are such, and found in less time
            return bare
    found = parted(word)
    return found[1] if found is not None and _single(found[0]) == unit else None


def _number(written: str, style: str) -> float | None:
    bare = pointed(written, _MARKS[style])
    if bare is None:
        return None
    number = float(bare)
    return number if abs(number) <= FARTHEST else None


def _is_unit(unit: str) -> bool:
    return is_unit(unit) and not (unit.isalpha() and len(unit) == 1 and unit not in _SINGLE)


def _single(unit: str) -> str:
    """A unit without the s of several: 1 year and 2 years have the same."""
    return unit[:-1] if len(unit) > 3 and unit.endswith("s") and not unit.endswith("ss") else unit


def _order(unit: str, style: str) -> str:
    return f"{_UNIT}{_single(unit)}{style}"


def _split(order: str) -> tuple[str, str]:
    """The unit and the style of an order; no style where the words have no decimals."""
    unit, mark, style = order.removeprefix(_UNIT).partition(", ")
    return unit, mark + style
