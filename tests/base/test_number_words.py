"""What most of some words are: numbers, alone or with a unit, or other words."""

import pandas as pd
import pytest

from kernelopt._base.tables._number_words import first_other, is_number, numerals

MANY = [str(k) for k in range(1, 30)]


@pytest.mark.parametrize("word", ["1", " 1.5 ", "-2e3", "inf", "nan", 3.0])
def test_numbers(word):
    assert is_number(word)


@pytest.mark.parametrize("word", ["", "3_1", "1,5", "-", "3.1%", "\0", "two"])
def test_what_is_no_number(word):
    assert not is_number(word)


@pytest.mark.parametrize(
    ("words", "unit", "others"),
    [
        (["1.5", "2.5", "-"], "", ("-",)),
        (["1,5", "2,5", "-"], "", ("-",)),
        (["1.5", "2.5", "3.1%"], "", ("3.1%",)),
        (["37%", "38 %", "39", "none"], "%", ("none",)),
        (["\u20ac37", "\u20ac 1,200.50"], "\u20ac", ()),
        (["37 kg", "41kg", "x"], "kg", ("x",)),
        (["5 km/h", "7 km/h"], "km/h", ()),
        (["37 years", "1 year", "2 years"], "years", ("1 year",)),
        (["-$37", "$-1,200.50", "($12)"], "$", ()),
        (["US$37", "US$ 1.5"], "US$", ()),
        (["Rs. 1,200", "Rs. 300"], "Rs.", ()),
        (["1 234,50 \u20ac", "12\u00a0345,00\u00a0\u20ac"], "\u20ac", ()),
        (["1,234.50", "(12.75)", "3"], "", ()),
    ],
)
def test_most_words_are_numbers(words, unit, others):
    found = numerals(words)
    assert found is not None
    assert (found.unit, found.others) == (unit, others)
    assert first_other(words, unit) == next(((k, word) for k, word in enumerate(words) if word in others), None)


@pytest.mark.parametrize(
    "words",
    [
        ["a", "b", "1"],
        ["1 kg", "2 g", "3 m"],
        ["01.02.2020", "02.02.2020"],
        ["1.2.3", "1.2.4"],
        ["192.168.1.1", "10.0.0.1"],
        [],
    ],
)
def test_most_words_are_none(words):
    assert numerals(words) is None


@pytest.mark.parametrize(
    ("words", "measured"),
    [
        ([*MANY, "-"], True),
        (["1.5", "2.5", "3.5", "-"], True),
        (["1.5", "2.5", "-"], False),
        (["1", "2", "3", "many"], False),
        ([*MANY, "007", "-"], False),
        ([f"{k}%" for k in MANY], True),
    ],
)
def test_few_whole_numbers_and_codes_may_be_classes(words, measured):
    found = numerals(words)
    assert found is not None
    assert found.measured == measured


FORMS = {
    "plain": "{:.2f}".format,
    "thousands": "{:,.2f}".format,
    "unit": "{:.2f} kg".format,
    "currency": "\u20ac{:,.2f}".format,
    "sign before currency": lambda value: f"{'-' * (value < 0)}US${abs(value):,.2f}",
    "brackets": lambda value: f"(${-value:,.2f})" if value < 0 else f"${value:,.2f}",
    "decimal comma": lambda value: f"{value:,.2f}".translate(str.maketrans(",.", ".,")) + " \u20ac",
    "blanks": lambda value: f"{value:,.2f}".translate(str.maketrans(",.", "\u00a0,")) + "\u00a0\u20ac",
    "apostrophes": lambda value: f"CHF {value:,.2f}".replace(",", "'"),
    "word": "{:.2f} kilometers".format,
}


@pytest.mark.parametrize("word", ["1 317,50", "1'317,50", "1\u202f317,50 CHF", "1.317,50", "1,317.50", "1 317.50"])
def test_marks_between_thousands_tell_the_decimals_of_numbers_that_are_all_large(word):
    found = numerals([word, word.replace("1", "2", 1)])
    assert found is not None
    column = pd.Series(found.numbers)
    assert eval(found.conversion("column"), {"pandas": pd, "column": column}).tolist() == [1317.5, 2317.5]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("others", [(), ("unknown",)])
def test_the_conversion_gives_the_numbers_back(form, others):
    numbers = [3.25, -12.5, 999.0, 1234.56, -1054.3, 1234567.89]
    column = pd.Series([*map(FORMS[form], numbers), *others])
    found = numerals(column)
    assert found is not None
    assert (found.others, found.fractional) == (others, found.unit == "")
    converted = eval(found.conversion("column"), {"pandas": pd, "column": column})
    assert converted.dropna().tolist() == numbers
    assert converted.isna().sum() == len(others)
