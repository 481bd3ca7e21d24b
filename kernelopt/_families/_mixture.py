"""What a solver chooses: atoms and weights, one part for each leaf; and what it asks an oracle."""

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray

_DUST = 5e-4
"""A share of a family's weights that shows neither in words nor in pictures."""


@attrs.frozen(eq=False)
class Part:
    """The share of one family in a mixture: the kernel sum_a weights_a k_a.

    Attributes:
        atoms: shape (m, p), one row of p numbers for each basic kernel; the family defines what they mean.
        weights: shape (m,), >= 0.
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
        """The atoms that weigh more than a two-thousandth of all: an interior point leaves every other a little."""
        return self.kept(_DUST * self.mass)

    def with_atom(self, atom: FloatArray, weight: float) -> "Part":
        """This part with `weight` more on one atom (p,); an atom that is in it already is not listed twice."""
        same = np.flatnonzero((self.atoms == atom).all(axis=1)) if len(self) else np.zeros(0, dtype=int)
        if same.size:
            weights = self.weights.copy()
            weights[same[0]] += weight
            return Part(self.atoms, weights)
        atoms = np.vstack([self.atoms, atom[None]]) if len(self) else atom[None].copy()
        return Part(atoms, np.append(self.weights, weight))


def join(first: Part, second: Part) -> Part:
    """Both parts' atoms, one list after the other."""
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
        """How many atoms weigh more than a two-thousandth of their part."""
        return sum(len(part.visible) for part in self.parts)

    def kept(self, threshold: float) -> "Mixture":
        """The atoms whose weight exceeds `threshold`, and the heaviest in any case, with the mass that all had."""
        heaviest = max(float(part.weights.max(initial=0.0)) for part in self.parts)
        least = min(threshold, np.nextafter(heaviest, 0.0))
        kept = Mixture(tuple(part.kept(least) for part in self.parts))
        return Mixture(tuple(part.scaled(self.mass / kept.mass) for part in kept.parts))


@attrs.frozen
class Query:
    """What is asked of an oracle.

    Attributes:
        k: how many atoms are wanted at most, best first.
        above: only atoms with a larger value are of interest (a searched family may stop its search there).
        near: atoms to start a search from, shape (m, p), or None.
        seed: of a randomised search.
        effort: 1 is the usual search; larger searches longer and never returns a lower ceiling.
    """

    k: int = 1
    above: float = 0.0
    near: FloatArray | None = attrs.field(default=None, eq=False)
    seed: int = 0
    effort: float = 1.0


@attrs.frozen(eq=False)
class BestAtoms:
    """An oracle's answer: the best atoms for this V.

    Attributes:
        atoms: shape (k, p), best first.
        values: shape (k,), sum_c V_c' K_a V_c of each.
        ceiling: a bound on that sum over all atoms of the family.
        exact: whether the ceiling is proved; else it is the best that a search found.
        note: a few words on how it was found, for the trace: what a searched family has to say for its ceiling.
    """

    atoms: FloatArray
    values: FloatArray
    ceiling: float
    exact: bool
    note: str = ""
