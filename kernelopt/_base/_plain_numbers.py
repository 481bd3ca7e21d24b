"""Numbers for readers who do not know powers of ten: plain digits where the magnitude is an ordinary one."""

import math

_SMALLEST, _LARGEST = 1e-4, 1e9
"""Numbers in between are written without a power of ten."""


def plain(value: float, digits: int = 4) -> str:
    """A number with so many digits, and with all digits before the decimal point: 0.0125, 9.583, 95834."""
    size = abs(value)
    if value == 0.0 or not _SMALLEST <= size < _LARGEST:
        return f"{value:.{digits}g}"
    text = f"{value:.{max(digits - 1 - math.floor(math.log10(size)), 0)}f}"
    return text.rstrip("0").removesuffix(".") if "." in text else text


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number of things, as 1 row and 2 rows."""
    return f"{number} {one if number == 1 else f'{one}s' if many is None else many}"
