"""Words that are numbers, alone or with a unit, and what most of some words are."""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable

import attrs

_COMMA = re.compile(r"[+-]?((\d+(,\d*)?|,\d+)(e[+-]?\d+)?|inf(inity)?)", re.IGNORECASE)
"""A number that has a comma before its decimals, if it has any."""
_CURRENCY = r"[€$£¥₹]|EUR|USD|GBP|CHF|JPY"
_UNIT = re.compile(
    rf"(?P<before>{_CURRENCY})?\s?(?P<number>[+-]?\d[\d.,']*)\s?(?P<after>{_CURRENCY}|[%‰]|°?[A-Za-zµμ]{{1,4}}[²³23]?"
    r"(/[A-Za-zµμ]{1,4}[²³23]?)?)?"
)
"""A number with a currency before it, or with a currency, a percent sign or a unit behind it."""
_FEW = 20
"""So many different whole numbers may be classes."""


def is_number(word: str | float) -> bool:
    """Whether it is one, infinite ones among them. An underscore is no part of a number, as it is in Python."""
    try:
        float(word)
    except ValueError:
        return False
    return not (isinstance(word, str) and "_" in word)


def reads_as_number(word: str) -> bool:
    """Whether a word is a number with a point or a comma before its decimals."""
    return is_number(word) or _COMMA.fullmatch(word.strip()) is not None


def is_comma_number(word: str) -> bool:
    """Whether a word is a number with a comma before its decimals, if it has any."""
    return _COMMA.fullmatch(word) is not None


@attrs.frozen
class Numerals:
    """What some words are, if most of them are numbers.

    Attributes:
        unit: what stands before or behind the numbers, or nothing.
        numbers: the words that are numbers, alone or with this unit.
        others: the words that are not.
    """

    unit: str
    numbers: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def measured(self) -> bool:
        """Whether these would be learned as numbers: they are many, or have decimals; 007 is a code."""
        bare = {word.strip() for word in self.numbers}
        if any(word.isdigit() and word[0] == "0" != word for word in bare):
            return False
        return len(bare) > _FEW or (len(bare) > 2 and any(mark in word for word in bare for mark in ".,"))

    @property
    def fractional(self) -> bool:
        """Whether some are bare numbers that are not whole: codes of classes are whole."""
        values = (float(word.strip().replace(",", ".")) for word in self.numbers if _unit(word) == "")
        return any(not value.is_integer() for value in values if math.isfinite(value))


def numerals(words: Iterable[str]) -> Numerals | None:
    """What different words are, if more than half of them are numbers, all with one unit or none; else None."""
    units = {word: _unit(word) for word in dict.fromkeys(words)}
    plain = sum(unit == "" for unit in units.values())
    usual = Counter(unit for unit in units.values() if unit).most_common(1)
    unit = usual[0][0] if usual and 2 * plain <= len(units) else ""
    numbers = tuple(word for word, its in units.items() if its in ("", unit))
    others = tuple(word for word, its in units.items() if its not in ("", unit))
    return Numerals(unit, numbers, others) if 2 * len(numbers) > len(units) else None


def _unit(word: str) -> str | None:
    """What stands beside the number that a word is: nothing, or a unit; None if it is no number."""
    if reads_as_number(word):
        return ""
    found = _UNIT.fullmatch(word.strip())
    if found is None or (found["before"] and found["after"]):
        return None
    return found["before"] or found["after"]


def first_other(words: Collection[str], unit: str = "") -> tuple[int, str] | None:
    """The first of these words that is no number, nor one with this unit, and its place; None if there is none."""
    return next(((i, word) for i, word in enumerate(words) if _unit(word) not in ("", unit)), None)
