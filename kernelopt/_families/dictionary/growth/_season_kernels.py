"""Kernels of seasons: rows of one time of the year, of the week or of the day are alike, however far apart in time."""

from collections.abc import Iterator
from itertools import chain

import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families.dictionary.columns._column_layout import Layout
from kernelopt._families.dictionary.columns._standard_columns import Frame
from kernelopt._families.dictionary.kernels._base_kernels import PlacedKernel
from kernelopt._families.dictionary.lists._auto import of_categories
from kernelopt._families.dictionary.seen._seasons import PERIODS, Seasons, Wave

ALONE = (0.5, 5.0, 50.0)
"""gamma of the Gaussians on the circle of one season: the narrowest of a year tells days apart that are a week from
each other. Worth: `dates_table.py`, dates beside days."""
_ROUNDS = 2.0
"""Seasons that came back less often cannot be told from anything else that changes with time."""
_APART = 0.01
"""The variance on a circle of radius 1 from which on rows are of different times: that of weekly rows in a week is 0,
and of yearly ones in a year less than 1e-4."""


def season_kernels(X: FloatArray, dates: IntArray, layout: Layout, frame: Frame) -> tuple[PlacedKernel, ...]:
    """Kernels of the seasons that columns of dates show; none where they show none.

    Gaussians on each season alone, and the kernels of all columns with the seasons beside them, whose k(x, x) is 1 but
    for that of the quadratic one.

    Args:
        X: rows as they came, shape (n, p): columns of numbers.
        dates: which of these hold days, shape (k,).
        layout: of what the kernels see.
        frame: of the columns of numbers.
    """
    waves = tuple(chain.from_iterable(_waves(X[:, j], int(j), frame) for j in dates))
    if not waves:
        return ()
    held = () if layout.groups is None else layout.groups.places(layout.grouped)
    every = Seasons(waves, (*range(layout.numbers), *chain.from_iterable(held)))
    alone = (PlacedKernel(("rbf", {"gamma": gamma}), Seasons((wave,))) for wave in waves for gamma in ALONE)
    return (*alone, *(PlacedKernel(kernel, every) for kernel in of_categories(layout.columns + len(waves))))


def _waves(days: FloatArray, column: int, frame: Frame) -> Iterator[Wave]:
    """Those of the seasons of a column of days (n,) that came back, and of which its rows show more than one time."""
    near, deviation, *rest = (float(part[column]) for part in frame)
    span = float(days.max() - days.min())
    for period in PERIODS:
        again = span >= _ROUNDS * period or (period == 1.0 and _times(days))
        if again and _variance(days / period) > _APART:
            yield Wave.of_frame(column, period, near + sum(rest), deviation)


def _times(days: FloatArray) -> bool:
    """Whether days (n,) are the times of a day that is not named, which comes back."""
    return bool(days.min() >= 0.0 and days.max() < 1.0)


def _variance(turns: FloatArray) -> float:
    """That of points on a circle of radius 1, after so many turns each (n,)."""
    return float(1.0 - abs(np.mean(np.exp(2j * np.pi * turns))) ** 2)
