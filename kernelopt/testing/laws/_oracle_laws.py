"""Laws of a family's oracle and of its centre."""

import numpy as np

from kernelopt.plugin import BestAtoms, FloatArray, LinearFamily, Query
from kernelopt.testing._family_case import FamilyCase, Sample, gram_of, single, with_rows_of_all_sizes, with_zero_rows
from kernelopt.testing._laws import claim, demand, demand_close, untouched

_MANY = 12
"""More atoms than most lists of a test have."""
_OUTPUTS = 130
"""More outputs than those of a sample, and than a block of 128."""
_SIZES = (1e-5, 1e5)
"""A search that ends where its steps gain little must end as late for V as small as this, or as large."""


class OracleLaws(FamilyCase):
    """Laws of `best_atoms` and `center`."""

    def test_oracle_values_are_those_of_its_atoms(self) -> None:
        """The i-th value is sum_c V_c' K_a V_c of the i-th atom a, also for small V_i; the best first, k at most."""
        sample = self.sample()
        for V in (sample.V, sample.V[:, :1], with_rows_of_all_sizes(sample.V)):
            for k in (1, 3, _MANY):
                best = sample.family.best_atoms(sample.data, V, Query(k=k))
                _demand_shape(best, k)
                wanted = _values(sample, best.atoms, V)
                detail = "the value that comes with an atom must be its own sum_c V_c' K_a V_c"
                demand_close(best.values, wanted, "oracle-values", detail, tolerance=100 * self.tolerance)
                falls = bool(np.all(np.diff(best.values) <= self.tolerance * np.abs(best.values[0])))
                demand(falls, "oracle-order", f"the best atom must come first, got the values {best.values}")

    def test_oracle_reads_v_with_zero_rows(self) -> None:
        """At V with zero rows, as all rows but support vectors have, values and ceiling are what they are at any V."""
        sample = self.sample()
        atoms = self.random_atoms(sample.family, sample.data, sample.rng, 5)
        for V in with_zero_rows(sample.V):
            best = sample.family.best_atoms(sample.data, V, Query())
            detail = "where V has zero rows, the value that comes with an atom must be its own sum_c V_c' K_a V_c"
            wanted = _values(sample, best.atoms, V)
            demand_close(best.values, wanted, "oracle-zero-rows", detail, tolerance=100 * self.tolerance)
            largest = max(*_values(sample, atoms, V), *wanted)
            room = (self.tolerance if best.exact else self.oracle_tolerance) * abs(largest)
            detail = (
                f"where V has zero rows, the ceiling {best.ceiling:.10g} is below the value {largest:.10g} of an atom"
            )
            demand(best.ceiling >= largest - room, "oracle-zero-rows", claim(best.exact) + detail)
            if isinstance(sample.family, LinearFamily):
                got = np.vdot(sample.family.form(sample.data, V), sample.family.parameters(sample.part))
                value = float(np.vdot(V, gram_of(sample) @ V))
                detail = "where V has zero rows, <form(V), parameters(part)> must be sum_c V_c' K V_c"
                demand_close(got, value, "oracle-zero-rows", detail, tolerance=100 * self.tolerance, scale=abs(largest))

    def test_oracle_finds_the_best_atom(self) -> None:
        """No random atom beats the first atom of the answer, which reaches the ceiling if it is exact."""
        for draw in range(3):
            sample = self.sample(draw)
            best = sample.family.best_atoms(sample.data, sample.V, Query())
            values = _values(sample, self.random_atoms(sample.family, sample.data, sample.rng, 20), sample.V)
            room = self.oracle_tolerance * abs(best.ceiling)
            detail = f"the first atom has the value {best.values[0]:.10g}"
            demand(
                best.values[0] >= values.max() - room,
                "oracle-best",
                f"{detail}, and a random atom has {values.max():.10g}",
            )
            demand(
                best.values[0] >= best.ceiling - room,
                "oracle-best",
                f"{detail}, and the ceiling is {best.ceiling:.10g}: the atom that attains it must be returned",
            )

    def test_ceiling_is_above_every_atom(self) -> None:
        """The ceiling is at least the value of every atom of the answer, and of random atoms."""
        for draw in range(3):
            sample = self.sample(draw)
            best = sample.family.best_atoms(sample.data, sample.V, Query(k=3))
            atoms = self.random_atoms(sample.family, sample.data, sample.rng, 20)
            values = np.append(_values(sample, atoms, sample.V), best.values)
            room = (self.tolerance if best.exact else self.oracle_tolerance) * abs(values.max())
            demand(
                best.ceiling >= values.max() - room,
                "ceiling",
                f"{claim(best.exact)}the ceiling {best.ceiling:.10g} is below the value {values.max():.10g} of an "
                "atom: every lower bound on the optimum would be wrong",
            )

    def test_ceiling_is_above_every_mixture(self) -> None:
        """The ceiling is at least sum_c V_c' K V_c of every mixture K of atoms."""
        sample = self.sample()
        best = sample.family.best_atoms(sample.data, sample.V, Query())
        center = sample.family.center()
        for part in (sample.part, center.scaled(1.0 / max(center.mass, 1e-300))):
            value = float(np.vdot(sample.V, gram_of(sample, part) @ sample.V))
            detail = f"the ceiling {best.ceiling:.10g} is below the value {value:.10g} of a mixture of weight 1"
            detail = claim(best.exact) + detail
            demand(best.ceiling >= value * (1 - self.oracle_tolerance), "ceiling", detail)

    def test_oracle_is_quadratic(self) -> None:
        """ceiling(t V) = t^2 ceiling(V), also for a very small t or a large one, and the ceiling at V = 0 is 0."""
        sample = self.sample()
        family, data, V = sample.family, sample.data, sample.V
        best = family.best_atoms(data, V, Query(k=2))
        scaled = family.best_atoms(data, -3.0 * V, Query(k=2))
        tolerance = 100 * self.tolerance if best.exact else self.oracle_tolerance
        detail = "three times V must have nine times the ceiling"
        demand_close(scaled.ceiling, 9.0 * best.ceiling, "oracle-quadratic", detail, tolerance=tolerance)
        for size in _SIZES:
            other = family.best_atoms(data, size * V, Query(k=2))
            detail = f"{size:g} times V, which is as large with another C, must have {size**2:g} times the ceiling"
            demand_close(other.ceiling / size**2, best.ceiling, "oracle-quadratic", detail, tolerance=tolerance)
        zero = family.best_atoms(data, np.zeros_like(V), Query())
        detail = f"V = 0 must have the ceiling 0 and the value 0, got {zero.ceiling:g} and {zero.values}"
        demand(zero.ceiling == 0.0 and not np.any(zero.values), "oracle-zero", detail)

    def test_oracle_depends_on_v_as_a_set_of_samples(self) -> None:
        """The ceiling stays the same if rows are permuted or outputs are rotated into as many or more of them."""
        sample = self.sample()
        best = sample.family.best_atoms(sample.data, sample.V, Query())
        order = sample.rng.permutation(len(sample.X))
        tolerance = 100 * self.tolerance if best.exact else self.oracle_tolerance
        other = sample.family.best_atoms(sample.family.bind(sample.X[order]), sample.V[order], Query())
        detail = "permuted samples must have the same ceiling"
        demand_close(other.ceiling, best.ceiling, "oracle-permutes", detail, tolerance=tolerance)
        for columns in (3, _OUTPUTS):
            rotation, _ = np.linalg.qr(sample.rng.normal(size=(columns, 3)))
            other = sample.family.best_atoms(sample.data, sample.V @ rotation.T, Query())
            detail = (
                f"the ceiling must be that of the sum over all outputs, here {columns}, which a rotation of V into "
                "them leaves as it is"
            )
            demand_close(other.ceiling, best.ceiling, "oracle-outputs", detail, tolerance=tolerance)

    def test_oracle_is_deterministic(self) -> None:
        """The same query has the same answer to the bit, and the oracle changes no array that it is given."""
        sample = self.sample()
        family, data, V = sample.family, sample.data, sample.V
        query = Query(k=2, seed=3, near=sample.part.atoms)
        with untouched("inputs-untouched", "best_atoms", data=data, V=V, query=query, family=family):
            first = family.best_atoms(data, V, query)
        second = family.best_atoms(data, V, query)
        same = np.array_equal(first.atoms, second.atoms) and first.ceiling == second.ceiling
        demand(same, "oracle-deterministic", "the same query must have the same answer to the last bit")

    def test_center_has_weight_one(self) -> None:
        """The weights of the centre are >= 0 and sum to 1, and the centre is the same each time."""
        sample = self.sample()
        with untouched("inputs-untouched", "center", data=sample.data, family=sample.family):
            part = sample.family.center()
        right = part.atoms.ndim == 2 and part.atoms.shape[0] == len(part.weights) and bool(np.all(part.weights >= 0))
        demand(right, "center-weight", "the centre needs atoms (m, p) and weights (m,), none negative")
        demand(abs(part.mass - 1.0) <= 1e-12, "center-weight", f"the centre must have the weight 1, got {part.mass!r}")
        again = sample.family.center()
        same = np.array_equal(part.atoms, again.atoms) and np.array_equal(part.weights, again.weights)
        demand(same, "center-deterministic", "the centre must be the same each time")

    def test_center_does_not_depend_on_the_order_of_rows(self) -> None:
        """The centre is the same kernel if the rows were permuted before prepare and bind."""
        sample = self.sample()
        order = sample.rng.permutation(len(sample.X))
        other = self.prepared(sample.X[order], sample.weight[order])
        center = other.center()
        Z = self.new_rows(sample.rng, sample.X)
        got = np.append(other.cross(center, Z, sample.X), other.diag(center, sample.X))
        part = sample.family.center()
        wanted = np.append(sample.family.cross(part, Z, sample.X), sample.family.diag(part, sample.X))
        detail = "the centre kernel must not depend on the order of the rows"
        demand_close(got, wanted, "center-order", detail, tolerance=100 * self.tolerance)


def _values(sample: Sample, atoms: FloatArray, V: FloatArray) -> FloatArray:
    """sum_c V_c' K_a V_c of each atom, from its Gram."""
    return np.array([float(np.vdot(V, gram_of(sample, single(atom)) @ V)) for atom in atoms])


def _demand_shape(best: BestAtoms, k: int) -> None:
    m = len(best.values)
    detail = f"with k = {k} an oracle returns 1 to {k} atoms (m, p) with values (m,), got {best.atoms.shape} atoms"
    demand(best.atoms.ndim == 2 and best.values.shape == (m,) and len(best.atoms) == m, "oracle-count", detail)
    demand(1 <= m <= k, "oracle-count", detail)
    line = isinstance(best.note, str) and "\n" not in best.note
    demand(line, "oracle-note", f"the note of an answer must be one line of text, got {best.note!r}")
    finite = bool(np.isfinite(best.values).all()) and bool(np.isfinite(best.ceiling))
    demand(finite, "oracle-finite", f"values and ceiling must be finite, got {best.values} and {best.ceiling}")
