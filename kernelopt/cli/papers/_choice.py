"""What a method does not learn is chosen from its grid by folds of training rows, as the papers did."""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from statistics import median_low
from typing import Any, TypeVar

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from kernelopt._base._errors import KerneloptError
from kernelopt._criteria._contract import Task
from kernelopt.cli.papers._data import Data
from kernelopt.sklearn._beside import Split

Values = dict[str, Any]
Grid = Mapping[str, Sequence[Any]]
"""Values to choose from by options, each in their order: numbers, or texts such as "3 / n"."""
Part = TypeVar("Part")


def tried(grid: Grid) -> list[Values]:
    """Every combination of the grid's values, by options."""
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


def best(grid: Grid, parts: Sequence[Part], lost: Callable[[Part, Mapping[str, Any]], float]) -> Values:
    """The values with the least mean loss over these parts; of equal ones, the first of the grid.

    Args:
        grid: values by options.
        parts: folds of the training rows.
        lost: by a solve with such values on one part.

    Raises:
        KerneloptError: no values of the grid can be solved; the reason of the last.
    """
    found, least, reason = None, math.inf, None
    for values in tried(grid):
        try:
            mean = float(np.mean([lost(part, values) for part in parts]))
        except KerneloptError as error:
            reason = error
            continue
        if found is None or mean < least:
            found, least = values, mean
    if found is None:
        assert reason is not None
        raise reason
    return found


def folds(data: Data, train: Any, task: Task, number: int, seed: int) -> list[Split]:
    """Folds of training rows, by the numbers of the rows."""
    kind = StratifiedKFold if task == "classification" else KFold
    parts = kind(number, shuffle=True, random_state=seed).split(data.X[train], data.y[train])
    return [(train[inner], train[held]) for inner, held in parts]


def median(grid: Grid, choices: Sequence[Values]) -> Values:
    """The median of each value in the order of the grid, of an even number of choices the lower one."""
    return {
        name: values[median_low([list(values).index(choice[name]) for choice in choices])]
        for name, values in grid.items()
    }
