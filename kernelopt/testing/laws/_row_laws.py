"""Laws of rows that take the place of others, that stand there twice, and of which there are few, of few columns."""

import numpy as np

from kernelopt.plugin import Data, FloatArray, KernelFamily, KerneloptError, Part, Query
from kernelopt.testing._family_case import FamilyCase, single
from kernelopt.testing._laws import LawBroken, claim, demand, demand_close

_MANY = 340
"""So many rows at least, all of them copies, are enough for blocks of rows, or for a search on some of them."""
_THOUSANDS = 1103
"""So many new rows are more than a block of a thousand or of 1024, and no whole number of such blocks."""
_LOOKED_AT = (slice(0, 1), slice(980, 1040), slice(1080, None))
"""Which of them are looked at: one alone, those where blocks may end, and the last."""
_COLUMNS = 17
"""More columns than a block of 16."""


class RowLaws(FamilyCase):
    """Laws of `prepare`, `bind`, `gram`, `cross`, `diag` and `best_atoms` on other rows than those of a sample."""

    def test_a_family_remembers_no_rows(self) -> None:
        """With rows bound one after the other, as many and in the same array, each have the kernel of their own."""
        sample = self.sample()
        X, Y = sample.X, self.rows(np.random.default_rng([self.seed, 77]))[: len(sample.X)].copy()
        Y[0] = X[0]
        own, other = (sample.family, sample.part), self.prepared(Y, np.ones(len(Y)))
        others = (other, other.center())
        turns = [(*own, X), (*own, Y), (*others, Y), (*others, X)]
        bound = [family.bind(rows) for family, _, rows in turns]
        for (family, part, rows), data in zip(turns, bound, strict=True):
            detail = (
                "of sets of as many rows, bound one after the other, each must have the kernel of its own; what is "
                "remembered must be found by all that it depends on: every row, and every field of the prepared family"
            )
            self._demand_own(family, part, rows, data, "rows-remembered", detail)
        place = X.copy()
        sample.family.cross(sample.part, X[:3], place)
        sample.family.bind(place)
        place[...] = Y
        detail = (
            "rows that were written into an array which was bound before must have the kernel of their own; do not "
            "find what is remembered by the identity or the address of an array"
        )
        self._demand_own(sample.family, sample.part, place, sample.family.bind(place), "rows-remembered", detail)

    def test_new_rows_may_be_one_or_a_thousand(self) -> None:
        """cross, diag and function have for one new row, and for 1103, what they have for a few of them."""
        sample = self.sample()
        family, part, X, V = sample.family, sample.part, sample.X[:1], sample.V[:1]
        Z = self.many_rows(_THOUSANDS)
        some = [Z[rows] for rows in _LOOKED_AT]
        size = float(np.abs(family.cross(part, some[1], X)).max() + np.abs(family.diag(part, some[1])).max())
        for name, method, scale in (
            ("cross", lambda rows: family.cross(part, rows, X), size),
            ("diag", lambda rows: family.diag(part, rows), size),
            ("function", family.function(part, X, V), size * float(np.abs(V).sum())),
        ):
            whole = method(Z)
            right = len(whole) == len(Z)
            demand(right, "thousand", f"{name} must have an entry for each of {len(Z)} new rows, got {len(whole)}")
            for rows, few in zip(_LOOKED_AT, some, strict=True):
                detail = (
                    f"{name} of {len(Z)} new rows must have, from row {rows.start}, the entries that it has for "
                    f"{len(few)} rows alone"
                )
                demand_close(whole[rows], method(few), "thousand", detail, tolerance=100 * self.tolerance, scale=scale)

    def test_rows_that_stand_there_twice_are_as_good_as_one(self) -> None:
        """If rows are repeated, diag has an entry for each, and the oracle answers as for the sums of their V."""
        sample = self.sample()
        family, n = sample.family, len(sample.X)
        index = np.append(np.arange(n), np.arange(0, n, 2))
        rows = sample.X[index]
        got, wanted = family.diag(sample.part, rows), family.diag(sample.part, sample.X)[index]
        detail = "where rows are repeated, diag must have an entry for each of them"
        demand_close(got, wanted, "repeated-rows", detail, tolerance=self.tolerance)
        if np.any(family.apart(sample.part, sample.X)):
            return
        data, V = family.bind(rows), sample.rng.normal(size=(len(index), 2))
        merged = np.zeros((n, 2))
        np.add.at(merged, index, V)
        best, alone = family.best_atoms(data, V, Query(k=3)), family.best_atoms(sample.data, merged, Query())
        wanted = np.array([_value(family, atom, data, V) for atom in best.atoms])
        detail = "where rows are repeated, the value that comes with an atom must be its own sum_c V_c' K_a V_c"
        demand_close(best.values, wanted, "repeated-rows", detail, tolerance=100 * self.tolerance)
        exact = best.exact and alone.exact
        detail = f"{claim(exact)}where rows are repeated, the ceiling must be that of one row with the sum of their V"
        room = 100 * self.tolerance if exact else self.oracle_tolerance
        demand_close(best.ceiling, alone.ceiling, "repeated-rows", detail, tolerance=room)
        copies = max(2, -(-_MANY // n))
        many = np.tile(np.arange(n), copies)
        whole = np.zeros((len(many), 2))
        whole[np.arange(n) + n * sample.rng.integers(copies, size=n)] = merged
        best = family.best_atoms(family.bind(sample.X[many]), whole, Query())
        detail = f"{detail}, here for {len(many)} rows"
        demand_close(best.ceiling, alone.ceiling, "repeated-rows", detail, tolerance=room)

    def test_few_rows_and_columns_are_enough(self) -> None:
        """With one column, or 17, a constant one, two rows, or one row bound: one finite kernel, or an error."""
        sample = self.sample()
        X = sample.X
        more = np.column_stack([np.roll(X[:, j % X.shape[1]], j // X.shape[1]) for j in range(_COLUMNS)])
        self._demand_few(None, X[:2], "with two rows")
        for where, rows in (("one column", X[:, :1].copy()), (f"{_COLUMNS} columns", more)):
            if self.any_columns:
                self._demand_few(None, rows, f"with {where}")
        # A whole number has no rounding in its mean, so that a variance of it is exactly 0.
        constant = np.where(np.arange(X.shape[1]) == X.shape[1] - 1, np.rint(X[:1]), X)
        if X.shape[1] > 1 and self.family().seeing(np.arange(X.shape[1] - 1), X.shape[1]) is None:
            where = "where a column is constant in training, and seeing returns None"
            self._demand_few(None, constant, where, new=X)
        self._demand_few(sample.family, X[:1], "where one row is bound alone")

    def _demand_few(
        self, family: KernelFamily | None, rows: FloatArray, where: str, new: FloatArray | None = None
    ) -> None:
        """Raise `LawBroken` unless the centre is one finite kernel on rows (n, d), or kernelopt raises an error.

        Args:
            family: prepared; None for one that is prepared on these rows.
            rows: that are bound.
            where: what is special about them.
            new: rows to predict; None for the same.
        """
        detail = f"{where}, gram must be cross, of finite numbers"
        try:
            family = self.prepared(rows, np.ones(len(rows))) if family is None else family
            part, Z = family.center(), rows if new is None else new
            self._demand_own(family, part, rows, family.bind(rows), "few-rows", detail)
            detail = f"{where}, diag must be the diagonal of cross, of finite numbers"
            wanted = np.diagonal(family.cross(part, Z, Z)) + family.apart(part, Z)
            demand_close(family.diag(part, Z), wanted, "few-rows", detail, tolerance=100 * self.tolerance)
        except KerneloptError:
            return
        except LawBroken:
            raise
        except Exception as error:
            words = f"{detail}, or an error such as InvalidData that says what is wanted; got {type(error).__name__}: "
            raise LawBroken("few-rows", f"{words}{error}") from error

    def _demand_own(
        self, family: KernelFamily, part: Part, rows: FloatArray, data: Data, law: str, detail: str
    ) -> None:
        """Raise `LawBroken` unless gram and the oracle on bound rows (n, d) have the kernel that cross has on them."""
        wanted = family.cross(part, rows, rows) + np.diag(family.apart(part, rows))
        demand_close(family.gram(part, data).dense(), wanted, law, detail, tolerance=100 * self.tolerance)
        V = np.cos(np.arange(1.0, len(rows) + 1.0))[:, None]
        best = family.best_atoms(data, V, Query())
        value = _value(family, best.atoms[0], data, V)
        detail += "; the value of an atom of the oracle is another"
        demand_close(best.values[0], value, law, detail, tolerance=100 * self.tolerance)


def _value(family: KernelFamily, atom: FloatArray, data: Data, V: FloatArray) -> float:
    """sum_c V_c' K_a V_c."""
    return float(np.vdot(V, family.gram(single(atom), data).dense() @ V))
