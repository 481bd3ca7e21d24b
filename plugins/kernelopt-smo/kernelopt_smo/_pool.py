"""All kernels of a problem's finite lists, as one list."""

from collections.abc import Iterator

import attrs
import numpy as np

from kernelopt.plugin import (
    Ceiling,
    Data,
    Dense,
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

    def images(self, kernels: IntArray, V: FloatArray) -> FloatArray:
        """K_a V for some kernels (k,), ascending, and V of shape (n, c), shape (k, n, c)."""
        images: list[FloatArray] = []
        for leaf, data, atoms, mine in self._shares(kernels):
            if isinstance(leaf.family, StoredFamily):
                stored = (Dense(leaf.family.stored(data, atom)) for atom in atoms[mine])
                images.extend(leaf.factor * gram.apply(V) for gram in stored)
            elif mine.size:
                images.extend(leaf.factor * _finite(leaf.family).columns_of(data, V)[mine])
        return np.stack(images)

    def write_blocks(self, kernels: IntArray, rows: IntArray, place: FloatArray) -> None:
        """To place (k, r, r) are added the Grams of some kernels (k,), ascending, on some rows (r,)."""
        from kernelopt.dual.loops import add_block  # numba is imported when the first problem needs it

        empty = iter(place)
        for leaf, data, atoms, mine in self._shares(kernels):
            for atom in atoms[mine]:
                if isinstance(leaf.family, StoredFamily):
                    add_block(leaf.family.stored(data, atom), rows, rows, leaf.factor, next(empty))
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
        return self._listed([(part.atoms, part.weights) for part in mixture.parts])

    def values(self, ceiling: Ceiling) -> FloatArray:
        """v'K_a v of every kernel, shape (m,), from a ceiling whose query asked for all."""
        leaves = zip(ceiling.atoms, self.problem.leaves, strict=True)
        return self._listed([(best.atoms, leaf.factor * best.values) for best, leaf in leaves])

    def _listed(self, parts: list[tuple[FloatArray, FloatArray]]) -> FloatArray:
        """What belongs to the atoms of each leaf, in the pool's order, 0 for those that are not there, shape (m,)."""
        found = []
        for atoms, (some, numbers) in zip(self.atoms, parts, strict=True):
            place = {atom.tobytes(): a for a, atom in enumerate(atoms)}
            listed = np.zeros(len(atoms))
            np.add.at(listed, [place[atom.tobytes()] for atom in some], numbers)
            found.append(listed)
        return np.concatenate(found)


def _finite(family: object) -> FiniteFamily:
    assert isinstance(family, FiniteFamily)
    return family
