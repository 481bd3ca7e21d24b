"""All kernels of a problem's finite lists, as one list."""

import attrs
import numpy as np

from kernelopt.plugin import FiniteFamily, FloatArray, IntArray, Mixture, Part, Problem, StoredFamily


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
        """K_a V for every kernel and V of shape (n, c), shape (m, n, c)."""
        leaves, data = self.problem.leaves, self.problem.data
        images = [leaf.factor * _finite(leaf.family).columns_of(d, V) for leaf, d in zip(leaves, data, strict=True)]
        return np.concatenate(images) if len(images) > 1 else images[0]

    def write_block(self, a: int, rows: IntArray, place: FloatArray) -> None:
        """Into place (k, k) the Gram of one kernel on some rows (k,)."""
        for leaf, data, atoms in zip(self.problem.leaves, self.problem.data, self.atoms, strict=True):
            if a < len(atoms):
                if isinstance(leaf.family, StoredFamily):
                    block = leaf.family.block(data, atoms[a], rows)
                else:
                    block = leaf.family.gram(Part(atoms[a : a + 1], np.ones(1)), data).block(rows, rows)
                np.multiply(leaf.factor, block, out=place)
                return
            a -= len(atoms)
        raise IndexError(a)

    def mixture(self, weights: FloatArray) -> Mixture:
        """The mixture of these weights (m,), without the atoms that have none."""
        ends = np.cumsum([len(atoms) for atoms in self.atoms])[:-1]
        shares = np.split(weights, ends)
        return Mixture(tuple(Part(a, w).kept() for a, w in zip(self.atoms, shares, strict=True)))

    def weights(self, mixture: Mixture) -> FloatArray:
        """The weights of a mixture, shape (m,)."""
        found = []
        for atoms, part in zip(self.atoms, mixture.parts, strict=True):
            place = {atom.tobytes(): a for a, atom in enumerate(atoms)}
            weights = np.zeros(len(atoms))
            for atom, weight in zip(part.atoms, part.weights, strict=True):
                weights[place[atom.tobytes()]] += weight
            found.append(weights)
        return np.concatenate(found)


def _finite(family: object) -> FiniteFamily:
    assert isinstance(family, FiniteFamily)
    return family
