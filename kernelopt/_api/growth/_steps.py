"""Kernels that join families at once, if rows that were held out are predicted better with them."""

from collections.abc import Callable, Iterator
from typing import Any

import attrs
import numpy as np

from kernelopt._api.data._training import Training
from kernelopt._base._typing import BoolArray, FloatArray, IntArray
from kernelopt._base.tables._measures import is_measure
from kernelopt._families._contract import KernelFamily
from kernelopt._families._leaf import Leaf

Asked = Callable[[KernelFamily, FloatArray, Any, FloatArray], KernelFamily | None]
Wanted = Callable[[KernelFamily, FloatArray, FloatArray], bool]


@attrs.frozen
class Step:
    """One kind of such kernels.

    Attributes:
        words: what they are called.
        asked: a prepared family with them, for its rows (n, d), their targets (n, c) and weights (n,); None where it
            has none.
        wanted: whether it is asked at all, for all rows (n, d) that may say so, of these weights (n,).
    """

    words: str
    asked: Asked
    wanted: Wanted = lambda *_: True

    def suits(self, leaves: tuple[Leaf, ...], training: Training, rows: IntArray) -> bool:
        """Whether any of the leaves is asked, for these training rows: all that are looked at, and not a part."""
        X, weight = training.X[rows], training.weight[rows, 0]
        return any(grows(leaf) and self.wanted(leaf.family, leaf.view(X), weight) for leaf in leaves)

    def join(self, leaves: tuple[Leaf, ...], training: Training, rows: IntArray | slice) -> tuple[Leaf, ...] | None:
        """The leaves with these kernels, for some training rows; None where there are none. The rows of trees
        and of parts are drawn by places, so each row is at its own one.
        """
        rows = training.in_place(np.arange(len(training.X))[rows])
        X, y, weight = training.X[rows], training.y[rows], training.weight[rows, 0]
        found = [self._joined(leaf, training, X, (y, weight)) if grows(leaf) else None for leaf in leaves]
        if all(one is None for one in found):
            return None
        return tuple(attrs.evolve(leaf, family=one or leaf.family) for leaf, one in zip(leaves, found, strict=True))

    def _joined(
        self,
        leaf: Leaf,
        training: Training,  # noqa: ARG002
        X: FloatArray,
        seen: tuple[FloatArray, FloatArray],
    ) -> KernelFamily | None:
        """The leaf's family with these kernels, for some rows (n, d), their targets (n, c) and weights (n,)."""
        return self.asked(leaf.family, leaf.view(X), *seen)


@attrs.frozen
class OfDates(Step):
    """A kind of kernels that columns of dates have; `asked` gets these columns in the place of targets."""

    def suits(self, leaves: tuple[Leaf, ...], training: Training, rows: IntArray) -> bool:  # noqa: ARG002
        return any(grows(leaf) and len(_dates(leaf, training)) for leaf in leaves)

    def _joined(
        self, leaf: Leaf, training: Training, X: FloatArray, seen: tuple[FloatArray, FloatArray]
    ) -> KernelFamily | None:
        dates, lacking = _dates(leaf, training), _lacking(leaf, training, X)
        if not len(dates) or lacking.all():
            return None
        return self.asked(leaf.family, leaf.view(X), dates, np.where(lacking, 0.0, seen[1]))


def _dates(leaf: Leaf, training: Training) -> IntArray:
    """Where columns of dates stand among what a family gets, shape (k,)."""
    return leaf.places(list(_dated(training)))


def _lacking(leaf: Leaf, training: Training, X: FloatArray) -> BoolArray:
    """Which rows (n, d) lack a date among the columns of a leaf, shape (n,): families see the mean there."""
    dates = [j for j in _dated(training) if j in leaf.columns]
    return np.asarray(np.isnan(X[:, dates]).any(axis=1))


def _dated(training: Training) -> Iterator[int]:
    """The columns whose numbers are days: numbers with a unit have no seasons."""
    return (j for j, order in training.encoding.dates if not is_measure(order))


SEASONS = OfDates(
    "kernels of the time of the year, of the week or of the day",
    lambda family, X, dates, weight: family.seasonal(X, weight, dates),
)
FRACTIONS = Step("kernels of numbers that may be names", lambda family, X, _, weight: family.offered(X, weight))
CATEGORIES = Step(
    "kernels of all columns in which some numbers are names", lambda family, *seen: family.categorised(*seen)
)
COLUMNS = Step(
    "kernels of the columns that say most of the targets",
    lambda family, *seen: family.selected(*seen),
    lambda family, *seen: family.crowded(*seen),
)
CORRELATED = Step(
    "kernels of columns weighed by their correlations with the targets",
    lambda family, *seen: family.correlated(*seen),
    lambda family, *seen: family.crowded(*seen),
)
SPARSE = Step(
    "kernels of columns weighed by their slopes in a sparse linear function",
    lambda family, *seen: family.sparse(*seen),
    lambda family, *seen: family.crowded(*seen),
)
WIDTHS = Step("kernels with a fitted width for each column", lambda family, *seen: family.adapted(*seen))
TREES = Step("kernels of trees", lambda family, *seen: family.parted(*seen))
EVERY = (SEASONS, FRACTIONS, CATEGORIES, CORRELATED, SPARSE, COLUMNS, WIDTHS, TREES)


def grows(leaf: Leaf) -> bool:
    """Whether kernels may join the family: a price is on the kernels that are there."""
    return leaf.family.grows and leaf.penalty is None
