"""Dates, times and durations as numbers: the days since 1970-01-01, parts of a day, and the days that they last; and
which words of a column are these, or numbers with a unit.
"""

import datetime as dt
import math
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from kernelopt._base._typing import FloatArray
from kernelopt._base.tables._measures import described, is_measure, measures_of, number_of_word, whole

_TIME = (
    r"([T ]\s*(?P<hour>\d{1,2}):(?P<minute>\d{2})(:(?P<second>\d{2})([.,](?P<part>\d+))?)?"
    r"(\s?(?P<half>[ap])m)?(\s?(?P<zone>Z|UTC|GMT|[+-]\d{2}(:?\d{2})?))?)?"
)
_CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>[0-5]\d):(?P<second>[0-5]\d)([.,](?P<part>\d+))?"
_HALF = r"(\s?(?P<half>[ap])\.?m\.?)?"
_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = (
    r"(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sep(t(ember)?)?|oct(ober)?|nov(ember)?|"
    r"dec(ember)?)"
)


def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


CLEAR, DAY_FIRST, MONTH_FIRST = "", "day first", "month first"
MINUTES, SECONDS = "hours and minutes", "hours, minutes and seconds"
TIMES = (MINUTES, SECONDS)
"""Words that are times without a date; in a column with both kinds 2:05 may be minutes and seconds."""
DURATIONS = "durations"
"""Words that say how many days something lasts, with hours, minutes and seconds or without."""
ORDERS = (CLEAR, DAY_FIRST, MONTH_FIRST, *TIMES, DURATIONS)
"""In which order the words of dates, times and durations are written."""
_FORMS = MappingProxyType(
    {
        CLEAR: (
            _form(rf"(?P<year>\d{{4}})(?P<mark>[./-])(?P<month>\d{{1,2}})(?P=mark)(?P<day>\d{{1,2}}){_TIME}"),
            _form(r"(?P<year>(19|20)\d{2})-(?P<month>\d{2})"),
            _form(r"(?P<year>(19|20)\d{2})[ -]?Q(?P<quarter>[1-4])"),
            _form(r"Q(?P<quarter>[1-4])[ -](?P<year>(19|20)\d{2})"),
            _form(r"(?P<year>(19|20)\d{2})-?W(?P<week>\d{2})"),
            _form(rf"(?P<day>\d{{1,2}})(?P<mark>[ ./-])(?P<name>{MONTH})(?P=mark)(?P<year>\d{{4}}){_TIME}"),
            _form(rf"(?P<name>{MONTH}) (?P<day>\d{{1,2}}),? (?P<year>\d{{4}}){_TIME}"),
            _form(rf"(?P<name>{MONTH})[ -](?P<year>\d{{4}})"),
        ),
        DAY_FIRST: (
            _form(rf"(?P<day>\d{{1,2}})(?P<mark>[./-])\s?(?P<month>\d{{1,2}})(?P=mark)\s?(?P<year>\d{{4}}){_TIME}"),
        ),
        MONTH_FIRST: (
            _form(rf"(?P<month>\d{{1,2}})(?P<mark>[/-])(?P<day>\d{{1,2}})(?P=mark)(?P<year>\d{{4}}){_TIME}"),
        ),
        MINUTES: (_form(rf"(?P<hour>\d{{1,4}}):(?P<minute>[0-5]\d){_HALF}"),),
        SECONDS: (_form(rf"(?P<hour>\d{{1,4}}):(?P<minute>[0-5]\d):(?P<second>[0-5]\d)([.,](?P<part>\d+))?{_HALF}"),),
        DURATIONS: (
            _form(rf"(?P<days>-?\d+) days?(,? [+]?{_CLOCK})?"),
            _form(
                r"(?P<sign>-)?P(?=.)((?P<days>\d+)D)?(T(?=.)((?P<hour>\d+)H)?((?P<minute>\d+)M)?"
                r"((?P<second>\d+)([.,](?P<part>\d+))?S)?)?"
            ),
        ),
    }
)
"""Clear is what nobody can misread: the year has four digits and stands in front, or the month is a word. Quarters
and weeks are their first days. Dots stand
behind days that come first. Hours may be more than a day has, for how long something took is a time too."""
_EPOCH = dt.datetime.fromisoformat("1970-01-01")
_UNIVERSAL = _EPOCH.replace(tzinfo=dt.UTC)
_DAY = dt.timedelta(days=1)


