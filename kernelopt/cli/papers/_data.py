"""The rows of a paper's data set, with two classes or with numbers, and their splits."""

import os
from collections.abc import Iterator
from itertools import islice
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
from sklearn.model_selection import ShuffleSplit

from kernelopt import datasets
from kernelopt._base._errors import InvalidData
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._criteria._contract import Task
from kernelopt._io._bundled import DataSet
from kernelopt._plugins._registry import resolve
from kernelopt.cli.papers._definition import Protocol, Rows
from kernelopt.cli.papers._made import MADE, made
from kernelopt.cli.papers._programs import program_of
from kernelopt.sklearn._beside import Split

FOLDER = "KERNELOPT_DATA"


@attrs.frozen(eq=False)
class Data:
    """Rows to learn from.

    Attributes:
        X: shape (n, d).
        y: labels or numbers, shape (n,).
        own: the data set's own splits of these rows.
    """

    X: FloatArray
    y: npt.NDArray[Any]
    own: tuple[Split, ...]


def found(rows: Rows) -> Data:
    """The data set of a table's row, as the paper used it.

    Raises:
        InvalidData: there is none of this name, or it has no column of the number that is to be predicted.
    """
    assert rows.data is not None
    held = _loaded(rows.data)
    if rows.predicts is not None:
        held = _exchanged(held, rows.predicts)
    kept = np.arange(len(held.y))
    y: npt.NDArray[Any] = held.y
    if rows.plus:
        kept = np.flatnonzero(np.isin(y, [*rows.plus, *rows.minus]))
        y = np.where(np.isin(y, rows.plus), 1, -1)
    if rows.above is not None:
        y = np.where(y > (np.median(y) if rows.above == "median" else rows.above), 1, -1)
    if rows.target == "unit":
        y = (y - y.min()) / np.ptp(y)
    return Data(held.X[kept], y[kept], tuple(_among(kept, len(held.y), split) for split in held.splits))


def _exchanged(held: DataSet, column: int) -> DataSet:
    """The data set with this column as its target; what was the target is the last column."""
    width = held.X.shape[1]
    if column >= width:
        raise InvalidData(f"predicts: got column {column}, wanted one from 0 to {width - 1}, which {held.title} has")
    if not np.issubdtype(held.y.dtype, np.number):
        raise InvalidData(
            f"predicts: got {held.title}, whose target is text, wanted a data set with a target of numbers"
        )
    X = np.column_stack([np.delete(held.X, column, 1), held.y])
    return attrs.evolve(held, X=X, y=held.X[:, column], names=())


def _loaded(name: str) -> DataSet:
    if name.startswith(MADE):
        return made(name)
    if name in datasets.names():
        return datasets.load(name)
    folder = os.environ.get(FOLDER)
    where = f"the folder {FOLDER} ({folder}) does not have it" if folder else f"set {FOLDER} to the folder that has it"
    raise InvalidData(f"no data set {name!r}: {where}")


def _among(kept: IntArray, n: int, split: Split) -> Split:
    """The split of those of n rows that are kept, by their new numbers."""
    place = np.full(n, -1)
    place[kept] = np.arange(len(kept))
    train, test = (place[part] for part in split)
    return train[train >= 0], test[test >= 0]


def splits(data: Data, rows: Rows, protocol: Protocol, number: int, seed: int) -> list[Split]:
    """The first splits: the data set's own where the paper took these, else random ones of the paper's sizes.

    The first splits are the same however many there are.

    Args:
        data: the rows.
        rows: what the table says of them.
        protocol: the table's.
        number: how many at most.
        seed: of what is drawn.

    Raises:
        InvalidData: there are too few rows.
    """
    own = protocol.own and bool(data.own)
    parts = islice(data.own if own else _drawn(data, rows, protocol, seed), number)
    return [some(part, rows.first) for part in parts]


def _drawn(data: Data, rows: Rows, protocol: Protocol, seed: int) -> Iterator[Split]:
    n, test = len(data.y), protocol.test if rows.test is None else rows.test
    if test == 0:
        everything = np.arange(n) if rows.train is None else np.random.default_rng(seed).permutation(n)[: rows.train]
        yield everything, everything
        return
    sizes = {"test_size": int(test) if test >= 1 else test, "train_size": rows.train}
    try:
        yield from ShuffleSplit(protocol.splits, random_state=seed, **sizes).split(data.X)
    except ValueError as error:
        raise InvalidData(f"{rows.name}: {n} rows are too few for splits of these sizes ({error})") from None


def some(split: Split, most: int | None) -> Split:
    """The split with so many training rows at most; without test rows of its own it is measured on those."""
    train, test = split
    fewer = train[:most]
    return fewer, fewer if train is test else test


def task_of(criterion: Any) -> Task:
    """What this criterion learns; the other programs of the tables take two classes."""
    if program_of(criterion):
        return "classification"
    name = criterion["name"] if isinstance(criterion, dict) else criterion
    task: Task = resolve("criterion", name).task
    return task
