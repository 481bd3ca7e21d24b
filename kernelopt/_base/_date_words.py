"""Words that are dates, in the forms of ISO 8601 and of day, month and year in any order."""

import datetime as dt
import re
from collections.abc import Collection, Iterable

from kernelopt._base._number_words import is_number

_TIME = r"([T ]\s*\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?\s?([AaPp][Mm])?)?"
_ORDERS = (
    re.compile(rf"(?P<a>\d{{1,2}})(?P<mark>[./-])\s?(?P<b>\d{{1,2}})(?P=mark)\s?\d{{4}}{_TIME}"),
    re.compile(rf"(?P<a>\d{{2}})(?P<mark>[./-])(?P<b>\d{{2}})(?P=mark)\d{{2}}{_TIME}"),
    re.compile(rf"\d{{4}}(?P<mark>[./-])(?P<a>\d{{1,2}})(?P=mark)(?P<b>\d{{1,2}}){_TIME}"),
)
"""Day and month, which is either, before or after the year; 1.2.10 may be a version."""


def dates_mostly(words: Collection[str | float]) -> bool:
    """Whether more than half of these words are dates."""
    return 2 * sum(map(is_date, words)) > len(words)


def first_date(words: Iterable[str | float]) -> str:
    """The first of these words that is a date; one is."""
    return str(next(filter(is_date, words)))


def days_since_first(date: str) -> str:
    """How a number is made of a column of dates such as this one."""
    order = "" if _iso(date) else ", dayfirst=True"
    month = "" if _iso(date) else " (dayfirst=False if the month comes first)"
    return f"the days since the first with t = pandas.to_datetime(column{order}){month} and (t - t.min()).dt.days"


def is_date(word: str | float) -> bool:
    """Whether it begins with a date of ISO 8601, or is one with day, month and year."""
    text = str(word).strip()
    if not _iso(text):
        return any(_in_year(found) for order in _ORDERS if (found := order.fullmatch(text)) is not None)
    return not is_number(word)


def _iso(text: str) -> bool:
    """Whether it begins with a date of ISO 8601."""
    try:
        dt.date.fromisoformat(text.strip()[:10])
    except ValueError:
        return False
    return True


def _in_year(found: re.Match[str]) -> bool:
    """Whether one of two numbers may be a month, and the other a day."""
    month, day = sorted((int(found["a"]), int(found["b"])))
    return 1 <= month <= 12 and day <= 31
