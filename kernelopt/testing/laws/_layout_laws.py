"""Laws of how arrays lie in memory: in another order, not to be written to, or overwritten later."""

import numpy as np

from kernelopt.plugin import FloatArray, KerneloptError, Query
from kernelopt.testing._family_case import FamilyCase, Sample, gram_of
from kernelopt.testing._laws import LawBroken, demand, demand_close


class LayoutLaws(FamilyCase):
    """Laws of the memory of the rows and of V."""

    def test_the_layout_of_arrays_does_not_matter(self) -> None:
        """Rows, weights and V in the order of Fortran, which must not be written to, have the same answers."""
        sample = self.sample()
        Z = self.new_rows(sample.rng, sample.X)
        X, new, V = (_by_columns(array) for array in (sample.X, Z, sample.V))
        try:
            self._demand_answers(sample, Z, X, new, V)
        except (LawBroken, KerneloptError):
            raise
        except Exception as error:
            detail = (
                "with rows and V in the order of Fortran, which must not be written to, as columns of a table are, the "
                f"same answers are wanted; got {type(error).__name__}: {error}; write into arrays of your own, and do "
                "not ask for rows in the order of C"
            )
            raise LawBroken("layout", detail) from error

    def _demand_answers(self, sample: Sample, Z: FloatArray, X: FloatArray, new: FloatArray, V: FloatArray) -> None:
        """The answers for rows X, new rows and V are those for the sample's rows, Z and the sample's V."""
        family, part = self.prepared(X, _by_columns(sample.weight)), sample.part
        data, old = family.bind(X), sample.family
        best, known = family.best_atoms(data, V, Query()), old.best_atoms(sample.data, sample.V, Query())
        room = 100 * self.tolerance if best.exact and known.exact else self.oracle_tolerance
        for method, got, wanted, tolerance in (
            ("gram", family.gram(part, data).dense(), gram_of(sample), 100 * self.tolerance),
            ("cross", family.cross(part, new, X), old.cross(part, Z, sample.X), 100 * self.tolerance),
            ("diag", family.diag(part, new), old.diag(part, Z), 100 * self.tolerance),
            ("apply", family.apply(part, data, V), gram_of(sample) @ sample.V, 100 * self.tolerance),
            ("function", family.function(part, X, V)(new), old.cross(part, Z, sample.X) @ sample.V, 1e-6),
            ("best_atoms", best.ceiling, known.ceiling, room),
        ):
            detail = (
                f"{method} must give the same for rows and V in the order of Fortran; numpy lays out the columns of a "
                "table like this, so read entries by their numbers, X[i, j]"
            )
            demand_close(got, wanted, "layout", detail, tolerance=tolerance)

    def test_a_prepared_family_keeps_no_view_of_the_rows(self) -> None:
        """If the rows and weights are overwritten after prepare, the kernel stays the same, to the bit."""
        sample = self.sample()
        X, weight = sample.X.copy(), sample.weight.copy()
        family, Z = self.prepared(X, weight), self.new_rows(sample.rng, sample.X)
        wanted = family.cross(sample.part, Z, sample.X)
        X[...] = X[::-1].copy()
        weight[...] = weight[::-1].copy()
        got = family.cross(sample.part, Z, sample.X)
        detail = (
            "the rows were overwritten after prepare, and the kernel of the prepared family has changed: a field is a "
            "view of the rows; let prepare store a copy, such as X[0].copy()"
        )
        demand(np.array_equal(got, wanted), "rows-viewed", detail)


def _by_columns(array: FloatArray) -> FloatArray:
    """A copy in the order of Fortran that must not be written to."""
    turned = np.array(array, order="F")
    turned.flags.writeable = False
    return turned
