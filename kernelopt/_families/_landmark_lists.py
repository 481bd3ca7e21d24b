"""Lists of which few rows span every kernel, on however many rows: explicit lists, the same to rounding."""

from collections.abc import Callable

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._families._contract import ExplicitFamily
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._landmark_choice import chosen
from kernelopt._families._landmarks import Landmarks, Spanned
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Part
from kernelopt._linalg._gram import ROW_BLOCK
from kernelopt._rows._coded import Block, CodedRows

MANY = 10_000
"""Up to so many rows Grams are at hand."""
_FEW = 128
"""Kernels that more features span are no thin ones, as where Grams are at hand."""
_MOST = 4000
"""Nor are lists of more features in all: products with them take longer than what is saved."""
_CANDIDATES = 4000
"""Rows among which landmarks are looked for first; rows that these do not span join them."""
_ROUNDING = 1e-9
"""Of the largest k(x, x): rows of which less is left out are spanned."""
_AT_ONCE = 1 << 16
"""So many rows are looked at at once."""
_LOOKS = 5
"""So often at most all rows are looked at for each kernel; each look finds the worst ones, as many as were
looked among first."""


Look = Callable[[tuple[Spanned, ...]], tuple[FloatArray, ...]]
"""Says of kernels which rows (k, d') their landmarks do not span: the worst ones of all."""


def spanned(leaf: Leaf, X: FloatArray, rows: CodedRows | None = None) -> Leaf | None:
    """The leaf as an explicit list of the same kernels in the same order; None where it is none, or already is one, or
    where more than a few rows are needed for one of its kernels.

    Args:
        leaf: prepared.
        X: the training rows, shape (n, d), or some of them.
        rows: all of them, where X has but some; each look is a pass over them.
    """
    if not isinstance(leaf.family, FiniteFamily) or isinstance(leaf.family, ExplicitFamily):
        return None
    view, rng = leaf.view(X), np.random.default_rng(0)
    first = view[np.sort(rng.permutation(len(view))[:_CANDIDATES])]
    look = _in_memory(view) if rows is None else _in_passes(leaf, rows)
    parts = [Part(atom[None], np.ones(1)) for atom in leaf.family.dictionary().atoms]
    kernels = _few_rows(leaf.family, parts, first, look, rng)
    return None if kernels is None else attrs.evolve(leaf, family=Landmarks(kernels))


def _few_rows(
    family: FiniteFamily, parts: list[Part], first: FloatArray, look: Look, rng: np.random.Generator
) -> tuple[Spanned, ...] | None:
    """Each kernel by few rows, which span all; None where they are not few."""
    found: dict[int, Spanned] = {}
    pending = dict.fromkeys(range(len(parts)), first)
    for _ in range(_LOOKS):
        for i, candidates in pending.items():
            one = chosen(family, parts[i], candidates, _FEW + 1, 0.0, rng)
            found[i] = one.kernel
            if len(one.places) > _FEW or sum(map(len, found.values())) > _MOST:
                return None
        beyond = look(tuple(found[i] for i in pending))
        pending = {i: np.vstack([found[i].rows, b]) for i, b in zip(pending, beyond, strict=True) if len(b)}
        if not pending:
            return tuple(found[i] for i in range(len(parts)))
    return None


def _in_memory(X: FloatArray) -> Look:
    """Looks at rows X (n, d')."""

    def look(kernels: tuple[Spanned, ...]) -> tuple[FloatArray, ...]:
        return _Looking(None, kernels)(Block(X, np.zeros((len(X), 0)), np.ones(len(X)))).rows

    return look


def _in_passes(leaf: Leaf, rows: CodedRows) -> Look:
    """Looks at all rows in one pass."""

    def look(kernels: tuple[Spanned, ...]) -> tuple[FloatArray, ...]:
        return rows.total(_Looking(leaf, kernels))[0].rows

    return look


@attrs.frozen(eq=False)
class _Beyond:
    """The rows of some blocks that landmarks do not span, the worst ones of each kernel. Those of two parts add.

    Attributes:
        left: of each kernel what is left out of k(x, x) at these rows, descending, (k,).
        found: the rows, (k, d').
        largest: of each kernel the largest k(x, x).
    """

    left: tuple[FloatArray, ...]
    found: tuple[FloatArray, ...]
    largest: tuple[float, ...]

    def plus(self, other: "_Beyond") -> "_Beyond":
        """Those of both parts."""
        left, found = [], []
        for k in range(len(self.left)):
            both = np.concatenate([self.left[k], other.left[k]])
            order = np.argsort(-both, kind="stable")[:_CANDIDATES]
            left.append(both[order])
            found.append(np.vstack([self.found[k], other.found[k]])[order])
        return _Beyond(tuple(left), tuple(found), tuple(map(max, self.largest, other.largest)))

    @property
    def rows(self) -> tuple[FloatArray, ...]:
        """Of each kernel the rows of which more than rounding is left out."""
        triples = zip(self.left, self.found, self.largest, strict=True)
        return tuple(found[left > _ROUNDING * largest] for left, found, largest in triples)


@attrs.frozen(eq=False)
class _Looking:
    """Looks at a block.

    Attributes:
        leaf: through which rows are seen; None where they are seen as they are.
        kernels: with their landmarks.
    """

    leaf: Leaf | None
    kernels: tuple[Spanned, ...]

    @property
    def at_once(self) -> int:
        """So many rows a block has at most."""
        return _AT_ONCE

    def __call__(self, block: Block) -> _Beyond:
        X = block.X if self.leaf is None else self.leaf.view(block.X)
        left, found, largest = [], [], []
        for kernel in self.kernels:
            lacking, whole = _left_out(kernel, X)
            order = np.argsort(-lacking, kind="stable")[:_CANDIDATES]
            left.append(lacking[order])
            found.append(X[order])
            largest.append(float(whole.max(initial=0.0)))
        return _Beyond(tuple(left), tuple(found), tuple(largest))


def _left_out(kernel: Spanned, X: FloatArray) -> tuple[FloatArray, FloatArray]:
    """What the landmarks leave out of k(x, x) at rows X (n, d'), and k(x, x) itself, shape (n,) each."""
    left, whole = np.empty(len(X)), np.empty(len(X))
    for i in range(0, len(X), ROW_BLOCK):
        rows = slice(i, i + ROW_BLOCK)
        whole[rows] = kernel.family.diag(kernel.part, X[rows])
        phi = kernel.features(X[rows])
        left[rows] = whole[rows] - np.einsum("ij,ij->i", phi, phi)
    return left, whole
