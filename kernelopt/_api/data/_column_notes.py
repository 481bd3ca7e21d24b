"""What a user is told of rows and columns that nothing is learned from."""

import numpy as np

from kernelopt._base._errors import InvalidData
from kernelopt._base._typing import BoolArray
from kernelopt._base.tables._tables import Table
from kernelopt._rows._tallies import MOST


def refuse_constant(varying: int, width: int, told: tuple[str, ...]) -> None:
    """Refuse rows of which none of the columns tells them apart; some columns may hold words that could be numbers.

    Raises:
        InvalidData: they are such rows.
    """
    if not varying:
        alone = width == 1
        columns, have = ("the only column of X is", "has") if alone else (f"all {width} columns of X are", "have")
        raise InvalidData(
            f"{columns} constant or empty, or {have} a different category in every row, so no kernel can be learned; "
            "pass columns of numbers, of categories that several rows share, or of the words of texts, as "
            "TfidfVectorizer of scikit-learn makes them" + "".join(f"; {note}" for note in told)
        )


def refuse_few(counted: int, dropped: int) -> None:
    """Refuse rows of which fewer than two count, where so many others have a weight of zero.

    Raises:
        InvalidData: they are such rows.
    """
    if counted < 2:
        without = f"; {dropped} rows have a weight of zero" if dropped else ""
        raise InvalidData(f"got {counted} row{'' if counted else 's'} with weight, wanted at least 2{without}")


def dropped_rows(dropped: int) -> tuple[str, ...]:
    """A note on rows of zero weight, where there are some."""
    return (f"{dropped} rows of zero weight were left out",) if dropped else ()


def dropped_columns(
    table: Table, width: int, constant: BoolArray, singular: BoolArray, crowded: BoolArray | None = None
) -> tuple[str, ...]:
    """Notes on columns that families leave out, where there are some.

    Args:
        table: of the columns' names.
        width: how many columns there are.
        constant: which are, shape (width,).
        singular: which hold categories of which each row has another, shape (width,).
        crowded: which hold more categories than are counted, shape (width,); None: none.
    """
    notes = []
    if constant.any():
        notes.append(
            f"{constant.sum()} of {width} columns are constant on the training rows, {_named(table, constant)}: "
            "families leave them out; only functions of your own get every column"
        )
    if singular.any():
        notes.append(
            f"{singular.sum()} of {width} columns have a different category in every row and say nothing about other "
            f"rows, {_named(table, singular)}: families leave them out; convert them to numbers or to fewer categories "
            "if they matter"
        )
    if crowded is not None and crowded.any():
        notes.append(
            f"{crowded.sum()} of {width} columns have more than {MOST} categories, and most of these are in few rows, "
            f"{_named(table, crowded)}: families leave them out; convert them to numbers or to fewer categories if "
            "they matter"
        )
    return tuple(notes)


def _named(table: Table, columns: BoolArray) -> str:
    """These columns in a sentence."""
    return table.listed(np.flatnonzero(columns).tolist())
