"""Laws of how large a family's kernels are, and of kernels that are drawn at random."""

import numpy as np

from kernelopt.plugin import FiniteFamily, FloatArray, InvalidOption, MatrixFamily, Part, Query, SmoothFamily
from kernelopt.testing._family_case import FamilyCase, Sample, gram_of, single
from kernelopt.testing._laws import demand, demand_close, untouched
from kernelopt.testing._skip import skip

_MORE = 64
"""So many atoms are drawn where a few of them should be some of many."""


class SizeLaws(FamilyCase):
    """Laws of `largest_atom` and `draw`."""

    def test_largest_atom_bounds_every_atom(self) -> None:
        """No atom and no mixture of atoms has a larger mean diagonal than largest_atom, centred or not."""
        sample = self._sized()
        for centred in (False, True):
            largest = self._largest(sample, sample.weight, centred=centred)
            if largest is None:
                continue
            atoms = self.random_atoms(sample.family, sample.data, sample.rng, 20)
            for part in (*(single(atom) for atom in atoms), sample.part, sample.family.center()):
                size = _size(gram_of(sample, part), sample.weight, centred=centred)
                detail = f"largest_atom(centred={centred}) is {largest:.10g}, and a kernel has {size:.10g}"
                demand(largest >= size - 100 * self.tolerance * _plain(sample), "largest-atom", detail)

    def test_largest_atom_is_attained(self) -> None:
        """largest_atom of a list is the mean diagonal of an entry; of a matrix family, a largest eigenvalue."""
        sample = self.sample()
        if not isinstance(sample.family, FiniteFamily | MatrixFamily):
            skip(f"{type(sample.family).__name__} is neither a FiniteFamily nor a MatrixFamily")
        for centred in (False, True):
            wanted = _attained(sample, centred=centred)
            largest = self._largest(sample, sample.weight, centred=centred)
            detail = f"largest_atom(centred={centred}) must be attained by an atom of the list, or of the matrix family"
            demand(largest is not None, "largest-attained", detail)
            got, room = np.array(largest), 100 * self.tolerance
            demand_close(got, np.array(wanted), "largest-attained", detail, tolerance=room, scale=_plain(sample))

    def test_largest_atom_sees_weights_as_shares(self) -> None:
        """largest_atom does not change if all weights are multiplied, or permuted together with their rows."""
        sample = self._sized()
        order = sample.rng.permutation(len(sample.X))
        for centred in (False, True):
            largest = self._largest(sample, sample.weight, centred=centred)
            if largest is None:
                continue
            scaled = sample.family.largest_atom(sample.X, 7.0 * sample.weight, centred=centred)
            moved = sample.family.largest_atom(sample.X[order], sample.weight[order], centred=centred)
            detail = "largest_atom must not change with the unit of the weights or the order of the rows"
            got, wanted = np.array([scaled, moved], dtype=float), np.array([largest, largest])
            room, scale = 100 * self.tolerance, _plain(sample)
            demand_close(got, wanted, "largest-shares", detail, tolerance=room, scale=scale)

    def test_drawn_atoms_are_atoms(self) -> None:
        """draw returns k different atoms, or all atoms, none above the oracle's ceiling; or it refuses."""
        sample, k = self.sample(), 6
        try:
            with untouched("inputs-untouched", "draw", family=sample.family):
                atoms = sample.family.draw(k, np.random.default_rng(1))
        except InvalidOption:
            skip(f"{type(sample.family).__name__} has no draw")
        detail = f"draw({k}, rng) must return 1 to {k} atoms of {sample.part.atoms.shape[1]} numbers"
        right = atoms.ndim == 2 and 1 <= len(atoms) <= k and atoms.shape[1] == sample.part.atoms.shape[1]
        demand(right, "draw-shape", f"{detail}, got the shape {atoms.shape}")
        detail = "draw must return finite atoms, no two alike"
        distinct = len(np.unique(atoms, axis=0)) == len(atoms)
        demand(bool(np.isfinite(atoms).all()) and (distinct or not atoms.shape[1]), "draw-distinct", detail)
        best = sample.family.best_atoms(sample.data, sample.V, Query())
        for atom in atoms:
            K = gram_of(sample, single(atom))
            value = float(np.vdot(sample.V, K @ sample.V))
            detail = f"a drawn atom has the value {value:.10g}, above the proved ceiling {best.ceiling:.10g}"
            above = best.exact and value > best.ceiling + self.oracle_tolerance * abs(best.ceiling)
            demand(not above, "draw-within", detail)
        if isinstance(sample.family, SmoothFamily):
            low, high = sample.family.atom_bounds()
            detail = "draw must keep the atoms within atom_bounds"
            demand(bool(((atoms >= low) & (atoms <= high)).all()), "draw-within", detail)

    def test_draws_are_the_generators(self) -> None:
        """The same generator draws the same atoms, also from a family prepared anew; others draw others."""
        sample = self.sample()
        again = self.prepared(sample.X, sample.weight)
        try:
            draws = [one.draw(5, np.random.default_rng(2)) for one in (sample.family, sample.family, again)]
        except InvalidOption:
            skip(f"{type(sample.family).__name__} has no draw")
        same = np.array_equal(draws[0], draws[1]) and np.array_equal(draws[0], draws[2])
        demand(same, "draw-repeatable", "draw must depend on the prepared family and the generator alone")
        more = sample.family.draw(_MORE, np.random.default_rng(2))
        distinct = len(np.unique(more, axis=0)) == len(more) or not more.shape[1]
        demand(
            distinct, "draw-distinct", f"draw({_MORE}, rng) must return different atoms, or fewer if there are fewer"
        )
        if len(more) > len(draws[0]):
            others = [sample.family.draw(5, np.random.default_rng(seed)) for seed in range(3, 9)]
            detail = "draw returns the same atoms with any generator; draw them by rng, or `sampled` sees these alone"
            demand(not all(np.array_equal(draws[0], one) for one in others), "draw-random", detail)

    def _sized(self) -> Sample:
        """A sample of a family that knows how large its atoms are, centred or not."""
        sample = self.sample()
        if all(self._largest(sample, sample.weight, centred=centred) is None for centred in (False, True)):
            skip(f"largest_atom of {type(sample.family).__name__} is None")
        return sample

    def _largest(self, sample: Sample, weight: FloatArray, *, centred: bool) -> float | None:
        """The family's answer, which is None or a finite number of at least 0, and writes nothing."""
        with untouched("inputs-untouched", "largest_atom", X=sample.X, weight=weight, family=sample.family):
            largest = sample.family.largest_atom(sample.X, weight, centred=centred)
        fine = largest is None or (np.isfinite(largest) and largest >= -self.tolerance)
        demand(fine, "largest-atom", f"largest_atom must return None or a finite number >= 0, got {largest!r}")
        return largest


