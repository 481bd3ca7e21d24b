"""Dates as numbers: words that can only be read in one way, and columns of dates that add up over parts of the rows."""

import datetime as dt

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kernelopt._base._errors import InvalidData, NewMissingValues
from kernelopt._base.tables._dates import (
    CLEAR,
    DAY_FIRST,
    DURATIONS,
    MINUTES,
    MONTH_FIRST,
    SECONDS,
    date_of,
    dates_of_words,
    day_of,
    days_of_words,
)
from kernelopt._base.tables._encoding import Encoding
from kernelopt._base.tables._tables import stacked, table_of

LEAST, MOST = map(dt.datetime.fromisoformat, ("1000-01-01", "2999-12-31"))
MOMENTS = st.datetimes(LEAST, MOST).map(lambda moment: moment.replace(microsecond=0))
FORMS = {
    "%Y-%m-%dT%H:%M:%S": CLEAR,
    "%Y-%m-%d %H:%M:%SZ": CLEAR,
    "%Y/%m/%d %I:%M:%S %p": CLEAR,
    "%d-%b-%Y %H:%M:%S": CLEAR,
    "%B %d, %Y %H:%M:%S": CLEAR,
    "%d.%m.%Y %H:%M:%S": DAY_FIRST,
    "%d/%m/%Y %H:%M:%S": DAY_FIRST,
    "%m/%d/%Y %H:%M:%S": MONTH_FIRST,
    "%m-%d-%Y %I:%M:%S %p": MONTH_FIRST,
}


@pytest.mark.parametrize(("form", "order"), FORMS.items(), ids=FORMS)
@given(moments=st.lists(MOMENTS, min_size=1, max_size=5))
def test_words_of_dates_say_the_days_that_they_were_written_of(form, order, moments):
    written = [moment.strftime(form) for moment in moments]
    days = days_of_words([*written, None], order)
    assert days == pytest.approx([*map(day_of, moments), np.nan], abs=1e-9, nan_ok=True)
    assert [date_of(day + 1e-9) for day in days[:-1]] == [moment.date().isoformat() for moment in moments]
    clear = pd.Timestamp("2001-11-23").strftime(form)  # 23 is no month
    assert dates_of_words([*written, clear, None])[0] == order


@given(st.datetimes(), st.integers(-14 * 60, 14 * 60))
def test_zones_are_taken_off(moment, minutes):
    zone = dt.timezone(dt.timedelta(minutes=minutes))
    word = moment.replace(tzinfo=zone).isoformat()
    wanted = day_of(moment) - minutes / 1440.0
    assert days_of_words([word], CLEAR)[0] == pytest.approx(wanted, abs=1e-9)


def test_zones_may_be_whole_hours_as_databases_write_them():
    words = ["2020-01-31 07:30:00+00", "2020-01-31 07:30:00.5-02", "2020-01-31 07:30:00 +0530"]
    assert days_of_words(words, CLEAR) * 24 % 24 == pytest.approx([7.5, 9.5 + 0.5 / 3600, 2.0])


@pytest.mark.parametrize(
    "words",
    [
        ["1/2/2020", "3/4/2020"],
        ["13/2/2020", "2/13/2020"],
        ["2020-13-01"],
        ["2020-02-30"],
        ["1.2.10"],
        ["31/12/99"],
        ["20200131"],
        ["2020"],
        ["2020-1"],
        ["1812-05"],
        ["2020-01-31 00:30 PM"],
        ["2020-01-31 25:00"],
        ["2020-01-31 13:00 PM"],
        ["2020-01-31", "red"],
        ["2020-01-31", "31/01/2020"],
        ["1:05:00", "59:30"],
        ["7:60"],
        ["7:30", "13:30 PM"],
        ["7:30", "2020-01-31 07:30"],
        ["7:5"],
        ["-1:30"],
        ["no day"],
        [None],
        [],
    ],
    ids=str,
)
def test_what_is_no_date_or_might_be_another_has_no_order(words):
    assert dates_of_words(words) is None


MONTHS = pd.date_range("2019-01-01", periods=30, freq="MS")


