"""Laws of parts of many atoms, and of the Gram matrix that a family returns, which has more methods than `dense`."""

import numpy as np

from kernelopt.plugin import FloatArray, Part
from kernelopt.testing._family_case import FamilyCase, gram_of
from kernelopt.testing._laws import demand, demand_close

_DIFFERENT, _TIMES, _FEW = 20, 7, 4
"""So many different atoms stand in a part so many times, and so few of them are a part of their own."""


class PartLaws(FamilyCase):
    """Laws of `gram`, `cross`, `diag`, `apply` and `function` for many atoms, and of the methods of a `Gram`."""

    def test_a_part_may_have_many_atoms(self) -> None:
        """A part of 140 atoms, each of which stands there seven times, is the sum of its few different ones."""
        sample = self.sample()
        family, X, data, V = sample.family, sample.X, sample.data, sample.V
        Z, atoms = self.new_rows(sample.rng, X), self.random_atoms(family, data, sample.rng, _DIFFERENT)
        weights = sample.rng.uniform(size=(_TIMES, len(atoms)))
        whole, alone = Part(np.tile(atoms, (_TIMES, 1)), weights.ravel()), weights.sum(axis=0)
        shares = [Part(atoms[k : k + _FEW], alone[k : k + _FEW]) for k in range(0, len(atoms), _FEW)]
        K = _sum([gram_of(sample, part) for part in shares])
        between = _sum([family.cross(part, Z, X) for part in shares])
        size = max(float(np.abs(K).max()), float(np.abs(between).max()))
        long = size * float(np.abs(V).sum())
        for method, got, wanted, scale in (
            ("gram", gram_of(sample, whole), K, size),
            ("cross", family.cross(whole, Z, X), between, size),
            ("diag", family.diag(whole, X), np.diagonal(K), size),
            ("apply", family.apply(whole, data, V), K @ V, long),
            ("function", family.function(whole, X, V)(Z), between @ V, long),
        ):
            detail = (
                f"{method} of {len(whole)} atoms, of which {len(atoms)} are different or fewer, must be the sum over "
                "the atoms, and an atom that stands there several times has the sum of its weights"
            )
            demand_close(got, wanted, "many-atoms", detail, tolerance=100 * self.tolerance, scale=scale)

    def test_a_gram_is_one_matrix(self) -> None:
        """n, diag, rows, block, apply, form, squares, only and scaled of what gram returns are those of its dense."""
        sample = self.sample()
        gram, K, V = sample.family.gram(sample.part, sample.data), gram_of(sample), sample.V
        some, others = np.array([len(K) - 1, 0, 0]), np.arange(1, len(K), 2)
        demand(gram.n == len(K), "gram-methods", f"n of a Gram must be the number of rows {len(K)}, got {gram.n}")
        wide = float(np.abs(V).sum()) ** 2
        for method, got, wanted, times in (
            ("diag()", gram.diag(), np.diagonal(K), 1.0),
            ("rows", gram.rows(some), K[some], 1.0),
            ("block", gram.block(some, others), K[np.ix_(some, others)], 1.0),
            ("apply of a vector", gram.apply(V[:, 0]), K @ V[:, 0], wide),
            ("apply of columns", gram.apply(V), K @ V, wide),
            ("form", gram.form(V), V.T @ K @ V, wide),
            ("squares", gram.squares(V), np.sum(V * (K @ V), axis=0), wide),
            ("only", gram.only(others).dense(), K[np.ix_(others, others)], 1.0),
            ("scaled", gram.scaled(2.5).dense(), 2.5 * K, 2.5),
        ):
            detail = f"{method} of the {type(gram).__name__} that gram returns must be that of its dense()"
            scale = times * float(np.abs(K).max())
            demand_close(got, wanted, "gram-methods", detail, tolerance=self.tolerance, scale=scale)


def _sum(arrays: list[FloatArray]) -> FloatArray:
    return np.asarray(np.sum(arrays, axis=0))
