"""Laws of an oracle as a search: what it is given, what it returns, and who could beat it."""

import itertools

import attrs
import numpy as np
from scipy.optimize import minimize

from kernelopt.plugin import FiniteFamily, FloatArray, Part, Query, SmoothFamily
from kernelopt.testing._family_case import FamilyCase, Sample, gram_of, single
from kernelopt.testing._laws import claim, demand, demand_close

_EFFORTS = (0.5, 1.0, 2.0, 4.0)
_ALL = 100
"""More atoms than a search has maxima, so that an answer holds all that it has found."""


class SearchLaws(FamilyCase):
    """Laws of `best_atoms` with all that a `Query` can say, and of its answers against a climber."""

    def balanced(self, draw: int = 0) -> Sample:
        """A sample whose columns of V sum to 0, as most criteria ask: a constant kernel is worth nothing."""
        sample = self.sample(draw)
        return attrs.evolve(sample, V=sample.V - sample.V.mean(axis=0))

    def test_more_effort_never_lowers_the_ceiling(self) -> None:
        """A search with more effort contains the shorter search, so its estimated ceiling is not lower."""
        sample = self.balanced()
        for V in (sample.V, sample.V[:, :1]):
            found = [sample.family.best_atoms(sample.data, V, Query(seed=3, effort=effort)) for effort in _EFFORTS]
            for shorter, longer in itertools.pairwise(found):
                room = self.oracle_tolerance * abs(shorter.ceiling)
                detail = f"a larger effort lowered the ceiling from {shorter.ceiling:.10g} to {longer.ceiling:.10g}"
                demand(shorter.exact or longer.ceiling >= shorter.ceiling - room, "oracle-effort", detail)

    def test_oracle_looks_at_what_is_near(self) -> None:
        """The ceiling is not below the value of an atom that the query names in `near`."""
        for draw in range(3):
            sample = self.balanced(draw)
            near = self.random_atoms(sample.family, sample.data, sample.rng, 5)
            best = sample.family.best_atoms(sample.data, sample.V, Query(near=near, effort=0.5))
            largest = max(_value(sample, atom) for atom in near)
            detail = f"the ceiling {best.ceiling:.10g} is below the value {largest:.10g} of an atom that was named"
            detail = claim(best.exact) + detail
            # A constant kernel has the value 0 for balanced V, and sums have their rounding.
            rounding = 1e-15 * float(np.abs(sample.V).sum()) ** 2 * float(np.abs(gram_of(sample)).max())
            demand(best.ceiling >= largest - self._room(best.exact) * largest - rounding, "oracle-near", detail)

    def test_oracle_may_stop_below_what_is_asked_for(self) -> None:
        """`above` at half the ceiling keeps the ceiling; at twice the ceiling a proved answer still bounds all."""
        sample = self.balanced()
        family, data, V = sample.family, sample.data, sample.V
        plain = family.best_atoms(data, V, Query())
        half = family.best_atoms(data, V, Query(above=0.5 * plain.ceiling))
        detail = "with above at half the ceiling the ceiling must be the same"
        demand_close(half.ceiling, plain.ceiling, "oracle-above", detail, tolerance=self.oracle_tolerance)
        far = family.best_atoms(data, V, Query(above=2.0 * plain.ceiling))
        bounds = not far.exact or far.ceiling >= plain.values[0] * (1.0 - self.tolerance)
        detail = f"with a large above the ceiling {far.ceiling:.10g} is below an atom's {plain.values[0]:.10g}"
        detail = claim(far.exact) + detail
        demand(bounds, "oracle-above", detail)

    def test_oracle_answers_where_time_is_over(self) -> None:
        """Told to stop at once, a search still answers with atoms and their values, and with a ceiling that is true."""
        sample = self.balanced()
        plain = sample.family.best_atoms(sample.data, sample.V, Query())
        best = sample.family.best_atoms(sample.data, sample.V, Query(stop=lambda: True))
        demand(len(best.atoms) > 0, "oracle-stop", "where query.stop() is True, no atom was returned")
        values = np.array([_value(sample, atom) for atom in best.atoms])
        scale = float(np.abs(sample.V).sum()) ** 2 * float(np.abs(gram_of(sample)).max())
        detail = "where query.stop() is True, the values must be those of the atoms"
        demand_close(best.values, values, "oracle-stop", detail, tolerance=self.tolerance, scale=scale)
        bounds = not best.exact or best.ceiling >= plain.values[0] * (1.0 - self.tolerance)
        detail = (
            f"where query.stop() is True, the ceiling {best.ceiling:.10g} is below an atom's {plain.values[0]:.10g}"
        )
        demand(bounds, "oracle-stop", claim(best.exact) + detail)

    def test_oracle_returns_no_kernel_twice(self) -> None:
        """No two atoms of an answer are the same kernel, such as p and -p of a matrix family."""
        sample = self.balanced()
        best = sample.family.best_atoms(sample.data, sample.V, Query(k=4))
        if isinstance(sample.family, FiniteFamily):
            best = sample.family.best_atoms(sample.data, sample.V, Query(k=len(sample.family.dictionary()) + 3))
            detail = "an entry of the list was returned twice"
            demand(len(np.unique(best.atoms, axis=0)) == len(best.atoms), "oracle-distinct", detail)
            return
        grams = [gram_of(sample, single(atom)) for atom in best.atoms]
        for a, K in enumerate(grams):
            for other in grams[:a]:
                size = max(float(np.abs(K).max()), float(np.abs(other).max()))
                detail = f"atom {a} of the answer is the kernel of one before it"
                demand(float(np.abs(K - other).max()) > self.tolerance * size, "oracle-distinct", detail)

    def test_no_climb_beats_the_ceiling(self) -> None:
        """Steps along `pullback`, from random atoms and from the answer, end at the ceiling or below."""
        family, _ = self.capable(SmoothFamily)
        sample = self.balanced()
        low, high = family.atom_bounds()
        best = family.best_atoms(sample.data, sample.V, Query())
        start = np.vstack([best.atoms, self.random_atoms(family, sample.data, sample.rng, 6)])
        reached = max(_climbed(sample, family, atom, low, high) for atom in np.clip(start, low, high))
        detail = f"climbing from an atom reaches {reached:.12g}, above the ceiling {best.ceiling:.12g}"
        detail = claim(best.exact) + detail
        demand(best.ceiling >= reached - self._room(best.exact) * abs(reached), "ceiling-climb", detail)

    def test_atoms_keep_their_bounds(self) -> None:
        """The atoms of the oracle and of the centre lie within `atom_bounds`."""
        family, _ = self.capable(SmoothFamily)
        sample = self.balanced()
        low, high = family.atom_bounds()
        asked = [(V, k) for V in (sample.V, *np.hsplit(sample.V, sample.V.shape[1])) for k in (4, _ALL)]
        found = [family.best_atoms(sample.data, V, Query(k=k)).atoms for V, k in asked]
        for atoms in (*found, family.center().atoms):
            inside = bool(np.all((atoms >= low) & (atoms <= high)))
            detail = f"an atom lies outside atom_bounds, from {low.tolist()} to {high.tolist()}: {atoms.tolist()}"
            demand(inside, "smooth-within", detail)

    def _room(self, exact: bool) -> float:
        """What rounding, or an estimate, may cost, relative."""
        return self.tolerance if exact else self.oracle_tolerance


def _value(sample: Sample, atom: FloatArray) -> float:
    """sum_c V_c' K_a V_c."""
    return float(np.vdot(sample.V, gram_of(sample, single(atom)) @ sample.V))


def _climbed(sample: Sample, family: SmoothFamily, atom: FloatArray, low: FloatArray, high: FloatArray) -> float:
    """The largest value on a way up from an atom (p,)."""
    scale = max(_value(sample, atom), 1e-300)

    def downhill(x: FloatArray) -> tuple[float, FloatArray]:
        gradient = family.pullback(Part(x[None], np.ones(1)), sample.data, sample.V)
        return -_value(sample, x) / scale, -gradient.atoms[0] / scale

    bounds = list(zip(low, high, strict=True))
    found = minimize(downhill, atom, jac=True, bounds=bounds, method="L-BFGS-B", options={"maxiter": 200})
    return -scale * float(found.fun)
