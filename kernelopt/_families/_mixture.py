"""What a solver chooses: atoms and weights, one part for each leaf; and what it asks an oracle."""

from collections.abc import Callable

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray

_DUST = 5e-4
"""A share of a family's weights that shows neither in words nor in pictures."""


@attrs.frozen(eq=False)
class Part:
    """The share of one family in a mixture: the kernel sum_a weights_a k_a.

    Attributes:
        atoms: the basic kernels, shape (m, p): one row of p numbers for each basic kernel. The family defines what the
            numbers mean.
        weights: the weight of each atom, shape (m,), >= 0.
    """

    atoms: FloatArray
    weights: FloatArray

    @property
    def mass(self) -> float:
        """The sum of the weights."""
        return float(self.weights.sum())

    def __len__(self) -> int:
        return int(self.weights.shape[0])

    def scaled(self, factor: float) -> "Part":
        """The same atoms, every weight times `factor`."""
        return Part(self.atoms, self.weights * factor)

    def kept(self, threshold: float = 0.0) -> "Part":
        """The atoms whose weight exceeds `threshold`."""
        keep = self.weights > threshold
        return Part(self.atoms[keep], self.weights[keep])

    @property
    def visible(self) -> "Part":
        """The atoms that weigh more than a two-thousandth of the sum of the weights.

        An interior-point method leaves a small weight on all other atoms.
        """
        return self.kept(_DUST * self.mass)

    def with_atom(self, atom: FloatArray, weight: float) -> "Part":
        """This part with `weight` added to one atom, shape (p,); an atom of the part is not listed twice."""
        same = np.flatnonzero((self.atoms == atom).all(axis=1)) if len(self) else np.zeros(0, dtype=int)
        if same.size:
            weights = self.weights.copy()
            weights[same[0]] += weight
            return Part(self.atoms, weights)
        atoms = np.vstack([self.atoms, atom[None]]) if len(self) else atom[None].copy()
        return Part(atoms, np.append(self.weights, weight))


def join(first: Part, second: Part) -> Part:
    """The atoms of both parts in one part: those of the first part, and then those of the second."""
    return Part(np.vstack([first.atoms, second.atoms]), np.concatenate([first.weights, second.weights]))


@attrs.frozen(eq=False)
class Mixture:
    """A kernel of the union of families: one `Part` for each of them, in their order."""

    parts: tuple[Part, ...]

    @property
    def mass(self) -> float:
        """The sum of all weights: 1, unless a family has another total."""
        return sum(part.mass for part in self.parts)

    def __len__(self) -> int:
        return sum(len(part) for part in self.parts)

    @property
    def count(self) -> int:
        """The number of atoms that weigh more than a two-thousandth of the sum of weights of their part."""
        return sum(int(np.count_nonzero(part.weights > _DUST * part.mass)) for part in self.parts)

    def kept(self, threshold: float) -> "Mixture":
        """The atoms whose weight exceeds `threshold`, and always the heaviest; the sum of all weights is kept."""
        heaviest = max(float(part.weights.max(initial=0.0)) for part in self.parts)
        least = min(threshold, np.nextafter(heaviest, 0.0))
        kept = Mixture(tuple(part.kept(least) for part in self.parts))
        return Mixture(tuple(part.scaled(self.mass / kept.mass) for part in kept.parts))


@attrs.frozen
class Query:
    """The question that a solver puts to an oracle, the search for the best atoms of a family.

    Attributes:
        k: the largest number of atoms that are wanted, best first.
        above: only atoms with a larger value than this are of interest; a searched family may end its search there.
        near: atoms at which a search starts, shape (m, p), or None.
        seed: the seed of a randomised search.
        effort: the length of the search: 1 is the usual search; a larger number searches longer, and never returns a
            lower ceiling.
        stop: says whether time is over, where the evidence asks; elsewhere it is never true. A search that takes
            seconds looks, and returns the best that it has found, with a ceiling that is only called exact if it is.
    """

    k: int = 1
    above: float = 0.0
    near: FloatArray | None = attrs.field(default=None, eq=False)
    seed: int = 0
    effort: float = 1.0
    stop: Callable[[], bool] = attrs.field(default=bool, eq=False)


@attrs.frozen(eq=False)
class BestAtoms:
    """The answer of an oracle: the atoms of the family with the largest values for the given coefficients V.

    Attributes:
        atoms: the atoms, shape (k, p), best first.
        values: the value sum_c V_c' K_a V_c of each atom, shape (k,).
        ceiling: an upper bound on this value over all atoms of the family.
        exact: whether the ceiling is proved; otherwise it is the largest value that a search found.
        note: a few words on how the atoms were found, for the trace.
    """

    atoms: FloatArray
    values: FloatArray
    ceiling: float
    exact: bool
    note: str = ""
