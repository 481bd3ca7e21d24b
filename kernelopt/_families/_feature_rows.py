"""Rows of features that are never all in memory: computed block by block, whenever they are asked for."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TypeAlias

import attrs
import numpy as np
from scipy.linalg import blas

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families._contract import ExplicitFamily
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._leaf import Leaf
from kernelopt._linalg._gram import mirrored

_ENTRIES = 1 << 23
"""Features that are held at once: 64 MiB of them, so that a product with a block is worth its call."""

_HELD = 1 << 28
"""So many are held for further passes: 2 GiB."""

Passing: TypeAlias = Callable[[float], None]
"""Gets the share of a pass that is over."""


def blocks_for(n: int, width: int) -> int:
    """In how many blocks n rows of so many features are gone over."""
    return -(-n * max(width, 1) // _ENTRIES)


def holdable(n: int, width: int) -> bool:
    """Whether n rows of so many features are held for further passes: where they take no more than 2 GiB."""
    return n * width <= _HELD


def unheard(share: float) -> None:
    """Nobody is told of a pass."""


@attrs.frozen(eq=False)
class FeatureRows:
    """The features of explicit lists, one after the other, at rows X (n, d).

    Attributes:
        leaves: explicit lists; the identity on samples is none of them.
        X: rows, shape (n, d).
        owner: for each leaf the atom that each of its columns belongs to, ascending.
        held: Phi, shape (n, r), where there is room for it; None where it is computed whenever it is asked for.
    """

    leaves: tuple[Leaf, ...]
    X: FloatArray
    owner: tuple[IntArray, ...]
    held: FloatArray | None = None

    @classmethod
    def of(cls, leaves: tuple[Leaf, ...], X: FloatArray) -> "FeatureRows":
        """The features of all atoms of the leaves."""
        return cls(leaves, X, tuple(_columns(leaf, X[:1])[1] for leaf in leaves))

    def kept(self, heard: Passing = unheard, stop: Callable[[], bool] = bool) -> "FeatureRows":
        """The same with all features in memory, where they take no more than 2 GiB: several passes are cheaper then.

        Where it was to stop, as it was.
        """
        if self.held is not None or not holdable(len(self.X), self.width):
            return self
        held = np.empty((len(self.X), self.width))
        for rows, phi in self.blocks(heard):
            held[rows] = phi
            if stop():
                return self
        return attrs.evolve(self, held=held)

    def only(self, rows: IntArray) -> "FeatureRows":
        """Of these rows (k,) alone."""
        return attrs.evolve(self, X=self.X[rows], held=None if self.held is None else self.held[rows])

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.X)

    @property
    def width(self) -> int:
        """How many features there are: r."""
        return sum(len(owner) for owner in self.owner)

    @property
    def places(self) -> tuple[slice, ...]:
        """Those of each leaf among all columns."""
        ends = np.cumsum([0, *(len(owner) for owner in self.owner)])
        return tuple(slice(int(i), int(j)) for i, j in pairwise(ends))

    def at(self, rows: slice | IntArray) -> FloatArray:
        """Phi of some rows, shape (k, r), not to be written into."""
        if self.held is not None:
            return self.held[rows]
        pieces = [_columns(leaf, self.X[rows])[0] for leaf in self.leaves]
        return pieces[0] if len(pieces) == 1 else np.hstack([np.zeros((len(self.X[rows]), 0)), *pieces])

    def blocks(self, heard: Passing = unheard) -> Iterator[tuple[slice, FloatArray]]:
        """All rows, some at once, with their features (k, r), which are not to be written into.

        A block has rows from everywhere, at equal distances, so that the first blocks stand for all.
        """
        many = blocks_for(len(self.X), self.width)
        for block in range(many):
            rows = slice(block, None, many)
            yield rows, self.at(rows)
            heard((block + 1) / many)

    def image(self, B: FloatArray, heard: Passing = unheard) -> FloatArray:
        """Phi B for B (r, c), shape (n, c)."""
        total = np.empty((len(self.X), B.shape[1]))
        for rows, phi in self.blocks(heard):
            total[rows] = phi @ B
        return total


def _columns(leaf: Leaf, X: FloatArray) -> tuple[FloatArray, IntArray]:
    """The features (n, r) of all atoms of a leaf, and their atoms (r,)."""
    assert isinstance(leaf.family, ExplicitFamily)
    assert isinstance(leaf.family, FiniteFamily)
    columns, owner = leaf.family.columns(leaf.family.dictionary().atoms, leaf.view(X))
    if (np.diff(owner) < 0).any():
        order = np.argsort(owner, kind="stable")
        columns, owner = columns[:, order], owner[order]
    return columns if leaf.factor == 1.0 else columns * np.sqrt(leaf.factor), owner


@attrs.frozen(eq=False)
class Sums:
    """What many rows are summed up to. Sums over parts of the rows add.

    Attributes:
        inner: Phi'S Phi, S = diag of the weights, shape (r, r).
        along: Phi'S Y, shape (r, c).
        squares: Y'S Y, shape (c, c).
        rows: the sum of the weights.
    """

    inner: FloatArray
    along: FloatArray
    squares: FloatArray
    rows: float


def summed(
    features: FeatureRows,
    Y: FloatArray,
    weight: FloatArray,
    heard: Passing = unheard,
    stop: Callable[[], bool] = bool,
) -> tuple[Sums, int]:
    """In one pass over rows with targets Y (n, c) that count so often (n,), and over how many of them.

    They are all, but where it was to stop: then some from everywhere, at least one block. O(n r^2) and no array of n r.
    """
    r, root, weighed = features.width, np.sqrt(weight)[:, None], bool((weight != 1.0).any())
    half, along = np.zeros((r, r), order="F"), np.zeros((r, Y.shape[1]))
    squares, counted, seen = np.zeros((Y.shape[1],) * 2), 0.0, 0
    for rows, phi in features.blocks(heard):
        phi = phi * root[rows] if weighed else phi
        y = root[rows] * Y[rows]
        half = blas.dsyrk(1.0, phi.T, beta=1.0, c=half, lower=1, overwrite_c=1)
        along += phi.T @ y
        squares += y.T @ y
        counted += float(weight[rows].sum())
        seen += len(y)
        if stop():
            break
    return Sums(mirrored(np.ascontiguousarray(half)), along, squares, counted), seen
