"""What stands before the decimals in the numbers of a text file: a point, or a comma, as in much of Europe.

One column alone may leave it open: 1,234 is a number with decimals in one country and a thousand and more in another.
All columns of a file, and what stands between its cells, decide together.
"""

from collections.abc import Sequence

import attrs

from kernelopt._base._doubles import FARTHEST
from kernelopt._base._shown import shown
from kernelopt._base.tables._faults import Fault
from kernelopt._rows._cells import Kind
from kernelopt._rows._columns import shortened

_ADVICE = (
    "write numbers with nothing between thousands, as 1234.5 or 1234,5: pandas.read_csv reads them as its options "
    "decimal and thousands say, and to_csv writes them so"
)


@attrs.frozen
class Decided:
    """The columns of a file, once it is decided what stands before decimals.

    Attributes:
        kinds: of all columns.
        faults: of columns that cannot be read as numbers, and look like it.
        commas: the columns that have decimal commas.
        grouped: those that have marks between thousands, or numbers in brackets.
    """

    kinds: tuple[Kind, ...]
    faults: tuple[Fault, ...]
    commas: tuple[str, ...]
    grouped: tuple[str, ...]

    def noted(self, names: Sequence[str]) -> "Decided":
        """With what is told of these columns alone."""
        commas, grouped = (tuple(name for name in held if name in names) for held in (self.commas, self.grouped))
        return attrs.evolve(self, commas=commas, grouped=grouped)

    def notes(self, source: str) -> tuple[str, ...]:
        """What the user should know of how numbers were read."""
        commas, grouped = _several(self.commas), _several(self.grouped)
        decimal = f"data: the commas in the numbers of {commas} in {source} were read as decimal commas"
        marks = (
            f"data: the marks between thousands in the numbers of {grouped} in {source} were left out, and numbers in "
            "brackets are below zero"
        )
        return (*([decimal] if self.commas else []), *([marks] if self.grouped else []))


def decided(names: Sequence[str], kinds: Sequence[Kind], delimiter: str) -> Decided:
    """What all columns together say of the numbers in each of them.

    Args:
        names: of the columns.
        kinds: of their cells.
        delimiter: what stands between two cells of a row.
    """
    points = any((kind.numbers and kind.surely) or kind.style == "." for kind in kinds)
    commas = any((_with_commas(kind) and kind.surely) or kind.style == "," for kind in kinds)
    european = not points and (commas or (delimiter != "," and len(names) > 1))  # in one column none is seen
    columns = list(zip(names, kinds, strict=True))
    faults = tuple(fault for name, kind in columns if (fault := _fault(name, kind, european, commas)) is not None)
    faulty = {fault.column for fault in faults}
    read = tuple(name for name, kind in columns if _with_commas(kind) and name not in faulty)
    found = [_settled(kind, commas=name in read) for name, kind in columns]
    grouped = tuple(name for name, kind in columns if kind.style is not None)
    with_commas = tuple(name for name, kind in zip(names, found, strict=True) if kind.numbers and kind.decimal == ",")
    return Decided(tuple(found), faults, with_commas, grouped)


def _settled(kind: Kind, *, commas: bool) -> Kind:
    """The kind of cells that are numbers with decimal commas, or with other marks, or neither."""
    if kind.style is not None:
        return attrs.evolve(kind, numbers=True, decimal=kind.style, grouped=True)
    return attrs.evolve(kind, numbers=True, decimal=",") if commas else kind


def _several(names: Sequence[str]) -> str:
    """Columns in a message, at least one."""
    return f"{len(names)} columns ({shortened(names)})" if len(names) > 1 else "".join(map(repr, names))


def _fault(name: str, kind: Kind, european: bool, commas: bool) -> Fault | None:
    """Why a column that looks like numbers cannot be read, or None.

    Args:
        name: of the column.
        kind: of its cells.
        european: whether all columns say that commas stand before decimals.
        commas: whether one of them does for certain.
    """
    if kind.infinite and (kind.numbers or kind.commas):
        return Fault(
            name,
            f"holds {shown(kind.infinite)}, wanted finite numbers of {FARTHEST:g} in size at most",
            "leave the cell empty where a number is missing",
            kind.infinite,
        )
    if kind.numbers and kind.example and not kind.surely and commas:
        return Fault(
            name,
            f"holds {shown(kind.example)}, whose point may stand between thousands, as other columns have decimal "
            "commas",
            _ADVICE,
            kind.example,
        )
    if _with_commas(kind) and not (kind.surely or european):
        return Fault(
            name,
            f"holds {shown(kind.example)}, whose comma may stand before decimals or between thousands",
            _ADVICE,
            kind.example,
        )
    if kind.marked and kind.style is None and not kind.numbers and not kind.commas:
        return Fault(
            name,
            f"holds numbers such as {shown(kind.example)}, with marks between thousands or of several kinds",
            _ADVICE,
            kind.example,
        )
    return None


def _with_commas(kind: Kind) -> bool:
    """Whether all are numbers, some with a comma."""
    return kind.commas and not kind.numbers
