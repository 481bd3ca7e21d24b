"""What the cells of a text file are: numbers, truth values, words, or missing."""

import re
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._doubles import outside, rounded
from kernelopt._base.tables._number_words import is_comma_number, pointed

_NO_NUMBERS = frozenset({"-nan", "1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan"})
"""How C and Windows write a number that is none, in small letters."""
MISSING = frozenset({"", "?", "na", "n/a", "#n/a", "#n/a n/a", "#na", "<na>", "nan", "null", "none"}) | _NO_NUMBERS
"""What is no value, in small letters: what pandas.read_csv takes for a missing value, in any letters, and a question
mark."""
NO_LABEL = MISSING - {"none"}
"""What is no label; none may be one."""
_TRUTHS = MappingProxyType({"true": True, "false": False})
_OTHER = MappingProxyType({".": ",", ",": "."})
"""What may stand between thousands where this stands before decimals."""
_SIZE = r"(\d{1,3}([.,'\u2019\s]\d{3})+|\d+)([.,]\d*)?"
_ANY = re.compile(rf"[+\u2212-]?(({_SIZE}|[.,]\d+)(e[+-]?\d+)?|inf(inity)?)|\({_SIZE}\)", re.IGNORECASE)
"""A number, with whatever marks between thousands and before decimals; in brackets it is below zero."""
_WRITTEN_OUT = frozenset("0123456789+-.")
"""What a number is made of that has no power of ten."""
_THOUSANDS = MappingProxyType({mark: re.compile(rf"[+-]?[1-9]\d{{0,2}}({re.escape(mark)}\d{{3}})+") for mark in ".,"})
"""Numbers whose marks may stand between thousands: 1.234 and 1,234."""


@attrs.frozen
class Kind:
    """What all cells of a column are, but for missing ones. Kinds of parts of a column add.

    Attributes:
        numbers: all are numbers, with a point before their decimals.
        truths: all are "true" or "false", in any letters.
        whole: all are whole numbers.
        digits: all are digits alone.
        padded: one of them has zeros before it, so that it is a code and no number.
        commas: all are numbers, with a comma before their decimals.
        marked: all are numbers, whatever marks stand between thousands and before decimals.
        surely: one has a mark that cannot stand between thousands: a point where all are `numbers`, else a comma.
        styles: the marks that may stand before the decimals of all numbers, others between thousands; a blank too
            where no number has a point or a comma.
        example: a cell with a mark, or none.
        infinite: a cell that is an infinite number, or none.
        decimal: what stands before decimals, once that is decided.
        grouped: whether other marks stand between thousands, or numbers below zero are in brackets.
    """

    numbers: bool = True
    truths: bool = True
    whole: bool = True
    digits: bool = True
    padded: bool = False
    commas: bool = True
    marked: bool = True
    surely: bool = False
    styles: frozenset[str] = frozenset("., ")
    example: str = ""
    infinite: str = ""
    decimal: str = "."
    grouped: bool = False

    @property
    def unknown(self) -> bool:
        """Whether all cells are missing."""
        return self.numbers and self.truths

    @property
    def style(self) -> str | None:
        """What stands before the decimals of numbers of which some have marks between thousands; None where that is not
        clear, or no number has such marks.
        """
        if self.numbers or self.commas or not self.marked or self.styles == set(".,"):
            return None
        return next((mark for mark in ".," if mark in self.styles), None)

    @property
    def marks(self) -> str:
        """What new numbers of this column are to be read with, once that is decided: the mark before decimals, and the
        other one behind it where it may stand between thousands. Nothing where points stand before decimals and
        nothing between thousands, or where nobody can say.
        """
        if not self.grouped:
            return "," if self.decimal == "," else ""
        return "" if self.styles >= set(".,") else self.decimal + _OTHER[self.decimal]

    @classmethod
    def of(cls, cells: Sequence[str]) -> "Kind":
        """That of these cells."""
        present = _present(cells)
        found = _numbers(cells)
        if found is None:
            return cls._of_words(present)
        letters = "".join(present)
        digits = not letters or letters.isdigit()
        points = [] if digits or "." not in letters else [cell for cell in present if "." in cell]
        surely, written = _surely(points, "."), set(letters) <= _WRITTEN_OUT
        return cls(
            numbers=True,
            truths=not present,
            whole=digits or (not points and all(map(_is_whole, present))),
            digits=digits,
            padded=digits and any(cell[0] == "0" != cell for cell in present),
            commas=not points,
            surely=surely,
            styles=frozenset("." if surely else ".," if points else "., ") if written else frozenset(),
            example=points[0] if points else "",
            infinite=_infinite(cells, found),
        )

    @classmethod
    def _of_words(cls, present: Sequence[str]) -> "Kind":
        """That of cells of which not all are numbers with a point."""
        truths, digits = all(cell.lower() in _TRUTHS for cell in present), all(cell.isdigit() for cell in present)
        marked = all(_ANY.fullmatch(cell) for cell in present)
        commas = marked and all(map(is_comma_number, present))
        with_comma = [cell for cell in present if "," in cell] if marked else []
        example = next(iter(with_comma or [cell for cell in present if not cell.isdigit()]), "") if marked else ""
        found = _numbers([cell.replace(",", ".") for cell in present]) if commas else None
        surely = commas and _surely(with_comma, ",")
        return cls(
            numbers=False,
            truths=truths,
            whole=False,
            digits=digits,
            commas=commas,
            marked=marked,
            surely=surely,
            styles=_with_commas(present, surely=surely) if commas else _styles(present) if marked else frozenset(),
            example=example,
            infinite="" if found is None else _infinite(present, found),
        )

    def plus(self, other: "Kind") -> "Kind":
        """That of a column of both."""
        return Kind(
            self.numbers and other.numbers,
            self.truths and other.truths,
            self.whole and other.whole,
            self.digits and other.digits,
            self.padded or other.padded,
            self.commas and other.commas,
            self.marked and other.marked,
            self.surely or other.surely,
            self.styles & other.styles,
            self.example or other.example,
            self.infinite or other.infinite,
        )

    def values(self, cells: Sequence[str]) -> npt.NDArray[Any]:
        """Cells of such a column (n,): numbers, NaN where one is missing; else truth values or words, None there, and
        so whole numbers that double precision would round.

        All are None if no cell of the column is known: nobody can say what it would hold.
        """
        if self.unknown:
            return np.full(len(cells), None, dtype=object)
        found = _numbers(self._pointed(cells)) if self.numbers else None
        if found is not None and not (self.whole and rounded(found)):
            return found
        kept = [None if (word := cell.strip()).lower() in MISSING else word for cell in cells]
        if found is not None:
            return np.array([None if word is None else int(word) for word in kept], dtype=object)
        if self.truths:
            return np.array([None if cell is None else _TRUTHS[cell.lower()] for cell in kept], dtype=object)
        return np.array(kept, dtype=object)

    def labels(self, cells: Sequence[str]) -> npt.NDArray[Any]:
        """Cells of such a column of targets, of which none is missing (n,): integers, numbers or words."""
        cells = [cell.strip() for cell in self._pointed(cells)]
        if self.padded and self.digits:
            return np.array(cells)  # codes such as 007, which is not 7
        if not self.numbers:
            return np.array(cells)
        return _whole_labels(cells) if self.whole else np.array([float(cell) for cell in cells])

    def _pointed(self, cells: Sequence[str]) -> Sequence[str]:
        """The cells with a point before their decimals."""
        if self.grouped:
            return [pointed(cell.strip(), self.decimal) or cell for cell in cells]
        return cells if self.decimal == "." else [cell.replace(self.decimal, ".") for cell in cells]