@pytest.mark.parametrize("day", [1, 7])
@pytest.mark.parametrize("order", [DAY_FIRST, MONTH_FIRST])
def test_dates_of_one_day_of_each_month_show_their_order(order, day):
    form = "%d/%m/%Y" if order == DAY_FIRST else "%m/%d/%Y"
    dates = MONTHS + pd.Timedelta(days=day - 1)
    written = dates.strftime(form).tolist()
    assert dates_of_words(written)[0] == order
    assert [date_of(found) for found in days_of_words(written, order)] == dates.strftime("%Y-%m-%d").tolist()
    assert dates_of_words(written[:12]) is None  # of one year: or of the first days of a month
    assert dates_of_words([*written, "05/06/2020"]) is None


@pytest.mark.parametrize("form", ["{}Q{}", "{}-Q{}", "{} q{}", "Q{1} {0}", "Q{1}-{0}"])
def test_quarters_are_their_first_days(form):
    periods = pd.period_range("1999Q3", periods=9, freq="Q")
    order, days = dates_of_words([form.format(period.year, period.quarter) for period in periods])
    assert order == CLEAR
    assert [*map(date_of, days)] == [str(period.start_time.date()) for period in periods]
    assert dates_of_words(["2020Q1", "2020Q5"]) is None


@given(st.dates(dt.date(1900, 1, 1), dt.date(2099, 12, 31)))
def test_weeks_are_their_first_days(date):
    year, week, day = date.isocalendar()
    if 1900 <= year <= 2099:
        for word in (f"{year}-W{week:02}", f"{year}W{week:02}"):
            assert dates_of_words([word])[1].tolist() == [day_of(date) - day + 1]
    assert dates_of_words([f"{date.year}-W54"]) is None


def test_dots_stand_behind_days_that_come_first():
    assert dates_of_words(["1.2.2020", "3.4.2020"])[0] == DAY_FIRST
    assert date_of(days_of_words(["1.2.2020"], DAY_FIRST)[0]) == "2020-02-01"


