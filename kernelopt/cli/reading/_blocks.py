"""Files of so many rows that they are read in blocks, and never held."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import attrs

from kernelopt._api.data._target_words import named, refuse_words
from kernelopt._base._errors import InvalidOption
from kernelopt._criteria._contract import Task
from kernelopt._evidence._criterion import Evidence
from kernelopt._families.features._landmark_lists import MANY
from kernelopt._plugins._registry import resolve
from kernelopt._rows._contract import Piece, RowBlocks
from kernelopt._rows._open import PARQUET, files_within, rows_of
from kernelopt._rows._parquet import rows_of_parquet
from kernelopt._rows._stored import Stored
from kernelopt._rows._tallies import Targets
from kernelopt._rows._target_words import first_word
from kernelopt.cli._specs import Spec
from kernelopt.cli.reading._read import READERS
from kernelopt.cli.reading._rows import Rows, ignorable, task_of

_BLOCK = 1 << 22
"""So many bytes of a file are looked at at once."""


@attrs.frozen(eq=False)
class FileRows:
    """A file that is read in blocks.

    Attributes:
        blocks: all its rows.
        first: some of them, which say what columns there are.
        task: what is learned from all.
    """

    blocks: RowBlocks
    first: Rows
    task: Task


def rows_in_blocks(
    file: Stored, target: str | None, ignore: Sequence[str], criterion: Spec | None, family: Any = None
) -> FileRows | None:
    """A file of Parquet or CSV, or a folder of Parquet, that is learned from in blocks; None if it is read whole.

    Args:
        file: what the user named.
        target: the column to learn, or None.
        ignore: columns to leave out.
        criterion: what is learned; others than the evidence learn from rows in memory.
        family: of kernels, or None; alone it asks for another criterion.

    Raises:
        InvalidData, InvalidOption, MissingLibrary: as in `kernelopt.row_blocks`.
    """
    if not by_evidence(criterion, family) or not _many(file):
        return None
    if target is None:
        raise InvalidOption(
            f"--target: name the column to learn; {file.source} has more than {MANY} rows, read in blocks"
        )
    with ignorable():
        blocks = rows_of(file, target, ignore=ignore)
        given = blocks.pieces[0].read()
    refuse_words(criterion, given.targets, partial(first_word, blocks))
    first = Rows(given.table, given.targets, given.table.names, target)
    return FileRows(blocks, first, _task(blocks, first, criterion))


def _task(blocks: RowBlocks, first: Rows, criterion: Spec | None) -> Task:
    """What is learned from all rows. Where few integers among the first would be classes, the others are looked at."""
    task = task_of(first, [criterion])
    alone = len(blocks.pieces) == 1 or named(criterion) is not None
    if alone or task != "classification" or first.y is None or first.y.dtype.kind not in "iuf":
        return task
    values = blocks.total(_targets)[0].distinct()
    return "regression" if values is None else task_of(attrs.evolve(first, y=values), [criterion])


def _targets(piece: Piece) -> Targets:
    """Those of rows that have a weight."""
    given = piece.read()
    counted = given.weight > 0.0
    return Targets.of(given.targets[counted], given.weight[counted])


def by_evidence(criterion: Spec | None, family: Any) -> bool:
    """Whether the evidence is what is learned: where it is named, or nothing is."""
    return family is None if criterion is None else isinstance(resolve("criterion", criterion), Evidence)


def _many(file: Stored) -> bool:
    """Whether a file has more rows than are solved as they are; what is broken is left to its reader."""
    if file.path.is_dir():
        return sum(map(rows_of_parquet, files_within(file))) > MANY
    if file.suffix in PARQUET:
        return rows_of_parquet(file) > MANY
    return file.suffix not in READERS and _lines(file.path) > MANY


def _lines(path: Path) -> int:
    """How many lines it has, about; a few more than are asked about end the count."""
    found = 0
    with path.open("rb") as file:
        while found <= MANY + 1 and (block := file.read(_BLOCK)):
            found += block.count(b"\n")
    return found - 1
