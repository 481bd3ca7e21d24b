"""Lists of which few rows span every kernel, on however many rows: explicit lists, the same to rounding."""

from collections.abc import Mapping, Sequence

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Part
from kernelopt._families.features._landmark_choice import chosen
from kernelopt._families.features._landmarks import Landmarks, Spanned
from kernelopt._linalg._gram import ROW_BLOCK
from kernelopt._rows._coded import Block, CodedRows

MANY = 10_000
"""Up to so many rows Grams are at hand."""
WHOLE = 40_000
"""Up to so many rows the Gram of one kernel is formed: half of it, in single precision, takes 3.2 GB."""
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


def spanned(leaves: tuple[Leaf, ...], X: FloatArray, rows: CodedRows | None = None) -> tuple[Leaf | None, ...]:
    """Each leaf as an explicit list of the same kernels in the same order; None where it is none, or already is one, or
    where more than a few rows are needed for one of its kernels.

    Args:
        leaves: prepared.
        X: the training rows, shape (n, d), or some of them.
        rows: all of them, where X has but some; each look is one pass over them, for all leaves together.
    """
    every = Block(X, np.zeros((len(X), 0)), np.ones(len(X)))
    searches = {place: _Search.of(leaf, X) for place, leaf in enumerate(leaves) if _searched(leaf)}
    found: dict[int, Leaf] = {}
    for _ in range(_LOOKS):
        few = {place: one for place, search in searches.items() if (one := search.chosen()) is not None}
        if not few:
            break
        look = _Looking(tuple((one.leaf, one.asked) for one in few.values()))
        beyond = iter((look(every) if rows is None else rows.total(look)[0]).rows)
        searches = {place: one.beyond([next(beyond) for _ in one.pending]) for place, one in few.items()}
        found |= {place: one.thin for place, one in searches.items() if not one.pending}
        searches = {place: one for place, one in searches.items() if one.pending}
    return tuple(found.get(place) for place in range(len(leaves)))


def _searched(leaf: Leaf) -> bool:
    """Whether it is a list without features of its own."""
    return isinstance(leaf.family, FiniteFamily) and not isinstance(leaf.family, ExplicitFamily)


@attrs.frozen(eq=False)
class _Search:
    """Looks for few rows that span each kernel of a list.

    Attributes:
        leaf: the list.
        rng: draws.
        pending: for each kernel that is not known to be spanned the rows among which landmarks are looked for.
        kernels: those that have landmarks, by their places.
    """

    leaf: Leaf
    rng: np.random.Generator
    pending: Mapping[int, FloatArray]
    kernels: Mapping[int, Spanned]

    @classmethod
    def of(cls, leaf: Leaf, X: FloatArray) -> "_Search":
        """Its beginning, from some of the rows X (n, d)."""
        assert isinstance(leaf.family, FiniteFamily)
        rng = np.random.default_rng(0)
        first = leaf.view(X[np.sort(rng.permutation(len(X))[:_CANDIDATES])])
        return cls(leaf, rng, dict.fromkeys(range(len(leaf.family.dictionary())), first), {})

    def chosen(self) -> "_Search | None":
        """With landmarks for each pending kernel; None where they are not few."""
        assert isinstance(self.leaf.family, FiniteFamily)
        atoms, found = self.leaf.family.dictionary().atoms, dict(self.kernels)
        for i, candidates in self.pending.items():
            part = Part(atoms[i][None], np.ones(1))
            one = chosen(self.leaf.family, part, candidates, _FEW + 1, 0.0, self.rng)
            found[i] = one.kernel
            if len(one.places) > _FEW or sum(map(len, found.values())) > _MOST:
                return None
        return attrs.evolve(self, kernels=found)

    @property
    def asked(self) -> tuple[Spanned, ...]:
        """The pending kernels, of which a look says whether they are spanned."""
        return tuple(self.kernels[i] for i in self.pending)

    def beyond(self, rows: Sequence[FloatArray]) -> "_Search":
        """With what a look says: for each pending kernel the rows (k, d') that its landmarks do not span."""
        pairs = zip(self.pending, rows, strict=True)
        pending = {i: np.vstack([self.kernels[i].rows, more]) for i, more in pairs if len(more)}
        return attrs.evolve(self, pending=pending)

    @property
    def thin(self) -> Leaf:
        """The list by landmarks, once each kernel has them."""
        kernels = tuple(self.kernels[i] for i in range(len(self.kernels)))
        return attrs.evolve(self.leaf, family=Landmarks(kernels))


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
        lists: each with kernels of it that have landmarks.
    """

    lists: tuple[tuple[Leaf, tuple[Spanned, ...]], ...]

    @property
    def at_once(self) -> int:
        """So many rows a block has at most."""
        return _AT_ONCE

    def __call__(self, block: Block) -> _Beyond:
        left, found, largest = [], [], []
        for leaf, kernels in self.lists:
            X = leaf.view(block.X)
            for kernel in kernels:
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