def dates_of_words(words: Sequence[str | float | None]) -> tuple[str, FloatArray] | None:
    """The order in which all words are dates, and their days as in `days_of_words`; None where one is none, or they are
    dates in more than one order. So with numbers with a unit, which are one number in both orders if nothing stands
    before decimals.

    Of two orders the one is meant in which dates of several years are all of one day of the month, as 1/1/2020,
    2/1/2020 and 3/1/2021 are of the first: in the other all would be of one month.
    """
    read = list(orders_of_words(words).items())
    if len(read) > 1 and is_measure(read[0][0]) and np.array_equal(read[0][1], read[1][1], equal_nan=True):
        return whole(read[0][0]), read[0][1]
    found = [one for one in read if len(read) > 1 and not is_measure(one[0]) and _monthly(one[1])] or read
    return found[0] if len(found) == 1 else None


def orders_of_words(words: Sequence[str | float | None]) -> dict[str, FloatArray]:
    """The orders in which all words are dates, else those in which all are numbers with a unit, and what they say."""
    return _read(words, ORDERS) or _read(words, measures_of(words))


def _read(words: Sequence[str | float | None], orders: Iterable[str]) -> dict[str, FloatArray]:
    """The same of these orders."""
    return {order: days for order in orders if (days := days_of_words(words, order)) is not None}


def _monthly(days: FloatArray) -> bool:
    """Whether days (n,) are all of one day of the month, in several months and years."""
    dates = np.floor(days[~np.isnan(days)]).astype(np.int64).astype("datetime64[D]")
    months, years = dates.astype("datetime64[M]"), dates.astype("datetime64[Y]")
    several = len(np.unique(months - years)) > 1 and len(np.unique(years)) > 1
    return several and len(np.unique(dates - months)) == 1


def days_of_words(words: Iterable[str | float | None], order: str) -> FloatArray | None:
    """The days since 1970-01-01 that words (n,) say, NaN where one is missing, shape (n,); None where any word is no
    date, or no time, in this order, or all are missing.

    A time is a part of a day, and a number with a unit is the number. Where a time has a zone, it is taken as
    universal time.
    """
    known: dict[str | float | None, float] = {None: np.nan}
    days = []
    for word in words:
        if word not in known:
            day = day_of_word(str(word), order)
            if day is None:
                return None
            known[word] = day
        days.append(known[word])
    return np.array(days) if len(known) > 1 else None


def day_of_word(word: str, order: str) -> float | None:
    """The days since 1970-01-01 that a word says; None where it is no date, or no time, in this order."""
    if order not in _FORMS:
        return number_of_word(word, order)
    if order == CLEAR and word[4:5] == word[7:8] == "-":  # mostly ISO 8601, which Python reads in no time
        with suppress(ValueError):
            return day_of(dt.datetime.fromisoformat(word))
    if not any(map(str.isdigit, word)):
        return None
    for form in _FORMS[order]:
        found = form.fullmatch(word)
        if found is not None:
            return _day_of(found.groupdict()) if named(order) == "dates" else _part_of_day(found.groupdict())
    return None


def _day_of(parts: dict[str, str | None]) -> float | None:
    """The same of the parts of a date; None where there is no such day or time."""
    hour, month = _hour_of(parts), _month_of(parts)
    if hour is None:
        return None
    part = int(f"{parts.get('part') or 0:0<6}"[:6])
    minute, second = int(parts.get("minute") or 0), int(parts.get("second") or 0)
    try:
        if parts.get("week"):
            return day_of(dt.date.fromisocalendar(int(parts["year"] or 0), int(parts["week"] or 0), 1))
        moment = dt.datetime(
            int(parts["year"] or 0), month, int(parts.get("day") or 1), hour, minute, second, part, _zone(parts)
        )
        return day_of(moment)
    except ValueError:
        return None


def _month_of(parts: dict[str, str | None]) -> int:
    """The month of the parts of a date, or the first one of a quarter; that of a week does not matter."""
    name, quarter = parts.get("name"), parts.get("quarter")
    if quarter is not None:
        return 3 * int(quarter) - 2
    return int(parts.get("month") or 0) if name is None else 1 + _NAMES.index(name[:3].lower())


