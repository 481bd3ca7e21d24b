"""Words that are dates, in the forms of ISO 8601, of day, month and year in any order, and with names of months; and
words that are times.
"""

import datetime as dt
import re
from collections.abc import Collection, Iterable

from kernelopt._base.tables._dates import MONTH, TIMES, day_of_word
from kernelopt._base.tables._number_words import is_number

_TIME = r"([T ]\s*\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?\s?([AaPp][Mm])?)?"
_ORDERS = (
    re.compile(rf"(?P<a>\d{{1,2}})(?P<mark>[./-])\s?(?P<b>\d{{1,2}})(?P=mark)\s?\d{{4}}{_TIME}"),
    re.compile(rf"(?P<a>\d{{2}})(?P<mark>[./-])(?P<b>\d{{2}})(?P=mark)\d{{2}}{_TIME}"),
    re.compile(rf"(?P<a>\d{{1,2}})/(?P<b>\d{{1,2}})/\d{{2}}{_TIME}"),
    re.compile(rf"\d{{4}}(?P<mark>[./-])(?P<a>\d{{1,2}})(?P=mark)(?P<b>\d{{1,2}}){_TIME}"),
)
"""Day and month, which is either, before or after the year; 1.2.10 may be a version."""
_NAMED = re.compile(
    rf"((?P<day>\d{{1,2}})(?P<mark>[ ./-]){MONTH}(?P=mark)(\d{{4}}|\d{{2}})"
    rf"|{MONTH} (?P<then>\d{{1,2}}),? \d{{4}}){_TIME}"
    rf"|{MONTH}[ -]\d{{4}}",
    re.IGNORECASE,
)
"""A date whose month is a word, with a day or without one."""
_YEAR_AND_MONTH = re.compile(r"(19|20)\d{2}-(0[1-9]|1[0-2])")


def dates_mostly(words: Collection[str | float]) -> bool:
    """Whether more than half of these words are dates."""
    return 2 * sum(map(is_date, words)) > len(words)


def times_mostly(words: Collection[str | float]) -> bool:
    """Whether more than half of these words are times without a date."""
    return 2 * sum(map(is_time, words)) > len(words)


def first_date(words: Iterable[str | float], default: str = "") -> str:
    """The first of these words that is a date; another one where none is."""
    return next(map(str, filter(is_date, words)), default)


def no_date(words: Iterable[str | float]) -> str | None:
    """The first of these words that is none; None where all are dates."""
    return next((str(word) for word in words if not is_date(word)), None)


def made_dates(date: str, option: str = "") -> str:
    """How pandas makes dates of a column of words such as this one, perhaps with an option."""
    clear = _iso(date) or _named(date)
    order = "" if clear else ", dayfirst=True"
    month = "" if clear else " (dayfirst=False if the month comes first)"
    return f"pandas.to_datetime(column{order}{option and f', {option}'}){month}"


def days_since_first(date: str) -> str:
    """How a number is made of a column of dates such as this one."""
    return f"the days since the first with t = {made_dates(date)} and (t - t.min()).dt.days"


def is_date(word: str | float) -> bool:
    """Whether it begins with a date of ISO 8601, or is one with day, month and year, or with month and year."""
    text = str(word).strip()
    if _named(text):
        return True
    if not _iso(text):
        return any(_in_year(found) for order in _ORDERS if (found := order.fullmatch(text)) is not None)
    return not is_number(word)


def is_time(word: str | float) -> bool:
    """Whether it is a time without a date, such as 7:30 or 2:05:33."""
    return any(day_of_word(str(word).strip(), order) is not None for order in TIMES)


def _named(text: str) -> bool:
    """Whether it is a date that cannot be misread: its month is a word, or it is a year and a month."""
    found = _NAMED.fullmatch(text.strip())
    if found is None:
        return _YEAR_AND_MONTH.fullmatch(text.strip()) is not None
    return 1 <= int(found["day"] or found["then"] or 1) <= 31


def _iso(text: str) -> bool:
    """Whether it begins with a date of ISO 8601, and not with a week, which pandas does not read."""
    if "W" in text:
        return False
    try:
        dt.date.fromisoformat(text.strip()[:10])
    except ValueError:
        return False
    return True


def _in_year(found: re.Match[str]) -> bool:
    """Whether one of two numbers may be a month, and the other a day."""
    month, day = sorted((int(found["a"]), int(found["b"])))
    return 1 <= month <= 12 and day <= 31
