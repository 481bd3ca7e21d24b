"""What the cells of a text file are: numbers, truth values, words, or missing."""

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

MISSING = frozenset({"", "?", "na", "n/a", "nan", "null", "none"})
"""What is no value, in small letters."""
NO_LABEL = MISSING - {"none"}
"""What is no label; none may be one."""
_TRUTHS = MappingProxyType({"true": True, "false": False})


def is_number(cell: str) -> bool:
    """Whether a cell is one, infinite ones among them."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


@attrs.frozen
class Kind:
    """What all cells of a column are, but for missing ones. Kinds of parts of a column add.

    Attributes:
        numbers: all are numbers.
        truths: all are "true" or "false", in any letters.
        whole: all are whole numbers.
        digits: all are digits alone.
        padded: one of them has zeros before it, so that it is a code and no number.
    """

    numbers: bool = True
    truths: bool = True
    whole: bool = True
    digits: bool = True
    padded: bool = False

    @classmethod
    def of(cls, cells: Sequence[str]) -> "Kind":
        """That of these cells."""
        present = _present(cells)
        if _numbers(cells) is None:
            truths = all(cell.lower() in _TRUTHS for cell in present)
            return cls(False, truths, False, all(cell.isdigit() for cell in present))
        letters = "".join(present)
        digits = not letters or letters.isdigit()
        return cls(
            numbers=True,
            truths=not present,
            whole=digits or ("." not in letters and all(map(_is_whole, present))),
            digits=digits,
            padded=digits and any(cell[0] == "0" != cell for cell in present),
        )

    def plus(self, other: "Kind") -> "Kind":
        """That of a column of both."""
        return Kind(
            self.numbers and other.numbers,
            self.truths and other.truths,
            self.whole and other.whole,
            self.digits and other.digits,
            self.padded or other.padded,
        )

    def values(self, cells: Sequence[str]) -> npt.NDArray[Any]:
        """Cells of such a column (n,): numbers, NaN where one is missing; else truth values or words, None there."""
        found = _numbers(cells) if self.numbers else None
        if found is not None:
            return found
        kept = [None if (word := cell.strip()).lower() in MISSING else word for cell in cells]
        if self.truths:
            return np.array([None if cell is None else _TRUTHS[cell.lower()] for cell in kept], dtype=object)
        return np.array(kept, dtype=object)

    def labels(self, cells: Sequence[str]) -> npt.NDArray[Any]:
        """Cells of such a column of targets, of which none is missing (n,): integers, numbers or words."""
        cells = [cell.strip() for cell in cells]
        if self.padded and self.digits:
            return np.array(cells)  # codes such as 007, which is not 7
        if self.whole:
            try:
                return np.array([int(cell) for cell in cells])
            except OverflowError:
                pass
        return np.array([float(cell) for cell in cells]) if self.numbers else np.array(cells)


def _present(cells: Sequence[str]) -> list[str]:
    """Those that are not missing, without blanks around them."""
    return [word for cell in cells if (word := cell.strip()).lower() not in MISSING]


def _numbers(cells: Sequence[str]) -> npt.NDArray[np.float64] | None:
    """Cells as numbers (n,), NaN where one is missing; None where one is a word."""
    try:
        return np.array(cells, dtype=np.float64)
    except ValueError:
        pass
    try:
        return np.array(["nan" if cell.strip().lower() in MISSING else cell for cell in cells], dtype=np.float64)
    except ValueError:
        return None


WORDS = Kind(numbers=False, truths=False, whole=False, digits=False)
"""Of words, whatever they look like."""


def _is_whole(cell: str) -> bool:
    try:
        int(cell)
    except ValueError:
        return False
    return True
