"""What most of some words are: numbers, alone or with a unit, or other words."""

import pytest

from kernelopt._base._number_words import first_other, is_number, numerals

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
    ],
)
def test_most_words_are_numbers(words, unit, others):
    found = numerals(words)
    assert found is not None
    assert (found.unit, found.others) == (unit, others)
    assert first_other(words, unit) == next(((k, word) for k, word in enumerate(words) if word in others), None)


@pytest.mark.parametrize(
    "words", [["a", "b", "1"], ["1 kg", "2 g", "3 m"], ["01.02.2020", "02.02.2020"], ["1.2.3", "1.2.4"], []]
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
