"""Laws of an oracle whose dual vectors are chosen against it: a kernel that it never returns gives it away."""

from collections.abc import Iterator

import numpy as np

from kernelopt.plugin import BestAtoms, FiniteFamily, FloatArray, MatrixFamily, Query, SmoothFamily
from kernelopt.testing._family_case import FamilyCase, Sample, gram_of, single
from kernelopt.testing._laws import claim, demand

_ROUNDS = 8
_ATOMS = 20
_DENSE = 1000
"""Where a search claims a proof, so many other atoms are looked at: some lie between those of a grid."""
_STEPS = (1e-3, 1e-2, 1e-1)


class JudgeLaws(FamilyCase):
    """Laws of `best_atoms` at the V where it has least to show."""

    def test_oracle_is_judged_by_other_atoms(self) -> None:
        """There are atoms that the oracle did not find: `random_atoms`, `draw`, finite `atom_bounds`, or a list."""
        family = self.sample().family
        detail = (
            "an oracle cannot be judged by its own answers: write random_atoms(self, family, data, rng, k) in the "
            f"suite, or draw(k, rng) in {type(family).__name__}, with atoms from the whole of the family"
        )
        demand(self.judges_oracle(family), "atoms-independent", detail)

    def test_no_atom_has_a_v_of_its_own(self) -> None:
        """At V where a random atom beats the answers so far, the oracle has one as good; a proof bounds 1000 more."""
        for draw in range(2):
            sample = self.sample(draw)
            family, data = sample.family, sample.data
            atoms = self.random_atoms(family, data, sample.rng, _ATOMS)
            grams = np.stack([gram_of(sample, single(atom)) for atom in atoms])
            others = self._between(sample)
            returned = [gram_of(sample, family.center())]
            for V in _against(grams, returned):
                best = family.best_atoms(data, V, Query())
                found = min(float(best.values[0]), float(best.ceiling))
                values = [float(np.vdot(V, K @ V)) for K in grams]
                values += [float(np.vdot(V, K @ V)) for K in _beside(sample, best.atoms[0], atoms)]
                largest = max(values)
                room = (self.tolerance if best.exact else self.oracle_tolerance) * abs(largest)
                detail = (
                    f"{claim(best.exact)}the oracle's best atom has the value {found:.10g}, and an atom that is "
                    f"random, or beside it, has {largest:.10g}: a lower bound on the optimum would be wrong by so much"
                )
                demand(found >= largest - room, "oracle-judged", detail)
                self._demand_proved(best, V, others)
                returned.append(gram_of(sample, single(best.atoms[0])))

    def _between(self, sample: Sample) -> FloatArray:
        """The Grams of many random atoms (m, n, n), where a search says that it has proved its ceiling; else none."""
        family, n = sample.family, len(sample.X)
        known = isinstance(family, FiniteFamily | MatrixFamily) or not self.judges_oracle(family)
        if known or not family.best_atoms(sample.data, sample.V, Query()).exact:
            return np.zeros((0, n, n))
        atoms = self.random_atoms(family, sample.data, np.random.default_rng(self.seed), _DENSE)
        return np.stack([gram_of(sample, single(atom)) for atom in atoms])

    def _demand_proved(self, best: BestAtoms, V: FloatArray, others: FloatArray) -> None:
        """Raise `LawBroken` where a ceiling at V (n, c) is proved, and one of these Grams (m, n, n) lies above it."""
        largest = float(np.einsum("ic,aij,jc->a", V, others, V, optimize=True).max(initial=0.0))
        detail = (
            f"exact=True is false: the ceiling {best.ceiling:.10g} is below the value {largest:.10g} of one of "
            f"{_DENSE} random atoms; the best atom of a grid, or of some starts, is no proof"
        )
        demand(not best.exact or best.ceiling >= largest * (1.0 - self.tolerance), "oracle-judged", detail)


def _against(grams: FloatArray, returned: list[FloatArray]) -> Iterator[FloatArray]:
    """V of 1 or 3 columns, at which one of these Grams (m, n, n) exceeds the mean of those returned by then.

    Each is made when it is asked for, so that it knows what the oracle said to the one before. Half of them sum to 0,
    as most criteria ask. First comes the atom that exceeds most, then one after the other.
    """
    m, n = grams.shape[:2]
    centring = np.eye(n) - 1.0 / n
    for turn in range(_ROUNDS):
        beyond = grams - np.mean(returned, axis=0)
        if turn % 2:
            beyond = centring @ beyond @ centring
        values, vectors = np.linalg.eigh(beyond)
        atom = turn % m if turn % 4 > 1 else int(np.argmax(values[:, -1]))
        columns = 3 if turn % 3 == 2 else 1
        V = vectors[atom, :, -columns:] * np.sqrt(np.maximum(values[atom, -columns:], 0.0))
        if V.any():
            yield V


def _beside(sample: Sample, best: FloatArray, atoms: FloatArray) -> list[FloatArray]:
    """The Grams of atoms a little way from the best one to others; none where a family may have no atoms between."""
    if not isinstance(sample.family, SmoothFamily):
        return []
    between = (best + step * (atom - best) for step in _STEPS for atom in atoms[:_ROUNDS])
    return [gram_of(sample, single(atom)) for atom in between]
