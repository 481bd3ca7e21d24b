"""Which words are dates."""

import re

import pandas as pd
import pytest

from kernelopt._base.tables._date_words import dates_mostly, days_since_first, is_date

COMES_FIRST = " (dayfirst=False if the month comes first)"


@pytest.mark.parametrize(
    "word",
    [
        "2020-01-31",
        "2020-01-31T12:30:00Z",
        "01.02.2020",
        "1.2.2020",
        "31/12/2020",
        "12/31/2020 00:00",
        "12/31/20",
        "1/3/20",
        "31-12-2020 23:59:59.5",
        "1/2/2020 5:30 PM",
        "2020/12/31",
        "2020.1.31 10:00",
        "02 January 2010",
        "2-JAN-10",
        "02-Jan-2010 05:30:00",
        "January 2, 2010",
        "Sept 2020",
        "2010-02",
    ],
)
def test_dates(word):
    assert is_date(word)


@pytest.mark.parametrize(
    "word",
    [
        "may",
        "3 may",
        "May 5",
        "40-Jan-2010",
        "Mary 2010",
        "2010-13",
        "1234-05",
        "20200131",
        "1.2.10",
        "1-2-10",
        "2020-W05",
        "13.14.2020",
        "32/01/2020",
        "1.2",
        "2020",
        "00.01.2020",
        "1/2-2020",
        "a 01.02.2020",
        3.0,
    ],
)
def test_other_words_are_none(word):
    assert not is_date(word)


@pytest.mark.filterwarnings("ignore:Could not infer format")
@pytest.mark.parametrize(
    "form",
    ["%Y-%m-%d", "%Y-%m", "%d %B %Y", "%d-%b-%y", "%B %d, %Y", "%b %Y", "%d.%m.%Y", "%d/%m/%Y %H:%M"],
)
def test_the_advice_makes_days_of_dates(form):
    dates = pd.Series(pd.date_range("2019-11-01", periods=5, freq="MS"))
    column = dates.dt.strftime(form)
    assert dates_mostly(column)
    parsed, days = re.search(r"with t = (.*\)) and (.*)", days_since_first(column[0]).replace(COMES_FIRST, "")).groups()
    t = eval(parsed, {"pandas": pd, "column": column})
    assert eval(days, {"t": t}).tolist() == (dates - dates.min()).dt.days.tolist()