def _whole_labels(cells: Sequence[str]) -> npt.NDArray[Any]:
    """Whole numbers (n,) as integers of 64 bits; larger ones in double precision, or as words where that would make one
    number of several.
    """
    numbers = [int(cell) for cell in cells]
    found = np.array(numbers)
    if found.dtype.kind in "iu":
        return found
    rounded_ = [float(number) for number in numbers]
    return np.array(rounded_ if len(set(rounded_)) == len(set(numbers)) else cells)


def _present(cells: Sequence[str]) -> list[str]:
    """Those that are not missing, without blanks around them."""
    return [word for cell in cells if (word := cell.strip()).lower() not in MISSING]


def _numbers(cells: Sequence[str]) -> npt.NDArray[np.float64] | None:
    """Cells as numbers (n,), NaN where one is missing; None where one is a word, as 3_1 is, which numpy takes as 31."""
    if "_" in "".join(cells):
        return None
    try:
        return np.array(cells, dtype=np.float64)
    except ValueError:
        pass
    try:
        return np.array(["nan" if cell.strip().lower() in MISSING else cell for cell in cells], dtype=np.float64)
    except ValueError:
        return None


def written_with(marks: str, cells: Sequence[str]) -> bool:
    """Whether all cells but missing ones are numbers that are written with these marks, as `Kind.marks` has them."""
    decimal, others = marks[0], marks[1:]
    strange = _OTHER[decimal] not in others
    return all(
        pointed(cell, decimal) is not None and not (strange and _OTHER[decimal] in cell) for cell in _present(cells)
    )


def _infinite(cells: Sequence[str], values: npt.NDArray[np.float64]) -> str:
    """The first of these cells whose value is infinite or nearly so, or none."""
    infinite = outside(values)
    return cells[int(np.argmax(infinite))].strip() if infinite.any() else ""


def _with_commas(numbers: Sequence[str], *, surely: bool) -> frozenset[str]:
    """The same of numbers with commas; they may not stand between thousands where one of them surely does not."""
    if not set("".join(numbers)) <= _WRITTEN_OUT | {","}:
        return frozenset()
    return frozenset("," if surely else ".,")


def _styles(numbers: Sequence[str]) -> frozenset[str]:
    """The marks that may stand before the decimals of all these numbers, as in `Kind.styles`."""
    found = (mark for mark in ".," if all(pointed(number, mark) is not None for number in numbers))
    return frozenset([*found, *([] if any(mark in number for number in numbers for mark in ".,") else " ")])


def _surely(cells: Sequence[str], mark: str) -> bool:
    """Whether one of these numbers, all with this mark, has it where it cannot stand between thousands."""
    return any(not _THOUSANDS[mark].fullmatch(cell) for cell in cells)


WORDS = Kind(numbers=False, truths=False, whole=False, digits=False, commas=False, marked=False)
"""Of words, whatever they look like."""


def _is_whole(cell: str) -> bool:
    try:
        int(cell)
    except ValueError:
        return False
    return True
