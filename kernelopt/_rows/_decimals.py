"""What stands before the decimals in the numbers of a text file: a point, or a comma, as in much of Europe.

One column alone may leave it open: 1,234 is a number with decimals in one country and a thousand and more in another.
All columns of a file, and what stands between its cells, decide together.
"""

from collections.abc import Container, Mapping, Sequence

import attrs

from kernelopt._base._doubles import FARTHEST
from kernelopt._base._shown import shown
from kernelopt._base.tables._faults import Fault
from kernelopt._rows._cells import Kind, written_with
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
        strange: those with other marks than the training rows have there.
    """

    kinds: tuple[Kind, ...]
    faults: tuple[Fault, ...]
    commas: tuple[str, ...]
    grouped: tuple[str, ...]
    strange: tuple[str, ...] = ()

    def noted(self, names: Sequence[str]) -> "Decided":
        """With what is told of these columns alone."""
        told = (self.commas, self.grouped, self.strange)
        commas, grouped, strange = (tuple(name for name in held if name in names) for held in told)
        return attrs.evolve(self, commas=commas, grouped=grouped, strange=strange)

    def as_trained(self, names: Sequence[str], cells: Sequence[Sequence[str]], marks: Mapping[str, str]) -> "Decided":
        """With columns read as those of the training rows were, where all their cells are written so. New rows may be
        few: 12.345 alone does not say that training rows have 1.850.000 in this column.

        Args:
            names: of the columns.
            cells: of each column.
            marks: of columns of the training rows, as in `Kind.marks`.
        """
        kinds, fitting, strange = list(self.kinds), dict[str, str](), list[str]()
        for j, name in enumerate(names):
            if name not in marks or not any(set(".,") & set(cell) for cell in cells[j]):
                continue
            if written_with(marks[name], cells[j]):
                kinds[j] = attrs.evolve(kinds[j], numbers=True, decimal=marks[name][0], grouped=True)
                fitting[name] = marks[name]
            elif kinds[j].numbers:
                strange.append(name)
        return Decided(
            tuple(kinds),
            tuple(fault for fault in self.faults if fault.column not in fitting),
            (*_without(self.commas, fitting), *(name for name, mark in fitting.items() if mark == ",")),
            (*_without(self.grouped, fitting), *(name for name, mark in fitting.items() if mark != ",")),
            tuple(strange),
        )

    def notes(self, source: str) -> tuple[str, ...]:
        """What the user should know of how numbers were read."""
        commas, grouped, strange = map(_several, (self.commas, self.grouped, self.strange))
        decimal = f"data: the commas in the numbers of {commas} in {source} were read as decimal commas"
        marks = (
            f"data: the marks between thousands in the numbers of {grouped} in {source} were left out, and numbers in "
            "brackets are below zero"
        )
        others = (
            f"data: the numbers of {strange} in {source} have other marks than those of the training rows, and were "
            "read as this file alone says; write them as the training rows do if that is wrong"
        )
        told = ((decimal, self.commas), (marks, self.grouped), (others, self.strange))
        return tuple(note for note, columns in told if columns)


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


def _without(names: Sequence[str], others: Container[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name not in others)


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
