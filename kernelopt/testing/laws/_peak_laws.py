"""Laws of an oracle at V whose best atoms lie all over the family: what it passes over shows where V picks it out."""

import numpy as np

from kernelopt.plugin import (
    Data,
    FiniteFamily,
    FloatArray,
    KernelFamily,
    KerneloptError,
    MatrixFamily,
    Query,
    SmoothFamily,
)
from kernelopt.testing._family_case import FamilyCase, single
from kernelopt.testing._laws import claim, demand
from kernelopt.testing._skip import skip

_GRID, _POOL = 256, 64
"""So many atoms are looked at where an atom is a number between two bounds, and so many others elsewhere."""
_ASKED, _FAR = 12, 8
"""At so many V the oracle is asked, and at so many for rows far apart."""
_NEAR = 0.9
"""Of two peaks the one is harder to find beside which fewer atoms have this share of its value."""
_FLAT = 1e-3
"""Directions that the mean Gram hardly has, relative to its largest eigenvalue, count as much as this."""
_STRETCHED = (8.0, 64.0)
"""How many times as many peaks there are, about, on the rows farther apart on which a proved ceiling is looked at."""


class PeakLaws(FamilyCase):
    """Laws of `best_atoms` at V that pick one atom out of many."""

    def test_oracle_passes_over_no_atoms(self) -> None:
        """At V that pick out one of many atoms, which lie all over the family, the oracle has one that is as good."""
        sample = self.sample()
        pool = self._pool(sample.family, sample.data, sample.rng)
        self._demand_found(sample.family, sample.data, pool, _ASKED)

    def test_proved_ceiling_holds_for_rows_far_apart(self) -> None:
        """If the ceiling of a search is proved, it is true for rows up to 64 times as far apart: narrow peaks."""
        sample = self.sample()
        family = sample.family
        if isinstance(family, FiniteFamily | MatrixFamily):
            skip(f"{type(family).__name__} is a list or a matrix family, and searches for nothing")
        if not family.best_atoms(sample.data, sample.V, Query()).exact:
            skip("the ceiling is estimated")
        for more in _STRETCHED:
            factor = more ** (1.0 / max(sample.part.atoms.shape[1], 1))
            try:
                data = family.bind(factor * sample.X)
                pool = self._pool(family, data, sample.rng)
                self._demand_found(family, data, pool, _FAR, f"for rows {factor:.3g} times as far apart ")
            except KerneloptError:  # the family refuses such rows
                continue

    def _pool(self, family: KernelFamily, data: Data, rng: np.random.Generator) -> FloatArray:
        """Many atoms, shape (m, p): a list itself, a grid between two bounds, or random ones."""
        if isinstance(family, FiniteFamily):
            return family.dictionary().atoms[:_POOL]
        if isinstance(family, SmoothFamily):
            low, high = family.atom_bounds()
            if len(low) == 1 and np.isfinite([low, high]).all():
                return np.linspace(low, high, _GRID)
        return self.random_atoms(family, data, rng, _POOL)

    def _demand_found(self, family: KernelFamily, data: Data, pool: FloatArray, count: int, where: str = "") -> None:
        """Raise `LawBroken` where at one of so many V an atom of the pool (m, p) is better than what was found."""
        grams = np.stack([np.array(family.gram(single(atom), data).dense()) for atom in pool])
        for v in _picking(grams, count):
            values = np.einsum("i,aij,j->a", v, grams, v, optimize=True)
            best, better = family.best_atoms(data, v[:, None], Query()), int(np.argmax(values))
            found, largest = min(float(best.values[0]), float(best.ceiling)), float(values[better])
            room = (self.tolerance if best.exact else self.oracle_tolerance) * abs(largest)
            detail = (
                f"{claim(best.exact)}{where}the oracle's best atom has the value {found:.10g}, and the atom "
                f"{pool[better].tolist()} has {largest:.10g}: the search passes over atoms that are this good"
            )
            demand(found >= largest - room, "oracle-peaks", detail)


def _picking(grams: FloatArray, count: int) -> FloatArray:
    """So many v (n,), each with another of these Grams (m, n, n) as its best: half of them hard, half from all over.

    v maximises v'K_a v / v'Kv of a Gram K_a, K the mean of all. A peak is hard to find if few atoms are as good.
    """
    values, vectors = np.linalg.eigh(np.mean(grams, axis=0))
    if not values[-1] > 0.0:
        return np.zeros((0, grams.shape[1]))
    root = vectors / np.sqrt(np.maximum(values, _FLAT * values[-1]))
    v = np.linalg.eigh(root.T @ grams @ root)[1][:, :, -1] @ root.T
    worth = np.einsum("vi,aij,vj->va", v, grams, v, optimize=True)
    first = np.unique(np.argmax(worth, axis=1), return_index=True)[1]
    beside = np.sum(worth[first] > _NEAR * worth[first].max(axis=1, keepdims=True), axis=1)
    hard = np.argsort(beside, kind="stable")[: count // 2]
    spread = np.linspace(0, len(first) - 1, count - len(hard)).round().astype(int)
    return np.asarray(v[first[np.union1d(hard, spread)]])