def _size(K: FloatArray, weight: FloatArray, *, centred: bool) -> float:
    """sum_i s_i K_ii, centred less s'Ks."""
    share = weight / weight.sum()
    return float(share @ np.diagonal(K)) - (float(share @ K @ share) if centred else 0.0)


def _plain(sample: Sample) -> float:
    """The mean diagonal of the centre kernel, before centring: what rounding is measured by."""
    return _size(gram_of(sample, sample.family.center()), sample.weight, centred=False)


def _attained(sample: Sample, *, centred: bool) -> float:
    """The largest size by the Grams of a list or of a matrix family alone."""
    family = sample.family
    if isinstance(family, FiniteFamily):
        grams = [gram_of(sample, Part(atom[None], np.ones(1))) for atom in family.dictionary().atoms]
        return max(_size(K, sample.weight, centred=centred) for K in grams)
    assert isinstance(family, MatrixFamily)
    D = np.zeros((family.order, family.order))
    for a, b in zip(*np.triu_indices(family.order), strict=True):
        S = np.zeros_like(D)
        S[a, b] = S[b, a] = 1.0 if a == b else 0.5
        D[a, b] = D[b, a] = _size(family.gram_of(S, sample.data).dense(), sample.weight, centred=centred)
    return float(np.linalg.eigvalsh(D)[-1])
