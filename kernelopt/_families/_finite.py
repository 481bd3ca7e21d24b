"""Finite lists of atoms: linear in their weights, stored as Grams, or priced."""

from abc import abstractmethod

import numpy as np

from kernelopt._base._typing import Data, FloatArray, IntArray
from kernelopt._families._contract import LinearFamily
from kernelopt._families._coupling import Coupling, WeightCoupling
from kernelopt._families._kernel_size import spread
from kernelopt._families._mixture import BestAtoms, Part, Query
from kernelopt._families.penalties._penalty import Penalty
from kernelopt._linalg._gram import Gram
from kernelopt._linalg._trace_product import trace_of_product


class FiniteFamily(LinearFamily):
    """A family with a finite list of atoms; the parameters of the family are the weights of the atoms."""

    @abstractmethod
    def dictionary(self) -> Part:
        """All atoms, with equal weights that sum to 1."""

    def index(self, atoms: FloatArray) -> IntArray:
        """The place of each of these atoms (k, p) in the list, shape (k,)."""
        place = {atom.tobytes(): a for a, atom in enumerate(self.dictionary().atoms)}
        return np.array([place[atom.tobytes()] for atom in atoms], dtype=np.intp)

    def stranger(self, atoms: FloatArray) -> str | None:
        for atom in np.asarray(atoms, dtype=np.float64):
            try:
                self.index(atom[None])
            except KeyError:
                return f"the atom {atom.tolist()} is not on its list of {len(self.dictionary())} kernels"
        return None

    def columns_of(self, data: Data, V: FloatArray) -> FloatArray:
        """K_a V for every atom, shape (m, n, c)."""
        atoms, one = self.dictionary().atoms, np.ones(1)
        images = np.empty((len(atoms), *V.shape))
        for image, atom in zip(images, atoms, strict=True):
            image[...] = self.apply(Part(atom[None], one), data, V)
        return images

    def values_of(self, data: Data, V: FloatArray) -> FloatArray:
        """sum_c V_c' K_a V_c for every atom, shape (m,)."""
        values: FloatArray = np.einsum("anc,nc->a", self.columns_of(data, V), V)
        return values

    def parameters(self, part: Part) -> FloatArray:
        weights = np.zeros(len(self.dictionary()))
        np.add.at(weights, self.index(part.atoms), part.weights)
        return weights

    def form(self, data: Data, V: FloatArray) -> FloatArray:
        return self.values_of(data, V)

    def traces(self, data: Data, omega: Gram) -> FloatArray:
        one = np.ones(1)
        grams = (self.gram(Part(atom[None], one), data) for atom in self.dictionary().atoms)
        return np.array([trace_of_product(gram, omega) for gram in grams])

    def leading(self, D: FloatArray, k: int) -> BestAtoms:
        order = np.argsort(-D, kind="stable")[:k]
        return BestAtoms(self.dictionary().atoms[order], D[order], float(D.max()), exact=True)

    def best_atoms(self, data: Data, V: FloatArray, query: Query) -> BestAtoms:
        return self.leading(self.values_of(data, V), query.k)

    def center(self) -> Part:
        return self.dictionary()

    def draw(self, k: int, rng: np.random.Generator) -> FloatArray:
        """Distinct entries of the list, in its order."""
        atoms = self.dictionary().atoms
        return atoms[np.sort(rng.choice(len(atoms), size=min(k, len(atoms)), replace=False))]

    def largest_atom(self, X: FloatArray, weight: FloatArray, *, centred: bool) -> float | None:
        one = np.ones(1)
        return max(spread(self, Part(a[None], one), X, weight, centred=centred) for a in self.dictionary().atoms)

    def couple(self, data: Data, v: FloatArray) -> Coupling:
        return WeightCoupling(self.columns_of(data, v[:, None])[:, :, 0].T)


class StoredFamily(FiniteFamily):
    """A finite list whose `bind` stores the Gram matrix of every atom, so that no atom is computed again."""

    @abstractmethod
    def stored(self, data: Data, atom: FloatArray) -> FloatArray:
        """The Gram of one atom (p,) on the bound rows, as it is held: shape (n, n), C-contiguous, not to be written."""


class PenalizedFamily(FiniteFamily):
    """A finite list whose kernels have a convex price; the weights sum to `total`, or to any number if it is None.

    The core finds the best kernel for given dual variables, and the bound on its value; the author need not write them.
    """

    @property
    @abstractmethod
    def total(self) -> float | None:
        """The sum of the weights: a positive number, or None for a cone."""

    @property
    @abstractmethod
    def penalty(self) -> Penalty:
        """R on the weights of `dictionary()`, in its order; known after `prepare`."""
