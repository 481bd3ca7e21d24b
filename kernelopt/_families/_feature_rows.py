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
from kernelopt._linalg._gram import ROW_BLOCK, mirrored

_ENTRIES = 1 << 21
"""Features that are computed at once: 16 MiB of them, so that a product with a block is worth its call, and a block of
thousands of features takes less than a second."""

_HELD = 1 << 28
"""So many are held for further passes: 2 GiB."""

Passing: TypeAlias = Callable[[float], None]
"""Gets the share of a pass that is over."""


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

    @property
    def small(self) -> bool:
        """Whether all features take no more than 2 GiB, so that they may be held: several passes are cheaper then."""
        return len(self.X) * self.width <= _HELD

    def only(self, rows: IntArray) -> "FeatureRows":
        """Of these rows (k,) alone."""
        return attrs.evolve(self, X=self.X[rows], held=None if self.held is None else self.held[rows])

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
        return np.hstack([np.zeros((len(self.X[rows]), 0)), *(_columns(leaf, self.X[rows])[0] for leaf in self.leaves)])

    def blocks(self, heard: Passing = unheard) -> Iterator[tuple[slice, FloatArray]]:
        """All rows, some at once, with their features (k, r), which are not to be written into.

        A block has rows from everywhere, at equal distances, so that the first blocks stand for all.
        """
        many = -(-len(self.X) * max(self.width, 1) // _ENTRIES)
        for block in range(many):
            rows = slice(block, None, many)
            yield rows, self.at(rows)
            heard((block + 1) / many)

    def image(self, B: FloatArray, heard: Passing = unheard) -> FloatArray:
        """Phi B for B (r, c), shape (n, c)."""
        total = np.empty((len(self.X), B.shape[1]))
        if self.held is not None:
            np.matmul(self.held, B, out=total)
            return total
        for i in range(0, len(self.X), ROW_BLOCK):
            rows = slice(i, i + ROW_BLOCK)
            total[rows] = sum(
                (_image(leaf, self.X[rows], B[place]) for leaf, place in zip(self.leaves, self.places, strict=True)),
                np.zeros((1, B.shape[1])),
            )
            heard(min(rows.stop / len(self.X), 1.0))
        return total


def _image(leaf: Leaf, X: FloatArray, B: FloatArray) -> FloatArray:
    """The features of all atoms of a leaf at rows X times B (r, c), whose rows stand atom by atom, shape (n, c)."""
    assert isinstance(leaf.family, ExplicitFamily)
    assert isinstance(leaf.family, FiniteFamily)
    atoms = leaf.family.dictionary().atoms
    order = np.argsort(leaf.family.columns(atoms, leaf.view(X[:1]))[1], kind="stable")
    own = np.empty_like(B)
    own[order] = B
    return np.asarray(leaf.family.image(atoms, leaf.view(X), own) * np.sqrt(leaf.factor))


def _columns(leaf: Leaf, X: FloatArray) -> tuple[FloatArray, IntArray]:
    """The features (n, r) of all atoms of a leaf, and their atoms (r,)."""
    assert isinstance(leaf.family, ExplicitFamily)
    assert isinstance(leaf.family, FiniteFamily)
    columns, owner = leaf.family.columns(leaf.family.dictionary().atoms, leaf.view(X))
    order = np.argsort(owner, kind="stable")
    return columns[:, order] * np.sqrt(leaf.factor), owner[order]


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


@attrs.frozen(eq=False)
class Pass:
    """What a pass over rows has gathered.

    Attributes:
        sums: of the rows that were seen.
        features: of these rows, in the order in which they were seen; held, where they are small.
        seen: which rows they are, in that order, shape (k,).
    """

    sums: Sums
    features: FeatureRows
    seen: IntArray


def summed(
    features: FeatureRows,
    Y: FloatArray,
    weight: FloatArray,
    heard: Passing = unheard,
    stop: Callable[[], bool] = bool,
) -> Pass:
    """In one pass over rows with targets Y (n, c) that count so often (n,).

    All are seen, but where it was to stop: then some from everywhere, at least one block. O(n r^2), and no array of n r
    but where features are held.
    """
    r, root, weighed = features.width, np.sqrt(weight)[:, None], bool((weight != 1.0).any())
    half, along = np.zeros((r, r), order="F"), np.zeros((r, Y.shape[1]))
    squares, counted = np.zeros((Y.shape[1],) * 2), 0.0
    held, seen = np.empty((len(Y), r)) if features.small else None, np.zeros(0, dtype=np.intp)
    for rows, phi in features.blocks(heard):
        first, seen = len(seen), np.append(seen, np.arange(len(Y))[rows])
        if held is not None:
            held[first : len(seen)] = phi
        phi = phi * root[rows] if weighed else phi
        y = root[rows] * Y[rows]
        half = blas.dsyrk(1.0, phi.T, beta=1.0, c=half, lower=1, overwrite_c=1)
        along += phi.T @ y
        squares += y.T @ y
        counted += float(weight[rows].sum())
        if stop():
            break
    sums = Sums(mirrored(np.ascontiguousarray(half)), along, squares, counted)
    there = attrs.evolve(features, X=features.X[seen], held=None if held is None else held[: len(seen)])
    return Pass(sums, there, seen)
