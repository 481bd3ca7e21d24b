"""Numbers for readers: plain digits where their magnitude is ordinary."""

import pytest

from kernelopt._base._plain_numbers import counted, plain


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.0, "0"),
        (3.0, "3"),
        (-12.3456, "-12.35"),
        (0.00123456, "0.001235"),
        (95834.2, "95834"),
        (123456789.0, "123456789"),
        (9999.96, "10000"),
        (2.5e12, "2.5e+12"),
        (1e-5, "1e-05"),
    ],
)
def test_digits_are_plain(value: float, words: str) -> None:
    assert plain(value) == words


def test_one_is_no_many() -> None:
    assert (counted(1, "row"), counted(0, "row"), counted(2, "class", "classes")) == ("1 row", "0 rows", "2 classes")
