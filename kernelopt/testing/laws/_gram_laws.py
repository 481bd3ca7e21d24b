"""Laws of a family's kernels: one symmetric positive kernel, the same in training and in prediction."""

import numpy as np

from kernelopt.plugin import Part, Query, SmoothFamily, join
from kernelopt.testing._family_case import FamilyCase, gram_of, single, with_zero_rows
from kernelopt.testing._laws import SINGLE, arrays_in, demand, demand_close, demand_doubles, untouched

_NEW, _STRIDE = 300, 37
"""So many new rows that blocks of rows may be in use, and which of them are looked at alone."""
_SEARCHED = 3
"""Every third row is enough where atoms are searched for, which may form a thousand Grams."""
_TINY = 1e-6
"""V so small, as with a small C, is no zero."""
_OUTPUTS, _LARGE = 130, 1e6
"""So many outputs are more than a block of 128, and V so large, as with a large C, has no limit."""
_ATOMS = 20
"""So many atoms of a centre are looked at one by one."""
_POOL, _MORE = 400, 68
"""So many rows are drawn, and so many of them, or of those near each other, show a kernel that is hardly indefinite."""


class GramLaws(FamilyCase):
    """Laws of `bind`, `gram`, `cross`, `diag` and `apply`."""

    def test_values_are_doubles(self) -> None:
        """bind, gram, cross, diag, apply and the oracle return float64 that was not computed in float32."""
        sample = self.sample()
        family, part, data, X = sample.family, sample.part, sample.data, sample.X
        best, center = family.best_atoms(data, sample.V, Query()), family.center()
        demand_doubles(
            "float64",
            **{"the Gram": family.gram(part, data).dense()},
            cross=family.cross(part, X[:3], X),
            diag=family.diag(part, X),
            apply=family.apply(part, data, sample.V),
            **{"best_atoms (its atoms)": best.atoms, "best_atoms (its values)": best.values},
            **{"center (its atoms)": center.atoms, "center (its weights)": center.weights},
        )
        for atom in (*part.atoms, *center.atoms[:_ATOMS]):
            demand_doubles("float64", **{f"cross of the atom {atom.round(3)}": family.cross(single(atom), X[:5], X)})
        narrow = any(array.dtype == np.float32 for array in arrays_in(data))
        demand(not narrow, "float64", f"what bind returns holds {SINGLE}; compute in float64")

    def test_gram_is_symmetric(self) -> None:
        """The Gram matrix is symmetric: K = K'."""
        K = gram_of(self.sample())
        demand_close(K, K.T, "gram-symmetric", "a Gram must equal its transpose", tolerance=self.tolerance)

    def test_gram_is_positive(self) -> None:
        """The Gram matrix of a mixture, and of each atom alone, has no eigenvalue below 0, up to rounding."""
        for draw in range(3):
            sample = self.sample(draw)
            self._demand_positive(gram_of(sample), "a Gram")
            for atom in (*sample.part.atoms, *sample.family.center().atoms[:_ATOMS]):
                self._demand_positive(gram_of(sample, single(atom)), f"the Gram of the atom {atom.round(3).tolist()}")
        rows, rng = self.many_rows(_POOL), np.random.default_rng(self.seed)
        near = np.argsort(np.sum((rows - rows[0]) ** 2, axis=1), kind="stable")[:_MORE]
        for some, which in ((rows[:_MORE], f"on {_MORE} rows"), (rows[near], f"on {_MORE} rows that are near")):
            family = self.prepared(some, np.ones(len(some)))
            data = family.bind(some)
            for atom in self.random_atoms(family, data, rng, 10):
                K = np.array(family.gram(single(atom), data).dense())
                self._demand_positive(K, f"the Gram of the atom {atom.round(3).tolist()} {which}")

    def _demand_positive(self, K: np.ndarray, what: str) -> None:
        values = np.linalg.eigvalsh(K)
        detail = (
            f"{what} must be positive semidefinite, the smallest eigenvalue is {values[0]:.3g} and the largest "
            f"{values[-1]:.3g}"
        )
        demand(values[0] >= -max(self.tolerance, 1e-12) * max(float(values[-1]), 1e-300), "gram-positive", detail)

    def test_gram_is_the_naive_one(self) -> None:
        """For several parts, gram has the values of the author's `naive_gram`."""
        for draw in range(3):
            sample = self.sample(draw)
            for part in (*sample.parts, sample.family.center()):
                wanted = self.naive_gram(sample.family, part, sample.X)
                detail = "gram must agree with naive_gram"
                demand_close(gram_of(sample, part), wanted, "gram-naive", detail, tolerance=self.tolerance)

    def test_gram_is_repeatable(self) -> None:
        """gram returns the same values each time, also if the caller has overwritten the first array."""
        sample = self.sample()
        first = sample.family.gram(sample.part, sample.data)
        wanted = first.dense().copy()
        first.scaled(3.0).dense()[...] = np.nan
        detail = "gram must return an array of its own, which the caller may overwrite, and the same values each time"
        demand(np.array_equal(gram_of(sample), wanted), "gram-repeatable", detail)

    def test_gram_is_linear_in_the_weights(self) -> None:
        """K(s a + t b) = s K(a) + t K(b), and an atom of weight 0 adds nothing."""
        sample, rng = self.sample(), np.random.default_rng(1)
        other = Part(self.random_atoms(sample.family, sample.data, rng, 3), rng.uniform(size=3))
        idle = Part(self.random_atoms(sample.family, sample.data, rng, 1), np.zeros(1))
        mixed = join(join(sample.part.scaled(0.3), other.scaled(2.0)), idle)
        wanted = 0.3 * gram_of(sample) + 2.0 * gram_of(sample, other)
        detail = "the Gram of two parts together must be the weighted sum of theirs"
        demand_close(gram_of(sample, mixed), wanted, "gram-linear", detail, tolerance=self.tolerance)

    def test_gram_follows_the_rows(self) -> None:
        """If rows are permuted, left out or repeated, the Gram matrix has the entries of the rows that are there."""
        sample = self.sample()
        K, apart = gram_of(sample), sample.family.apart(sample.part, sample.X)
        twice = np.append(np.arange(0, len(K), 2), [2, 0])
        for index in (sample.rng.permutation(len(K)), np.arange(0, len(K), 3), twice):
            got = sample.family.gram(sample.part, sample.family.bind(sample.X[index])).dense()
            detail = "the Gram of permuted, left-out or repeated rows must have the entries of these rows"
            wanted = (K - np.diag(apart))[np.ix_(index, index)] + np.diag(apart[index])
            demand_close(got, wanted, "gram-permutes", detail, tolerance=self.tolerance, scale=_size(K))

    def test_many_rows_have_the_kernel_of_few(self) -> None:
        """With more rows, gram is cross plus `apart`, an atom has its value, and function, apply and among agree."""
        sample = self.sample()
        family, part = sample.family, sample.part
        X = np.vstack([sample.X, self.many_rows(_NEW)])
        data = family.bind(X)
        K = np.array(family.gram(part, data).dense())
        between = family.cross(part, X, X)
        wanted = between + np.diag(family.apart(part, X))
        detail = f"with {len(X)} rows the Gram must be cross on them, with apart on the diagonal"
        demand_close(K, wanted, "many-rows", detail, tolerance=self.tolerance, scale=_size(K))
        block = K[: len(sample.X), : len(sample.X)]
        detail = "the Gram of some rows must be the same among more rows"
        demand_close(block, gram_of(sample), "many-rows", detail, tolerance=self.tolerance, scale=_size(K))
        looked = X[::_SEARCHED] if isinstance(family, SmoothFamily) else X
        some, V = family.bind(looked), sample.rng.normal(size=(len(looked), 1))
        best = family.best_atoms(some, V, Query())
        value = float(np.vdot(V, family.gram(single(best.atoms[0]), some).dense() @ V))
        detail = f"with {len(V)} rows the value that comes with an atom must be its own"
        demand_close(best.values[0], value, "many-rows", detail, tolerance=100 * self.tolerance)
        Z, rows = self.many_rows(_NEW), np.arange(0, _NEW, _STRIDE)
        got = family.cross(part, Z, sample.X)
        detail = f"with {len(Z)} new rows cross must have the entries that it has for a few of them"
        wanted = family.cross(part, Z[rows], sample.X)
        demand_close(got[rows], wanted, "many-rows", detail, tolerance=self.tolerance, scale=_size(K))
        V = np.cos(np.arange(1.0, 2.0 * len(X) + 1.0)).reshape(len(X), 2)
        images = (
            ("function", family.function(part, X, V)(Z)[rows], family.cross(part, Z[rows], X) @ V),
            ("apply", family.apply(part, data, V), K @ V),
            ("among", family.among(part, X)(slice(0, None, _STRIDE), slice(0, len(X))), between[::_STRIDE]),
        )
        for method, got, wanted in images:
            detail = f"with {len(X)} rows {method} must be what cross or gram say"
            demand_close(got, wanted, "many-rows", detail, tolerance=100 * self.tolerance, scale=_size(K) * len(X))
        detail = f"with {len(Z)} rows diag must have the entries that it has for a few of them"
        got, wanted = family.diag(part, Z), family.diag(part, Z[rows])
        demand_close(got[rows], wanted, "many-rows", detail, tolerance=self.tolerance)

    def test_training_and_prediction_agree(self) -> None:
        """Training and prediction use one kernel: gram(part, bind(X)) = cross(part, X, X) + diag apart(part, X)."""
        for draw in range(3):
            sample = self.sample(draw)
            family, part = sample.family, sample.part.scaled(1.0 + draw)
            K, ridge = gram_of(sample, part), family.ridge(part)
            beyond = K - family.cross(part, sample.X, sample.X)
            detail = "cross on the training rows must be the training Gram off its diagonal: one kernel, not two"
            off = K - beyond + np.diag(np.diagonal(beyond))
            demand_close(off, K, "train-predict-agree", detail, tolerance=self.tolerance, scale=_size(K))
            right = np.isfinite(ridge) and ridge >= 0.0
            demand(right, "ridge", f"ridge must be a finite number >= 0, got {ridge!r}")
            detail = "ridge, or apart, must be what gram has on its diagonal beyond cross on the training rows"
            wanted = family.apart(part, sample.X)
            demand_close(np.diagonal(beyond), wanted, "ridge", detail, tolerance=self.tolerance, scale=_size(K))

    def test_cross_is_the_naive_one(self) -> None:
        """cross between new rows and training rows is a block of the `naive_gram` on both."""
        sample = self.sample()
        Z = self.new_rows(sample.rng, sample.X)
        for part in sample.parts:
            whole = self.naive_gram(sample.family, part, np.vstack([Z, sample.X]))
            got = sample.family.cross(part, Z, sample.X)
            demand(got.shape == (len(Z), len(sample.X)), "cross-shape", f"cross must be (n', n), got {got.shape}")
            detail = "cross between new rows and training rows must agree with naive_gram"
            wanted = whole[: len(Z), len(Z) :]
            demand_close(got, wanted, "cross-naive", detail, tolerance=self.tolerance, scale=_size(whole))

    def test_among_is_cross(self) -> None:
        """among(part, X) gives cross between some of the rows X and others, named by their numbers or by a slice."""
        sample = self.sample()
        family, X = sample.family, sample.X
        some, others = np.array([len(X) - 1, 0, 0]), slice(1, len(X))
        detail = "what among returns must be cross between the rows with these numbers"
        for part in sample.parts:
            between, whole = family.among(part, X), family.cross(part, X, X)
            for rows, columns in ((some, others), (others, some), (slice(0, 1), slice(0, len(X)))):
                got, wanted = between(rows, columns), whole[rows][:, columns]
                demand_close(got, wanted, "among", detail, tolerance=self.tolerance, scale=_size(whole))

    def test_function_is_cross_times_v(self) -> None:
        """function(part, X, V)(Z) = cross(part, Z, X) V at new rows, also for one column or 130, for any size of V."""
        sample = self.sample()
        family, X = sample.family, sample.X
        new = self.new_rows(sample.rng, X)
        for part in sample.parts:
            for V in (sample.V, sample.V[:, :1], _TINY * sample.V, _wide(len(X)), *with_zero_rows(sample.V)):
                with untouched("inputs-untouched", "function", X=X, V=V, part=part, family=family):
                    predict = family.function(part, X, V)
                for Z in (new, new[:1], X):
                    cross = family.cross(part, Z, X)
                    detail = "what function returns must be cross between the new rows and X, times V, shape (n', c)"
                    scale = _size(cross) * float(np.abs(V).sum())
                    demand_close(predict(Z), cross @ V, "function", detail, tolerance=self.tolerance, scale=scale)

    def test_cross_is_a_function_of_two_rows(self) -> None:
        """An entry of cross depends on its two rows only, and cross(Z, X) = cross(X, Z)'."""
        sample = self.sample()
        family, part, X = sample.family, sample.part, sample.X
        Z = self.new_rows(sample.rng, X)
        whole = family.cross(part, Z, X)
        columns = np.array([0, 0, len(X) - 1])
        for got, wanted in (
            (family.cross(part, Z[1:2], X), whole[1:2]),
            (family.cross(part, Z[2:], X[columns]), whole[2:, columns]),
            (family.cross(part, X, Z), whole.T),
        ):
            detail = "an entry of cross must depend on its own two rows alone, symmetrically"
            demand_close(got, wanted, "cross-blocks", detail, tolerance=self.tolerance, scale=_size(whole))

    def test_diag_is_the_diagonal(self) -> None:
        """diag is the diagonal of the Gram matrix for any weights, and on new rows that of cross plus `apart`."""
        sample = self.sample()
        family, Z = sample.family, self.new_rows(sample.rng, sample.X)
        for part in sample.parts:
            got = family.diag(part, sample.X)
            detail = f"diag must be k(x, x) of each row, shape (n,), here of weights that sum to {part.mass:g}"
            gram = family.gram(part, sample.data)
            wanted = np.diagonal(gram_of(sample, part))
            demand_close(got, wanted, "diag", detail, tolerance=self.tolerance)
            demand_close(got, gram.diag(), "diag", detail, tolerance=self.tolerance)
            wanted = np.diagonal(family.cross(part, Z, Z)) + family.apart(part, Z)
            demand_close(family.diag(part, Z), wanted, "diag", detail, tolerance=self.tolerance)
            demand_close(family.diag(part, Z[:1]), wanted[:1], "diag", detail, tolerance=self.tolerance)

    def test_apply_is_a_product_with_the_gram(self) -> None:
        """apply(part, data, V) = K V, also for one column or 130, for strided or large V and for V with zero rows."""
        sample = self.sample()
        V = sample.V
        sparse = np.where(np.arange(len(V))[:, None] % 4 == 0, V, 0.0)
        for part in sample.parts:
            K = gram_of(sample, part)
            for vectors in (V, V[:, :1], sparse, V[:, ::2], np.zeros_like(V), _wide(len(V))):
                got = sample.family.apply(part, sample.data, vectors)
                size = float(np.abs(vectors).max())
                detail = (
                    f"apply must be the Gram times V, shape {vectors.shape}, of numbers up to {size:.2g}, here of "
                    f"weights that sum to {part.mass:g}"
                )
                scale = max(size, 1.0) * _size(K) * len(K)
                demand_close(got, K @ vectors, "apply", detail, tolerance=self.tolerance, scale=scale)

    def test_inputs_stay_as_they_are(self) -> None:
        """No method writes into the rows, the bound data, V, the part or the family."""
        sample = self.sample()
        family, part, X, data, V = sample.family, sample.part, sample.X, sample.data, sample.V
        everything = {"X": X, "the bound data": data, "V": V, "the part": part, "the family": family}
        with untouched("inputs-untouched", "prepare", X=X, weight=sample.weight, family=family):
            family.prepare(X, sample.weight)
        with untouched("inputs-untouched", "bind", **everything):
            family.bind(X)
        with untouched("inputs-untouched", "gram", **everything):
            family.gram(part, data).scaled(3.0).dense()[...] = 0.0
        with untouched("inputs-untouched", "cross", **everything):
            family.cross(part, X, X)[...] = 0.0
        with untouched("inputs-untouched", "diag", **everything):
            family.diag(part, X)
        with untouched("inputs-untouched", "apply", **everything):
            family.apply(part, data, V)


def _wide(n: int) -> np.ndarray:
    """V of many outputs and of large numbers, shape (n, c)."""
    return np.asarray(_LARGE * np.cos(np.arange(1.0, n * _OUTPUTS + 1.0)).reshape(n, _OUTPUTS))


def _size(K: np.ndarray) -> float:
    return float(np.abs(K).max())
