"""Words that are numbers, alone or with a unit, and what most of some words are."""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable
from types import MappingProxyType

import attrs

_COMMA = re.compile(r"[+-]?((\d+(,\d*)?|,\d+)(e[+-]?\d+)?|inf(inity)?)", re.IGNORECASE)
"""A number that has a comma before its decimals, if it has any."""
_BEFORE = (
    r"(US|CA|AU|NZ|HK|[ACRS])?\$|[€£¥₹₩₽₺₪]|EUR|USD|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|Rs\.?"
)
_LETTERS = "A-Za-zµμ"
_AFTER = rf"{_BEFORE}|[%‰°]|°?[{_LETTERS}]{{1,12}}[²³23.]?(/[{_LETTERS}]{{1,12}}[²³23]?)?"
_UNIT = re.compile(
    rf"(?P<sign>[+\u2212-])?(?P<before>{_BEFORE})?\s?(?P<number>[+\u2212-]?\d[\d.,'\u2019]*(\s\d{{3}}[\d.,'\u2019]*)*)\s?"
    rf"(?P<after>{_AFTER})?"
)
"""A number with a currency before it, or with a currency, a percent sign or a unit behind it."""
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(?P<mark>[.,'\u2019\s])\d{3}((?P=mark)\d{3})*((?!(?P=mark))[.,]\d*)?")
"""A number with marks between thousands."""
_GROUPS = r"(\d+|[1-9]\d{{0,2}}(?P<mark>[{marks}'\u2019\s])\d{{3}}((?P=mark)\d{{3}})*)"
_WRITTEN = MappingProxyType(
    {
        ".": re.compile(rf"[+-]?({_GROUPS.format(marks=',')}(\.\d*)?|\.\d+)"),
        ",": re.compile(rf"[+-]?({_GROUPS.format(marks='.')}(,\d*)?|,\d+)"),
    }
)
"""Numbers with a point or a comma before their decimals, and perhaps with other marks between thousands."""
_BRACKETS = re.compile(r"\((?P<inside>[^()+\u2212-]+)\)")
"""A number below zero, as accountants write it."""
_BELOW_ZERO = r".str.replace(r'^\((.*)\)$', r'-\1', regex=True)"
"""The code that writes such numbers with a minus sign."""
_BLANKS = re.compile(r"\S\s+\S|[^\S ]")
"""Blanks within a number, or blanks that pandas does not leave out around one."""
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


def pointed(number: str, decimal: str) -> str | None:
    """A number that has this mark before its decimals, a point or a comma, with a point there and nothing between
    thousands, and with a minus sign that Python knows, where it may be in brackets; None if it is written in another
    way.
    """
    if number[:1] in ("(", "\u2212"):
        number = f"-{_opened(number)}" if _in_brackets(number) else number.replace("\u2212", "-")
    if _WRITTEN[decimal].fullmatch(number) is None:
        return None
    for mark in ("'", "\u2019", "," if decimal == "." else "."):
        number = number.replace(mark, "")
    return "".join(number.split()).replace(",", ".")


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
        values = (_value(word) for word in self.numbers if _unit(word) == "")
        return any(not value.is_integer() for value in values if math.isfinite(value))

    def conversion(self, column: str) -> str:
        """The code that makes numbers of a column of pandas that holds these words, and missing values of the others.

        Args:
            column: the code of the column, a `pandas.Series` of words.
        """
        others = ", errors='coerce'" if self.others else ""
        return f"pandas.to_numeric({column}{''.join(self._steps)}{others})"

    @property
    def plain(self) -> bool:
        """Whether pandas reads the numbers as they are."""
        return not self._steps

    @property
    def _steps(self) -> list[str]:
        """The steps of code that leave nothing but numbers with a point before their decimals."""
        bare = [_bare(word, self.unit) for word in self.numbers]
        steps = [_BELOW_ZERO] if any(map(_in_brackets, self.numbers)) else []
        steps += [f".str.replace({self.unit!r}, '')"] if self.unit else []
        return steps + _pointed(bare)


def numerals(words: Iterable[str]) -> Numerals | None:
    """What different words are, if more than half of them are numbers, all with one unit or none; else None."""
    units = {word: _unit(word) for word in dict.fromkeys(words)}
    plain = sum(unit == "" for unit in units.values())
    usual = Counter(unit for unit in units.values() if unit).most_common(1)
    unit = usual[0][0] if usual and 2 * plain <= len(units) else ""
    numbers = tuple(word for word, its in units.items() if its in ("", unit))
    others = tuple(word for word, its in units.items() if its not in ("", unit))
    return Numerals(unit, numbers, others) if 2 * len(numbers) > len(units) else None


def parted(word: str) -> tuple[str, str] | None:
    """The unit beside the number that a word is, or nothing, and the number as it is written, with its sign; None if
    it is no number.
    """
    if reads_as_number(word):
        return "", word.strip()
    found = _measured(word)
    if found is None:
        return None
    below = "-" * _in_brackets(word)
    return found["before"] or found["after"] or "", below + (found["sign"] or "") + found["number"]


def is_unit(word: str) -> bool:
    """Whether a word may stand beside a number as its unit."""
    return bool(word) and (re.fullmatch(_BEFORE, word) or re.fullmatch(_AFTER, word)) is not None


def _unit(word: str) -> str | None:
    """What stands beside the number that a word is: nothing, or a unit; None if it is no number."""
    if reads_as_number(word):
        return ""
    found, inside = _measured(word), _opened(word)
    if found is None:
        return None
    bare = reads_as_number(inside) or _GROUPED.fullmatch(inside) is not None
    return found["before"] or found["after"] or ("" if bare else None)


def _measured(word: str) -> re.Match[str] | None:
    """The parts of a word that looks like a number, perhaps with a unit before or behind it."""
    found = _UNIT.fullmatch(_opened(word))
    if found is None or (found["before"] and found["after"]) or (found["sign"] and not found["number"][0].isdigit()):
        return None
    return found


def _in_brackets(word: str) -> bool:
    return _BRACKETS.fullmatch(word.strip()) is not None


def _opened(word: str) -> str:
    """A word without blanks around it, and without the brackets of a number below zero."""
    found = _BRACKETS.fullmatch(word.strip())
    return word.strip() if found is None else found["inside"].strip()


def _bare(word: str, unit: str) -> str:
    """The number of a word with this unit or none, as it is written."""
    opened = _opened(word)
    return opened.replace(unit, "", 1) if unit else opened


def _pointed(numbers: Collection[str]) -> list[str]:
    """The steps of code that leave numbers with nothing between thousands, and a point before decimals."""
    comma = any(_decimal(number) == "," for number in numbers)
    marks = [mark for mark in ("'", "\u2019", "." if comma else ",") if any(mark in number for number in numbers)]
    steps = [f".str.replace({mark!r}, '')" for mark in marks]
    steps += [r".str.replace(r'\s', '', regex=True)"] if any(map(_BLANKS.search, numbers)) else []
    return steps + ([".str.replace(',', '.')"] if comma else [])


def _decimal(number: str) -> str:
    """What stands before the decimals of a number that may have marks between thousands; a point where both may."""
    points, commas = number.count("."), number.count(",")
    if points and commas:
        return max(".,", key=number.rfind)
    grouped = _GROUPED.fullmatch(number.strip())
    thousands = grouped is not None and grouped["mark"] == ","
    return "," if points > 1 or (commas == 1 and not thousands) else "."


def _value(word: str) -> float:
    """The value of a number without a unit, but for its sign."""
    number = re.sub(r"['\u2019\s]", "", _opened(word))
    if is_number(number):
        return float(number)
    comma = is_comma_number(number) or _decimal(number) == ","
    return float(number.replace(".", "").replace(",", ".") if comma else number.replace(",", ""))


def first_other(words: Collection[str], unit: str = "") -> tuple[int, str] | None:
    """The first of these words that is no number, nor one with this unit, and its place; None if there is none."""
    return next(((i, word) for i, word in enumerate(words) if _unit(word) not in ("", unit)), None)
