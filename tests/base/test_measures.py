"""Numbers with a unit: words that say one number in one order, and columns of them that add up over parts of rows."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kernelopt._base._errors import InvalidData, NewMissingValues
from kernelopt._base.tables._dates import dates_of_words, is_order, named
from kernelopt._base.tables._encoding import Encoding
from kernelopt._base.tables._tables import stacked, table_of


def european(number):
    return f"{number:,.2f}".translate(str.maketrans(",.", ".,"))


FORMS = {
    "$, decimal point": lambda number: f"{'-' * (number < 0)}${abs(number):,.2f}",
    "\u20ac, decimal comma": lambda number: f"{european(number)} \u20ac",
    "%, decimal point": lambda number: f"{number:.2f}%",
    "kg, decimal comma": lambda number: f"{european(number).replace('.', ' ')} kg",
    "km/h, decimal point": lambda number: f"({-number:.2f} km/h)" if number < 0 else f"{number:.2f} km/h",
}
AMOUNTS = st.integers(-(10**9), 10**9).map(lambda cents: cents / 100.0)


@pytest.mark.parametrize(("told", "form"), FORMS.items(), ids=FORMS)
@given(numbers=st.lists(AMOUNTS, min_size=1, max_size=5))
def test_words_with_a_unit_say_the_numbers_that_they_were_written_of(told, form, numbers):
    order, found = dates_of_words([None, *map(form, numbers)])
    assert order == f"unit {told}"
    assert found == pytest.approx([np.nan, *numbers], nan_ok=True)
    assert is_order(order)


def test_numbers_with_a_unit_are_no_days_of_a_month():
    """As days since 1970 both are the first of a month in one of the two orders, which says nothing of weights."""
    assert dates_of_words(["1,096 kg", "1,492 kg"]) is None
    assert dates_of_words(["1,096 kg", "1,493 kg"]) is None


@given(st.lists(st.integers(0, 10**7), min_size=1, max_size=5), st.sampled_from(["%", "mg", "\u00b0C", "year", "Stk."]))
def test_whole_numbers_say_nothing_of_what_stands_before_decimals(numbers, unit):
    order, found = dates_of_words([f"{number} {unit}" for number in numbers])
    assert order == f"unit {unit}"
    assert found.tolist() == numbers


@pytest.mark.parametrize(
    "words",
    [
        ["$1,234", "$567"],
        ["1.125 kg", "2.250 kg"],
        ["1.5%", "1,5%"],
        ["12 kg", "12 lb"],
        ["12 kg", "12"],
        ["12 kg", "heavy"],
        ["12", "13"],
        ["1 234,5", "(3.2)"],
        ["12A", "13A"],
        ["007 kg", "012 kg"],
        ["1e3", "2e3"],
        ["<5 mg", "6 mg"],
        ["12,34,5 kg"],
        ["9" * 400 + " kg"],
        ["18-24 years"],
        [None, None],
    ],
)
def test_words_that_may_be_other_numbers_or_codes_have_no_order(words):
    assert dates_of_words(words) is None


def test_one_thing_and_several_have_one_unit():
    assert dates_of_words(["1 year", "2 years"])[0] == "unit year"
    assert dates_of_words(["1 class", "2 class"])[0] == "unit class"


@pytest.mark.parametrize(
    "order", ["unit ", "unit kg, decimal", "kg", "unit kg, decimal point, decimal comma", "unit 7"]
)
def test_other_words_are_no_orders(order):
    assert not is_order(order)


def of_words(*words):
    return table_of(pd.DataFrame({"dose": list(words), "x": range(len(words))}))


def test_parts_of_the_rows_show_together_what_stands_before_decimals():
    whole, comma, unclear = of_words("12 kg", "7 kg"), of_words("1,5 kg"), of_words("1.250 kg")
    for parts in ([whole, comma, unclear], [unclear, whole, comma], [comma, unclear, whole]):
        both, words = stacked(parts), [word for part in parts for word in part.words[0].values]
        assert both.dates[0].order == "unit kg, decimal comma"
        assert both.numbers[:, 0].tolist() == dates_of_words(words)[1].tolist()
    assert stacked([whole, whole]).dates[0].order == "unit kg"
    for strange in (unclear, of_words("12 lb"), of_words("red"), of_words("1,5 kg", "1.5 kg")):
        mixed = stacked([whole, strange])
        assert not mixed.dates
        assert mixed.labels[0].values == ("12 kg", "7 kg", *strange.words[0].values)
    assert not stacked([comma, of_words("1.5 kg")]).dates


def test_new_rows_are_read_as_the_training_rows_are():
    encoding = Encoding.of(of_words("1.000,5 kg", "8 kg"), np.ones(2))
    assert encoding.encode(of_words("1.234 kg", "2,5kg"))[:, 0].tolist() == [1234.0, 2.5]
    with pytest.warns(NewMissingValues, match="no numbers with 'kg' and a decimal comma, such as '2.5 kg'"):
        assert encoding.encode(of_words("2.5 kg", "3 kg"))[:, 0].tolist() == [504.25, 3.0]
    with pytest.raises(InvalidData, match="'dose' holds '3 lb', wanted numbers with 'kg' and a decimal comma as in"):
        encoding.encode(of_words("3 lb"))
    for strange in ([3.0], pd.to_timedelta(["3 days"])):
        with pytest.raises(InvalidData, match="wanted numbers with 'kg'"):
            encoding.encode(table_of(pd.DataFrame({"dose": strange, "x": [0]})))


def test_new_rows_that_may_be_two_numbers_are_missing_where_training_rows_are_whole():
    encoding = Encoding.of(of_words("1000 kg", "8 kg"), np.ones(2))
    with pytest.warns(NewMissingValues, match="no numbers with 'kg', such as '1.234 kg'"):
        assert encoding.encode(of_words("1.234 kg", "2,5 kg", "2.5 kg"))[:, 0].tolist() == [504.0, 2.5, 2.5]


@given(AMOUNTS, AMOUNTS)
def test_categories_that_were_declared_stay_categories(one, two):
    assume(one != two)
    words = pd.Series([f"{one:.2f}%", f"{two:.2f}%"], dtype="category")
    assert list(table_of(pd.DataFrame({"share": words})).labels) == [0]


def test_the_kind_of_numbers_is_told_with_their_unit():
    assert named("unit kg") == "numbers with 'kg'"
    assert named("unit kg, decimal comma") == "numbers with 'kg' and a decimal comma"
