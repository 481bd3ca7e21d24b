"""The atoms of a searched family that are worth more than their price: by value over price, which has no size."""

import math
from contextlib import suppress

import attrs
import numpy as np
from scipy.optimize import minimize

from kernelopt._base._budget import Budget
from kernelopt._base._errors import InvalidOption
from kernelopt._base._typing import Data, FloatArray, IntArray
from kernelopt._families._atom_subset import active
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import BestAtoms, Part, Query
from kernelopt._families._smooth import SmoothFamily
from kernelopt._linalg._gram import Gram, LowRank

_DRAWS = 32
"""So many random atoms are candidates: they find kernels that no climb from the known ones reaches.
Worth: `constants.py evidence.draws`."""
_CLIMBS = 6
"""So many atoms climb. Worth: `constants.py evidence.climbs`."""
_FAINTEST = 1e-4
"""An atom that is damped to less than this share of others would need a weight beyond measure: it joins no kernel. What
counts is its own mean diagonal, so that the atoms that may join do not change with the kernel at hand."""
_ALIKE = 1e-6
"""Atoms whose ratios agree to this share, and their values less their prices to its root, are one atom, found twice: at
the top of a hill the ratio changes with the square of a step."""


@attrs.frozen(eq=False)
class Found:
    """What a search found.

    Attributes:
        best: its atoms, with their values less their prices.
        ratio: the largest v'K_a v / (c tr(Omega K_a)): an estimate.
    """

    best: BestAtoms
    ratio: float


@attrs.frozen(eq=False)
class _Judged:
    """Atoms with what they are worth.

    Attributes:
        atoms: shape (k, p).
        values: sum_c V_c'K_a V_c, shape (k,).
        prices: c tr(Omega K_a), shape (k,).
        sizes: tr K_a, shape (k,).
    """

    atoms: FloatArray
    values: FloatArray
    prices: FloatArray
    sizes: FloatArray

    @classmethod
    def of(cls, leaf: Leaf, data: Data, atoms: FloatArray, V: FloatArray, omega: Gram) -> "_Judged":
        one, bound = active(attrs.evolve(leaf, penalty=None), data, atoms)
        prices = V.shape[1] * one.linear.traces(bound, omega)
        sizes = one.linear.traces(bound, LowRank(np.zeros((omega.n, 0)), 1.0))
        return cls(atoms, one.linear.form(bound, V), prices, sizes)

    def beside(self, other: "_Judged") -> "_Judged":
        """These and others."""
        mine, others = (attrs.astuple(one, recurse=False) for one in (self, other))
        return _Judged(*(np.concatenate(pair) for pair in zip(mine, others, strict=True)))

    def compared(self, near: Part) -> tuple[FloatArray, FloatArray]:
        """Value over price, and value less price in the family's units, of each atom, shape (k,).

        An atom in play counts however faint it is: it has a weight, and without its price the bound would be none.
        """
        in_play = np.zeros(len(self.atoms), bool)
        if len(near):
            in_play = (self.atoms[:, None] == near.atoms).all(axis=2).any(axis=1)
        seen = (self.prices > 0.0) & ((self.sizes > _FAINTEST * float(self.sizes.max())) | in_play)
        ratios = np.divide(self.values, self.prices, out=np.zeros_like(self.values), where=seen)
        return ratios, np.where(seen, self.values - self.prices, -self.prices)


def search(leaf: Leaf, data: Data, V: FloatArray, omega: Gram, query: Query, near: Part, budget: Budget) -> Found:
    """Candidates are the oracle's atoms for V, the atoms in play and, as long as there is time, random ones; the best
    climb, if they can and as long as there is time.

    An atom's size cancels in the ratio, so that damping does not count.
    """
    judged = _Judged.of(leaf, data, _candidates(leaf, data, V, query, near, budget), V, omega)
    ratios, excess = judged.compared(near)
    if isinstance(leaf.family, SmoothFamily) and not budget.cancelled():
        order = np.argsort(-ratios, kind="stable")[:_CLIMBS]
        climbed = _climbed(leaf.family, data, judged.atoms[order], V, omega, budget)
        judged = judged.beside(_Judged.of(leaf, data, climbed, V, omega))
        ratios, excess = judged.compared(near)
    order = _unlike(ratios, excess)[: query.k]
    best = BestAtoms(judged.atoms[order], excess[order], float(excess.max()), exact=False)
    return Found(best, float(ratios.max()))


def _unlike(ratios: FloatArray, excess: FloatArray) -> IntArray:
    """The atoms by falling ratio, one of those that climbed to the same place: they agree in ratio and in excess."""
    same_excess = np.isclose(excess[:, None], excess, math.sqrt(_ALIKE))
    alike = np.isclose(ratios[:, None], ratios, _ALIKE) & same_excess
    chosen: list[int] = []
    for a in np.argsort(-ratios, kind="stable"):
        if not alike[a, chosen].any():
            chosen.append(int(a))
    return np.array(chosen)


def _candidates(leaf: Leaf, data: Data, V: FloatArray, query: Query, near: Part, budget: Budget) -> FloatArray:
    family = leaf.family
    asked = attrs.evolve(query, above=0.0, near=near.atoms if len(near) else None, stop=budget.cancelled)
    pool = [family.best_atoms(data, V, asked).atoms, family.center().atoms, near.atoms if len(near) else None]
    with suppress(InvalidOption):
        pool.append(None if budget.cancelled() else family.draw(_DRAWS, np.random.default_rng(query.seed)))
    return np.unique(np.vstack([one for one in pool if one is not None]), axis=0)


def _climbed(
    family: SmoothFamily, data: Data, atoms: FloatArray, V: FloatArray, omega: Gram, budget: Budget
) -> FloatArray:
    """Each atom moved uphill on the logarithm of its ratio; as it is where no time is left."""
    root: FloatArray = np.asarray(np.linalg.cholesky(omega.dense()), dtype=np.float64)
    low, high = family.atom_bounds()
    bounds = [(a if np.isfinite(a) else None, b if np.isfinite(b) else None) for a, b in zip(low, high, strict=True)]
    one = np.ones(1)

    def loss(x: FloatArray) -> tuple[float, FloatArray]:
        part = Part(x[None], one)
        value, price = family.pullback(part, data, V), family.pullback(part, data, root)
        q, p = float(value.weights[0]), float(price.weights[0])
        if not (q > 0.0 and p > 0.0):
            return np.inf, np.zeros_like(x)
        return float(np.log(p) - np.log(q)), price.atoms[0] / p - value.atoms[0] / q

    def stepped(_: FloatArray) -> None:
        if budget.cancelled():
            raise StopIteration

    def climbed(atom: FloatArray) -> FloatArray:
        if budget.cancelled():
            return atom
        found = minimize(loss, atom, jac=True, method="L-BFGS-B", bounds=bounds, callback=stepped)
        return np.asarray(found.x, dtype=np.float64)

    return np.stack([climbed(atom) for atom in atoms])
