"""Views in files of their own: `--view mri=mri.csv`, joined to one table by the order of the rows or by a key."""

from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import InvalidData, InvalidOption
from kernelopt._base._typing import IntArray
from kernelopt._base.tables._tables import Table as Rows
from kernelopt._rows._columns import shortened
from kernelopt.cli.reading._read import NAMED, READERS, STDIN, read, require_one_stdin
from kernelopt.cli.reading._tables import Table, narrowed

_SUFFIXES = (*READERS, ".csv", ".tsv", ".txt")
_PACKED = (".gz", ".bz2", ".xz", ".zst", ".zip")


@attrs.frozen(eq=False)
class Part:
    """One of the files.

    Attributes:
        table: what it holds.
        own: the name in the file of each column, by the name in the joined table.
        places: the rows that are joined, in their order, shape (n,).
    """

    table: Table
    own: Mapping[str, str]
    places: IntArray


@attrs.frozen(eq=False)
class Joined(Table):
    """The columns of several files side by side; those of a view are called after it, such as mri.thickness.

    Attributes:
        parts: the files.
        told: of the rows that were left out.
    """

    parts: tuple[Part, ...]
    told: tuple[str, ...] = ()

    def _part(self, name: str) -> Part:
        self.require([name])
        return next(part for part in self.parts if name in part.own)

    def column(self, name: str, text: bool = False) -> npt.NDArray[Any]:
        part = self._part(name)
        return part.table.column(part.own[name], text)[part.places]

    def marks_of(self, name: str) -> str:
        part = self._part(name)
        return part.table.marks_of(part.own[name])

    def target(self, name: str) -> npt.NDArray[Any]:
        part = self._part(name)
        return part.table.target(part.own[name])[part.places]

    def rows(self, names: Sequence[str], texts: Container[str] = ()) -> Rows:
        self.require(names)
        numbers: list[Any] = [None] * len(names)
        labels, dates, marks = {}, {}, {}
        for part in self.parts:
            mine = [j for j, name in enumerate(names) if name in part.own]
            if not mine:
                continue
            words = {part.own[names[j]] for j in mine if names[j] in texts}
            read = part.table.rows([part.own[names[j]] for j in mine], words)[part.places]
            for k, j in enumerate(mine):
                numbers[j] = read.numbers[:, k]
                if k in read.labels:
                    labels[j] = read.labels[k]
                if k in read.dates:
                    dates[j] = read.dates[k]
                if k in read.marks:
                    marks[j] = read.marks[k]
        return Rows(np.column_stack(numbers), labels, tuple(names), dates=dates, marks=marks)

    def written_as(self, marks: Mapping[str, str]) -> "Joined":
        def written(part: Part) -> Part:
            own = {part.own[name]: mark for name, mark in marks.items() if name in part.own}
            return attrs.evolve(part, table=part.table.written_as(own))

        return attrs.evolve(self, parts=tuple(map(written, self.parts)))

    def notes(self, names: Sequence[str]) -> tuple[str, ...]:
        found = [part.table.notes([part.own[name] for name in names if name in part.own]) for part in self.parts]
        return (*self.told, *(note for notes in found for note in notes))


def in_files(given: Sequence[str]) -> dict[str, str]:
    """The views among those typed that are files, and the file of each; the others are columns.

    Raises:
        InvalidOption: two files have the name of one view.
    """
    found: dict[str, str] = {}
    for text in given:
        name, _, rest = (piece.strip() for piece in text.partition("="))
        if not (name and rest and _is_file(rest)):
            continue
        if name in found:
            raise InvalidOption(f"--view: the view {name!r} is given twice; name one file for each view")
        found[name] = rest
    return found


def read_joined(data: str | None, given: Sequence[str], key: str | None, *, whole: bool = False) -> Table:
    """The table of a file, with the columns of each view that has a file of its own.

    Args:
        data: the file of the target and of other columns; None: the files of the views hold all.
        given: what was typed as views.
        key: the column, in each file, that says which rows belong together; None: they are in one order.
        whole: whether each row of the first file is wanted.

    Raises:
        InvalidData: files do not match.
        InvalidOption: there is no file, or a key and one file only.
    """
    files = in_files(given)
    if not files and key is not None:
        raise InvalidOption("--key: got no view in a file of its own, wanted some, such as --view mri=mri.csv")
    if data is None and not files:
        raise InvalidOption(
            "DATA: got no file, wanted a file of rows, or views in files of their own, such as --view mri=mri.csv"
        )
    if data is not None and not files:
        return read(data)
    require_one_stdin(DATA=data, **{f"--view {name}": file for name, file in files.items()})
    tables = [] if data is None else [("", read(data))]
    tables += [(f"{name}.", read(file)) for name, file in files.items()]
    return _joined(tables, key, whole=whole)


