"""Kernels by the features that some rows span: an explicit list, for more rows than a Gram can have."""

from collections.abc import Iterator
from functools import reduce
from typing import ClassVar

import attrs
import numpy as np
from scipy.linalg import blas, solve_triangular

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families._contract import KernelFamily
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._mixture import Part, join


@attrs.frozen(eq=False)
class Spanned:
    """A kernel of a family, and rows whose features stand for those of all others.

        phi(x) = L^-1 k(Z, x),    L L' = k(Z, Z)

    k(x, z) = phi(x)'phi(z) wherever x or z is one of the rows Z, and elsewhere as far as they span the kernel
    (Williams and Seeger 2001).

    Attributes:
        family: prepared.
        part: the kernel.
        rows: Z, shape (r, d).
        lower: L, shape (r, r), positive on its diagonal.
    """

    family: KernelFamily
    part: Part
    rows: FloatArray
    lower: FloatArray

    def __len__(self) -> int:
        return len(self.rows)

    def features(self, X: FloatArray) -> FloatArray:
        """phi of rows X (n, d), shape (n, r)."""
        between = self.family.cross(self.part, self.rows, X)
        # phi L' = k(X, Z): the transposed array is in the order that BLAS takes, so that nothing is copied.
        return np.asarray(blas.dtrsm(1.0, self.lower, between.T, side=1, lower=1, trans_a=1, overwrite_b=1))

    def image(self, X: FloatArray, B: FloatArray) -> FloatArray:
        """phi(x)'B = k(x, Z) L^-T B of rows X (n, d) for B (r, c), shape (n, c): O(r) for each row, not O(r^2)."""
        solved = solve_triangular(self.lower, B, lower=True, trans=1, check_finite=False)
        product: FloatArray = self.family.cross(self.part, X, self.rows) @ solved
        return product


@attrs.frozen(eq=False)
class Landmarks(ExplicitFamily, FiniteFamily):
    """The hull of kernels that are known by their features at some rows.

    Attributes:
        kernels: the list; an atom is the number of one.
    """

    name: ClassVar[str] = "landmarks"

    kernels: tuple[Spanned, ...] = ()

    @property
    def order(self) -> int:
        """How many features all kernels have together."""
        return sum(len(one) for one in self.kernels)

    def dictionary(self) -> Part:
        m = len(self.kernels)
        return Part(np.arange(m, dtype=float)[:, None], np.full(m, 1.0 / max(m, 1)))

    def columns(self, atoms: FloatArray, X: FloatArray) -> tuple[FloatArray, IntArray]:
        pieces = [self.kernels[int(a)].features(X) for a in atoms[:, 0]]
        owner = np.repeat(np.arange(len(pieces)), [one.shape[1] for one in pieces])
        return pieces[0] if len(pieces) == 1 else np.hstack([np.zeros((len(X), 0)), *pieces]), owner

    def image(self, atoms: FloatArray, X: FloatArray, B: FloatArray) -> FloatArray:
        total = np.zeros((len(X), B.shape[1]))
        for one, place in self._placed(atoms):
            total += one.image(X, B[place])
        return total

    def missing(self, part: Part, X: FloatArray, features: FloatArray) -> FloatArray:
        total = np.zeros(len(X))
        for (one, place), weight in zip(self._placed(part.atoms), part.weights, strict=True):
            left = one.family.diag(one.part, X) - np.einsum("ij,ij->i", F := features[:, place], F)
            total += weight * np.maximum(left, 0.0)
        return total

    def _placed(self, atoms: FloatArray) -> Iterator[tuple[Spanned, slice]]:
        """The kernels of these atoms, and the places of their features among those of all."""
        start = 0
        for a in atoms[:, 0].astype(int):
            yield self.kernels[a], slice(start, start + len(self.kernels[a]))
            start += len(self.kernels[a])

    def caution(self, Z: FloatArray) -> str | None:
        return next((text for one in self.kernels if (text := one.family.caution(Z)) is not None), None)

    def compact(self, part: Part) -> tuple[KernelFamily, Part]:
        """The kernels that have weight, with no more than prediction needs."""
        kept = part.kept()
        return Landmarks(tuple(_compact(self.kernels[a]) for a in kept.atoms[:, 0].astype(int))), Part(
            np.arange(len(kept), dtype=float)[:, None], kept.weights
        )

    def named(self, columns: tuple[str, ...]) -> "Landmarks":
        families = {id(one.family): one.family for one in self.kernels}
        named = {key: family.named(columns) for key, family in families.items()}  # of one list one list again
        return Landmarks(tuple(attrs.evolve(one, family=named[id(one.family)]) for one in self.kernels))

    def describe(self, part: Part) -> str:
        """The kernels in the words of their families, and how many rows stand for them."""
        used = [(self.kernels[int(a)], w) for a, w in zip(part.atoms[:, 0], part.weights, strict=True) if w > 0.0]
        if not used:
            return "no landmarks"
        families = {id(one.family): one.family for one, _ in used}
        words = [
            family.describe(reduce(join, (one.part.scaled(w) for one, w in used if one.family is family)))
            for family in families.values()
        ]
        return f"{' + '.join(words)}, by {sum(len(one) for one, _ in used)} landmarks"

    def label(self, atom: FloatArray) -> str:
        one = self.kernels[int(atom[0])]
        named = one.family.label(one.part.atoms[0]) if len(one.part) == 1 else None
        return f"{named or one.family.name} by {len(one)} landmarks"


def _compact(one: Spanned) -> Spanned:
    family, part = one.family.compact(one.part)
    return attrs.evolve(one, family=family, part=part)
