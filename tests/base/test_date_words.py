"""Which words are dates."""

import pytest

from kernelopt._base._date_words import is_date


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
        "31-12-2020 23:59:59.5",
        "1/2/2020 5:30 PM",
        "2020/12/31",
        "2020.1.31 10:00",
    ],
)
def test_dates(word):
    assert is_date(word)


@pytest.mark.parametrize(
    "word",
    ["20200131", "1.2.10", "13.14.2020", "32/01/2020", "1.2", "2020", "00.01.2020", "1/2-2020", "a 01.02.2020", 3.0],
)
def test_other_words_are_none(word):
    assert not is_date(word)