def _is_file(text: str) -> bool:
    """Whether what stands behind the name of a view is a file, and no column or pattern."""
    if text == STDIN or text.startswith(NAMED):
        return True
    suffixes = [suffix.lower() for suffix in Path(text).suffixes]
    while suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    return bool(suffixes and suffixes[-1] in _SUFFIXES and "," not in text) or Path(text).is_file()


def _joined(tables: Sequence[tuple[str, Table]], key: str | None, *, whole: bool) -> Joined:
    if key is None:
        places, told = _by_order([table for _, table in tables])
    else:
        places, told = _by_key([table for _, table in tables], key, whole=whole)
    parts, names = [], list[str]()
    for (prefix, table), chosen in zip(tables, places, strict=True):
        own = {prefix + name: name for name in table.names if name != key}
        twice = [name for name in own if name in names]
        if twice:
            raise InvalidData(
                f"{table.source}: its column {own[twice[0]]!r} would be called {twice[0]!r}, as one of another file "
                "is; give the view another name"
            )
        names += own
        parts.append(Part(table, own, chosen))
    source = ", ".join(table.source for _, table in tables)
    indices = tuple(prefix + name for prefix, table in tables for name in table.indices if name != key)
    target = tables[0][1].own_target if tables[0][0] == "" else None
    return Joined(source, tuple(names), tuple(parts), told, own_target=target, indices=indices)


def _length(table: Table) -> int:
    return len(table.column(table.names[0], text=True))


def _by_order(tables: Sequence[Table]) -> tuple[list[IntArray], tuple[str, ...]]:
    """The rows of tables of one length.

    Raises:
        InvalidData: one has another length.
    """
    counts = [_length(table) for table in tables]
    for table, count in zip(tables, counts, strict=True):
        if count != counts[0]:
            raise InvalidData(
                f"{table.source} has {count} rows and {tables[0].source} has {counts[0]}; wanted as many in each "
                "file, in the same order, or a column in each file that says which rows belong together, such as "
                "--key patient"
            )
    return [np.arange(count) for count in counts], ()


def _by_key(tables: Sequence[Table], key: str, *, whole: bool) -> tuple[list[IntArray], tuple[str, ...]]:
    """The rows whose key is in all tables, in the order of the first, and what was left out.

    Raises:
        InvalidData: a table lacks the column, a key is there twice or missing, or rows that are wanted are not there.
    """
    known = [_keys(table, key) for table in tables]
    first = list(known[0])
    lacking = [[value for value in first if value not in one] for one in known]
    for table, values in zip(tables, lacking, strict=True):
        if values and (whole or len(values) == len(first)):
            raise InvalidData(
                f"{table.source}: got no row for {len(values)} of the {len(first)} values of {key!r} in "
                f"{tables[0].source}, such as {values[0]}; wanted {'one for each' if whole else 'the same values'}"
            )
    kept = [value for value in first if all(value in one for one in known)]
    if not kept:
        raise InvalidData(
            f"{shortened([table.source for table in tables])}: no value of {key!r} is in all files; wanted rows "
            "that are in each file"
        )
    told = tuple(
        f"views: {len(one) - len(kept)} of {len(one)} rows of {table.source} are left out, because their {key!r} is "
        "not in all files"
        for table, one in zip(tables, known, strict=True)
        if len(one) > len(kept)
    )
    return [np.array([one[value] for value in kept], dtype=np.intp) for one in known], told


def _keys(table: Table, key: str) -> dict[str, int]:
    """The place of each value of the key, as text.

    Raises:
        InvalidData: there is no such column, or a value is there twice or missing.
    """
    column = narrowed(table.column(key, text=True))
    found: dict[str, int] = {}
    for place, value in enumerate(column):
        if value is None or value != value:
            raise InvalidData(f"{table.source}, row {place + 1}: the key {key!r} is missing; drop the row")
        if str(value) in found:
            raise InvalidData(
                f"{table.source}: the key {key!r} is {value} in row {found[str(value)] + 1} and in row {place + 1}; "
                "wanted another value in each row"
            )
        found[str(value)] = place
    return found