@given(seconds=st.lists(st.integers(0, 400 * 3600), min_size=1, max_size=5))
def test_times_are_parts_of_a_day(seconds):
    """Also how long something took, which may be more than a day."""
    whole = [f"{s // 3600}:{s // 60 % 60:02}:{s % 60:02}" for s in seconds]
    order, days = dates_of_words([*whole, None])
    assert order == SECONDS
    assert days[:-1] * 86400 == pytest.approx(seconds)
    assert [date_of(day, order) for day in days[:-1]] == whole
    short = [word.rpartition(":")[0] for word in whole]
    order, days = dates_of_words(short)
    assert order == MINUTES
    assert days * 1440 == pytest.approx([s // 60 for s in seconds])
    assert [date_of(day, order) for day in days] == short


@given(moments=st.lists(st.times(), min_size=1, max_size=5))
def test_times_may_have_halves_of_the_day_and_parts_of_a_second(moments):
    wanted = [(dt.datetime.combine(LEAST, moment) - LEAST) / dt.timedelta(days=1) for moment in moments]
    order, days = dates_of_words([moment.strftime("%H:%M:%S.%f") for moment in moments])
    assert order == SECONDS
    assert days == pytest.approx(wanted, abs=1e-12)
    order, days = dates_of_words([moment.strftime("%I:%M %p") for moment in moments])
    assert order == MINUTES
    assert days == pytest.approx(wanted, abs=1 / 1440)


def iso(lasting):
    """As ISO 8601 writes a duration."""
    minutes, seconds = divmod(round(abs(lasting) / dt.timedelta(seconds=1)), 60)
    return (
        f"{'-' if lasting < dt.timedelta() else ''}P{minutes // 1440}DT{minutes // 60 % 24}H{minutes % 60}M{seconds}S"
    )


@given(lasting=st.lists(st.integers(-(10**8), 10**8).map(lambda s: dt.timedelta(seconds=s)), min_size=1, max_size=5))
def test_durations_are_days_whether_they_are_objects_or_text(lasting):
    wanted = [one / dt.timedelta(days=1) for one in lasting]
    long = [one if abs(one.days) > 0 else one + dt.timedelta(days=1) for one in lasting]
    table = {
        "objects": pd.Series(lasting, dtype=object),
        "of numpy": np.array(lasting, dtype="timedelta64[s]"),
        "pandas": pd.to_timedelta(pd.Series(lasting)),
        "arrow": pd.to_timedelta(pd.Series(lasting)).astype("duration[s][pyarrow]"),
        "written by pandas": pd.to_timedelta(pd.Series(lasting)).map(str),
        "in ISO 8601": pd.Series(map(iso, lasting)),
    }
    read = table_of(pd.DataFrame(table))
    assert read.numbers == pytest.approx(np.array(wanted)[:, None] + np.zeros(6), rel=1e-14, abs=1e-14)
    assert {column.order for column in read.dates.values()} == {DURATIONS}
    assert [date_of(day, DURATIONS) for day in read.numbers[:, 0]] == list(map(str, lasting))
    order, days = dates_of_words([*map(str, long), None])  # Python writes no days where there are none
    assert order == DURATIONS
    assert days[:-1] == pytest.approx([one / dt.timedelta(days=1) for one in long], rel=1e-14)


def test_whole_days_are_durations():
    order, days = dates_of_words(["30 days", "1 day", "P2D"])
    assert order == DURATIONS
    assert days.tolist() == [30.0, 1.0, 2.0]
    for words in (["30 days", "soon"], ["P"], ["PT"], ["P1DT"], ["P1M"], ["1 days 30:00"]):
        assert dates_of_words(words) is None


def test_times_of_python_are_parts_of_a_day_and_may_stand_beside_durations():
    """As in files of Excel, where a cell of 24 hours or more is a duration."""
    east = dt.timezone(dt.timedelta(hours=2))
    objects = pd.Series([dt.time(7, 30), None, dt.time(1, 0, tzinfo=east)], dtype=object)
    for column in (objects, pd.Series(pa.array([dt.time(7, 30), None, dt.time(23)]).cast("time64[ns]").to_pylist())):
        table = table_of(pd.DataFrame({"at": column}))
        assert table.numbers[:, 0] == pytest.approx([7.5 / 24, np.nan, 23 / 24], nan_ok=True)
        assert table.dates[0].order == SECONDS
    late = pd.DataFrame({"at": pd.Series([dt.time(7, 30), dt.timedelta(hours=30)], dtype=object)})
    assert table_of(late).numbers[:, 0] == pytest.approx([7.5 / 24, 1.25])
    assert table_of(late).dates[0].order == DURATIONS
    with pytest.raises(InvalidData, match=r"holds values such as datetime.time\(7, 30\) \(time\)"):
        table_of(pd.DataFrame({"at": pd.Series([dt.time(7, 30), dt.date(2020, 1, 31)], dtype=object)}))


def test_finer_times_of_arrow_are_read():
    times = pa.table({"at": pa.array([3_600_000_000_001, None], pa.time64("ns"))})
    assert table_of(times).numbers[:, 0] == pytest.approx([1 / 24, np.nan], nan_ok=True)


@pytest.mark.parametrize("unit", ["M", "Y"])
def test_durations_of_months_have_no_length_in_days(unit):
    with pytest.raises(InvalidData, match=rf"column 0 holds durations \(timedelta64\[{unit}\]\).*astype") as told:
        table_of(np.array([[1], [2]], dtype=f"m8[{unit}]"))
    assert eval(str(told.value).rpartition("with ")[2], {"column": np.array([1], f"m8[{unit}]")}).tolist() == [1]


def test_new_durations_may_be_written_as_times_and_are_no_dates():
    trained = pd.DataFrame({"long": pd.to_timedelta([1, 2], unit="D"), "x": [0.0, 1.0]})
    encoding = Encoding.of(table_of(trained), np.ones(2))
    for written in ("1 days 12:00:00", "36:00:00", dt.timedelta(hours=36), np.timedelta64(36, "h")):
        new = trained.assign(long=pd.Series([written, written], dtype=object))
        assert encoding.encode(table_of(new))[:, 0].tolist() == [1.5, 1.5]
    for other, told in ((pd.Timestamp("2020-01-31"), "dates"), (7.5, "7.5"), ("long", "'long'")):
        with pytest.raises(InvalidData, match=f"column 'long' holds {told}, wanted durations as in training"):
            encoding.encode(table_of(trained.assign(long=other)))
    of_times = Encoding.of(table_of(trained.assign(long="7:30:00")), np.ones(2))
    for written in ("1 days 12:00:00", dt.timedelta(hours=36)):
        assert of_times.encode(table_of(trained.assign(long=written)))[:, 0].tolist() == [1.5, 1.5]
    of_dates = Encoding.of(table_of(trained.assign(long=pd.to_datetime("2020-01-31"))), np.ones(2))
    with pytest.raises(InvalidData, match="column 'long' holds durations, wanted dates as in training"):
        of_dates.encode(table_of(trained))


DAYS = pd.Series(pd.to_datetime(["2020-01-31 06:00", None, "1969-12-31 00:00"]))
WANTED = [18292.25, np.nan, -1.0]


@pytest.mark.parametrize(
    "column",
    [
        DAYS,
        DAYS.dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"),
        DAYS.astype(object),
        DAYS.dt.strftime("%Y-%m-%d %H:%M"),
        DAYS.astype("timestamp[ns][pyarrow]"),
        pd.Series([np.datetime64("2020-01-31T06:00"), None, np.datetime64("1969-12-31")], dtype=object),
        DAYS.dt.to_period("h"),
    ],
    ids=["pandas", "a zone", "objects", "words", "arrow", "numpy", "periods"],
)
def test_columns_of_dates_are_days(column):
    table = table_of(pd.DataFrame({"when": column}))
    assert table.numbers[:, 0] == pytest.approx(WANTED, nan_ok=True)
    assert list(table.dates) == [0]
    assert not table.labels
    declared = table_of(pd.DataFrame({"when": pd.Series(column).astype("category")}))
    assert declared.labels[0].words
    assert not declared.dates
    alike = table_of(pd.DataFrame({"when": column})[::-1]).numbers[::-1]
    assert alike == pytest.approx(table.numbers, nan_ok=True)


def test_arrays_of_dates_are_days():
    moments = np.array([["2020-01-01", "1970-01-02"], ["NaT", "1970-01-03"]], dtype="datetime64[D]")
    for unit in ("D", "h", "us", "ns"):
        found = table_of(moments.astype(f"datetime64[{unit}]")).numbers
        np.testing.assert_array_equal(found, [[18262.0, 1.0], [np.nan, 2.0]])
    fine = np.array([["1970-01-01T00:00:06", "NaT"]], dtype="datetime64[as]").T
    np.testing.assert_array_equal(table_of(fine).numbers, [[6.0 / 86400.0], [np.nan]])
    months = np.array([["2020-01", "2020-02"]], dtype="datetime64[M]").T
    np.testing.assert_array_equal(table_of(months).numbers, [[18262.0], [18293.0]])


def of_words(*words):
    return table_of(pd.DataFrame({"when": list(words), "x": range(len(words))}))


def test_parts_of_the_rows_add_up():
    """A column is one of dates where all parts have dates of one order; else it has the words of all."""
    one, two, other = of_words("2020-01-01", "2020-01-02"), of_words("2020-01-03", None), of_words("13/01/2020")
    both = stacked([one, two])
    np.testing.assert_array_equal(both.numbers[:, 0], [18262.0, 18263.0, 18264.0, np.nan])
    assert both[np.array([2, 0])].dates[0].labels.values == ("2020-01-03", "2020-01-01")
    nothing = of_words(None, None)
    assert stacked([one, nothing]).dates[0].order == CLEAR
    for strange in (other, of_words("red")):
        mixed = stacked([one, strange, two])
        assert not mixed.dates
        assert np.isnan(mixed.numbers[:, 0]).all()
        assert mixed.labels[0].values == ("2020-01-01", "2020-01-02", *strange.words[0].values, "2020-01-03", None)


def test_parts_in_which_days_may_be_months_are_read_as_the_others():
    """What a part does not show the others show; categories that were declared stay that."""
    unclear, month_first = of_words("01/02/2020", "01/03/2020"), of_words("01/13/2020")
    both = stacked([unclear, month_first])
    assert both.dates[0].order == MONTH_FIRST
    assert [*map(date_of, both.numbers[:, 0])] == ["2020-01-02", "2020-01-03", "2020-01-13"]
    assert stacked([unclear, unclear]).labels[0].values == ("01/02/2020", "01/03/2020") * 2
    assert not stacked([unclear, month_first, of_words("13/01/2020")]).dates
    declared = table_of(pd.DataFrame({"when": pd.Series(["01/02/2020"], dtype="category"), "x": [1]}))
    assert not stacked([declared, month_first]).dates


@example("day first")
@given(st.sampled_from([DAY_FIRST, MONTH_FIRST]))
def test_new_rows_are_read_as_the_training_rows_are(order):
    first = "%d/%m/%Y" if order == DAY_FIRST else "%m/%d/%Y"
    training = of_words(*(dt.date(2020, 3, day).strftime(first) for day in (1, 13, 25)))
    encoding = Encoding.of(training, np.ones(3))
    assert encoding.dates == ((0, order),)
    new = of_words("02/03/2020", None, "04/05/2020")
    wanted = ("2020-03-02", "2020-05-04") if order == DAY_FIRST else ("2020-02-03", "2020-04-05")
    with pytest.warns(UserWarning, match="missing"):
        coded = encoding.encode(new)
    assert tuple(map(date_of, coded[[0, 2], 0])) == wanted
    with pytest.warns(UserWarning, match="missing"):
        assert encoding.encode(of_words(None))[0, 0] == day_of(dt.date(2020, 3, 13))
    assert encoding.encode(of_words("2020-05-04"))[0, 0] == day_of(dt.date(2020, 5, 4))
    with pytest.raises(InvalidData, match="column 'when' holds 'red', wanted dates as in training"):
        encoding.encode(of_words("red", None, "blue"))


@pytest.mark.parametrize("gap", [False, True])
@pytest.mark.parametrize(
    ("first", "other"), [("2020-03-02", "2020-03-04"), ("7:30", "8:30"), ("1/13/2020", "1/15/2020")]
)
def test_a_few_words_that_are_no_dates_count_as_missing_with_a_warning(first, other, gap):
    """One such word among thousands costs nobody all predictions; a column of such words is another column."""
    training = of_words(first, other, *[None] * gap)
    encoding = Encoding.of(training, np.ones(len(training)))
    (one, two), mean = training.numbers[:2, 0], np.nan if gap else training.numbers[:2, 0].mean()
    with pytest.warns(NewMissingValues, match="1 values in column 'when' that are no .* 'red'") as warned:
        coded = encoding.encode(of_words(other, "red", first))
    assert len(warned) == 1
    np.testing.assert_array_equal(coded[:, 0], [two, mean, one])
    with pytest.warns(NewMissingValues, match="2 values in column 'when' that are no .* 'red'"):
        encoding.encode(of_words(other, "red", "13:62"))


@pytest.mark.parametrize("column", [["7:30:00"], ["2020-01-31"], ["soon"], pd.to_datetime(["2020-01-31"]), [7.5]])
def test_new_rows_have_times_where_training_rows_have_them(column):
    training = of_words("7:30", "23:05", None)
    encoding = Encoding.of(training, np.ones(3))
    assert encoding.dates == ((0, MINUTES),)
    assert encoding.encode(of_words("12:00", None))[:, 0] == pytest.approx([0.5, np.nan], nan_ok=True)
    with pytest.raises(InvalidData, match=r"column 'when' holds .*, wanted times as in training"):
        encoding.encode(table_of(pd.DataFrame({"when": column, "x": [0]})))


def test_where_dates_are_wanted_a_time_is_none():
    encoding = Encoding.of(of_words("2020-01-31"), np.ones(1))
    with pytest.raises(InvalidData, match="holds '7:30', wanted dates as in training"):
        encoding.encode(of_words("7:30"))
