"""All kernels of a problem's finite lists, as one list."""

from collections.abc import Iterator, Sequence

import attrs
import numpy as np

from kernelopt.plugin import (
    Ceiling,
    Data,
    Dense,
    DualPoint,
    FiniteFamily,
    FloatArray,
    IntArray,
    Leaf,
    Mixture,
    Part,
    Problem,
    StoredFamily,
)


@attrs.frozen(eq=False)
class Pool:
    """The kernels of every leaf, one after the other, each with its leaf's factor.

    Attributes:
        problem: its leaves are finite lists.
        atoms: of each leaf, shape (m_l, p).
    """

    problem: Problem
    atoms: tuple[FloatArray, ...]

    @classmethod
    def of(cls, problem: Problem) -> "Pool":
        """The pool of a problem."""
        return cls(problem, tuple(_finite(leaf.family).dictionary().atoms for leaf in problem.leaves))

    def __len__(self) -> int:
        return sum(len(atoms) for atoms in self.atoms)

    def images(self, V: FloatArray) -> FloatArray:
        """K_a V of every kernel for V of shape (n, c), shape (m, n, c)."""
        images: list[FloatArray] = []
        for leaf, data, atoms in zip(self.problem.leaves, self.problem.data, self.atoms, strict=True):
            if isinstance(leaf.family, StoredFamily):
                stored = (Dense(leaf.family.stored(data, atom)) for atom in atoms)
                images.extend(leaf.factor * gram.apply(V) for gram in stored)
            else:
                images.extend(leaf.factor * _finite(leaf.family).columns_of(data, V))
        return np.stack(images)

    def followed(self, images: FloatArray, before: FloatArray, V: FloatArray) -> FloatArray:
        """`images` of V from those of the V before: where few rows changed, few are read."""
        change = V - before
        few = 2 * np.count_nonzero(change.any(axis=1)) < np.count_nonzero(V.any(axis=1))
        return images + self.images(change) if few else self.images(V)

    def write_blocks(self, kernels: IntArray, rows: IntArray, place: FloatArray) -> None:
        """Into place (k, r, r) the Grams of some kernels (k,), ascending, on some rows (r,)."""
        from kernelopt.dual.loops import write_block  # numba is imported when the first problem needs it

        empty = iter(place)
        for leaf, data, atoms, mine in self._shares(kernels):
            for atom in atoms[mine]:
                if isinstance(leaf.family, StoredFamily):
                    write_block(leaf.family.stored(data, atom), rows, rows, leaf.factor, next(empty))
                else:
                    gram = leaf.family.gram(Part(atom[None], np.ones(1)), data)
                    np.multiply(leaf.factor, gram.block(rows, rows), out=next(empty))

    def _shares(self, kernels: IntArray) -> Iterator[tuple[Leaf, Data, FloatArray, IntArray]]:
        """Each leaf with its data, its atoms, and which of them are among these kernels."""
        first = 0
        for leaf, data, atoms in zip(self.problem.leaves, self.problem.data, self.atoms, strict=True):
            mine = kernels[(kernels >= first) & (kernels < first + len(atoms))] - first
            yield leaf, data, atoms, mine
            first += len(atoms)

    def mixture(self, weights: FloatArray) -> Mixture:
        """The mixture of these weights (m,), without the atoms that have none."""
        ends = np.cumsum([len(atoms) for atoms in self.atoms])[:-1]
        shares = np.split(weights, ends)
        return Mixture(tuple(Part(a, w).kept() for a, w in zip(self.atoms, shares, strict=True)))

    def weights(self, mixture: Mixture) -> FloatArray:
        """The weights of a mixture, shape (m,)."""
        leaves = zip(self.problem.leaves, mixture.parts, strict=True)
        return np.concatenate([_finite(leaf.family).parameters(part) for leaf, part in leaves])

    def ceiling(self, points: Sequence[DualPoint], values: FloatArray) -> Ceiling:
        """The core's ceiling at dual variables where every v'K_a v (m,) is known."""
        ends = np.cumsum([len(atoms) for atoms in self.atoms])[:-1]
        forms = zip(np.split(values, ends), self.problem.leaves, strict=True)
        return self.problem.ceiling(points, forms=[mine / leaf.factor for mine, leaf in forms])


def _finite(family: object) -> FiniteFamily:
    assert isinstance(family, FiniteFamily)
    return family