def _part_of_day(parts: dict[str, str | None]) -> float | None:
    """That of the parts of a time or a duration; None where there is no such time."""
    hour = _hour_of(parts)
    if hour is None:
        return None
    second = float(f"{parts.get('second') or 0}.{parts.get('part') or 0}")
    part = (3600.0 * hour + 60.0 * int(parts["minute"] or 0) + second) / 86400.0
    return (int(parts.get("days") or 0) + part) * (-1.0 if parts.get("sign") else 1.0)


def _hour_of(parts: dict[str, str | None]) -> int | None:
    """The hour of the parts of a time, counted from midnight; None where its half of the day has no such hour."""
    hour, half = int(parts.get("hour") or 0), parts.get("half")
    if half is None:
        return hour
    return hour % 12 + 12 * (half.lower() == "p") if 1 <= hour <= 12 else None


def _zone(parts: dict[str, str | None]) -> dt.timezone:
    zone = (parts.get("zone") or "Z").upper()
    if zone[0] not in "+-":
        return dt.UTC
    away = dt.timedelta(hours=int(zone[1:3]), minutes=int(zone[3:].strip(":") or 0))  # databases write +00
    return dt.timezone(-away if zone[0] == "-" else away)


def day_of(moment: dt.date) -> float:
    """The days since 1970-01-01 of a date, or of a time; one without a zone is taken as universal time."""
    if not isinstance(moment, dt.datetime):
        return float(moment.toordinal() - _EPOCH.toordinal())
    return (moment - (_EPOCH if moment.tzinfo is None else _UNIVERSAL)) / _DAY


def part_of_day(time: dt.time) -> float:
    """The part of a day that has gone by at a time; one with a zone is taken as universal time."""
    gone = dt.timedelta(hours=time.hour, minutes=time.minute, seconds=time.second, microseconds=time.microsecond)
    return ((gone - (time.utcoffset() or dt.timedelta())) / _DAY) % 1.0


def days_of_durations(durations: npt.NDArray[Any]) -> FloatArray | None:
    """The days that an array of durations of numpy lasts, NaN where one is missing, shape (n,); None where these are
    months or years, or numpy does not know what they are.
    """
    if np.datetime_data(durations.dtype)[0] in ("Y", "M", "generic"):
        return None
    return np.asarray(_in_nanoseconds(durations) / np.timedelta64(1, "D"), dtype=np.float64)


def days_of_array(moments: npt.NDArray[Any]) -> FloatArray:
    """Those of an array of dates and times of numpy, NaN where one is missing, shape (n,)."""
    since = _in_nanoseconds(moments) - np.datetime64("1970-01-01", "D")
    return np.asarray(since / np.timedelta64(1, "D"), dtype=np.float64)


def _in_nanoseconds(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Dates or durations of numpy, in nanoseconds where numpy cannot say how long a day is in their finer unit."""
    finer = np.datetime_data(values.dtype)[0] in ("ps", "fs", "as")
    return values.astype(f"{values.dtype.kind}8[ns]") if finer else values


def date_of(day: float, order: str = CLEAR) -> str:
    """The date of so many days since 1970-01-01, such as 2020-01-31; of times, a time such as 7:30, and of durations
    one such as 2 days, 7:30:00.
    """
    if order == DURATIONS:
        return str(dt.timedelta(days=day)) if abs(day) <= dt.timedelta.max.days else f"{day:g} days"
    if order not in TIMES:
        return str(np.datetime64(math.floor(day), "D"))
    minutes, seconds = divmod(round(86400.0 * day), 60)
    told = f"{minutes // 60}:{minutes % 60:02}"
    return told if order == MINUTES else f"{told}:{seconds:02}"


def named(order: str) -> str:
    """What a column holds whose words are read in this order."""
    if is_measure(order):
        return described(order)
    if order == DURATIONS:
        return "durations"
    return "times" if order in TIMES else "dates"


def is_order(order: str) -> bool:
    """Whether words can be read in this order."""
    return order in ORDERS or is_measure(order)


def comparable(one: str, two: str) -> bool:
    """Whether columns that were read in these orders say the same: both dates, or both how long something takes, or
    both numbers with one unit.
    """
    if is_measure(one) or is_measure(two):
        return one == two
    return (named(one) == "dates") == (named(two) == "dates")


def read_as(order: str) -> tuple[str, ...]:
    """In which orders the words of new rows are read: what nobody can misread is the same in any order."""
    if order == DURATIONS:
        return DURATIONS, SECONDS
    if is_measure(order):
        return (order,)
    return (order, DURATIONS) if order in TIMES else (order, CLEAR)
