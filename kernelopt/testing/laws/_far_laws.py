"""Laws of a family far from its training rows, at the ends of its atoms and of its weights."""

import attrs
import numpy as np

from kernelopt.plugin import FiniteFamily, FloatArray, KernelFamily, KerneloptError, Part, Query, SmoothFamily
from kernelopt.testing._family_case import FamilyCase, Sample, gram_of, single
from kernelopt.testing._laws import demand, demand_close
from kernelopt.testing._skip import skip

_FAR = (10.0, 1e3, 1e6)
"""Rows so many times as long as new rows; those of the last need be finite alone."""
_NOTHING = 0.0
"""Times any row, it is a row of zeros."""
_GROSS = 1e-4
"""Far away digits are lost where distances are differences of squares; what is wrong is wrong by more."""
_LEVELS = (0.0, 10.0, 1e6)
"""What is added to all rows."""
_SAME, _FEW_DIGITS = 1e-9, 1e-6
"""How much a kernel may change by that, relative: rows of a million have ten digits after the point."""
_LISTED = 60
"""So many atoms of a list are looked at one by one."""
_WEIGHTS = (0.0, 1e-9, 1e9)


class FarLaws(FamilyCase):
    """Laws of `gram`, `cross` and `diag` for rows, atoms and weights that are rare."""

    def test_rows_far_away_have_one_kernel(self) -> None:
        """For rows of zeros, and far away, diag is that of cross plus `apart`, and cross is positive; or an error."""
        sample = self.sample()
        Z = self.new_rows(sample.rng, sample.X)
        bounded = sample.family.boundless(sample.part) is False
        for times in (_NOTHING, *_FAR):
            rows = np.vstack([times * Z, sample.X[:6]])
            found = _between(sample, rows)
            finite = found is None or all(bool(np.isfinite(one).all()) for one in found)
            detail = "for rows of zeros cross and diag must be finite; or raise an InvalidData that says what is wanted"
            demand(finite or times != _NOTHING, "far-rows", detail)
            detail = (
                f"boundless says that k(x, x) has a bound, and for rows {times:g} times as long cross or diag is NaN "
                "or infinite; return finite numbers, raise an InvalidData that says what is wanted, or return True"
            )
            demand(finite or not bounded, "far-rows", detail)
            if found is not None and finite and times < _FAR[-1]:
                self._demand_kernel(sample, rows, *found, f"of rows {times:g} times as long as new rows")

    def test_a_kernel_of_differences_keeps_its_digits(self) -> None:
        """If the kernels stay as they are where 10 is added to all rows, they do where 1e6 is; or an error."""
        near, moved, far = (self._around(level) for level in _LEVELS)
        if near is None or moved is None or not np.allclose(moved, near, rtol=0.0, atol=_SAME * np.abs(near).max()):
            skip("the kernels change where a number is added to all rows, or such rows are refused")
        if far is None:
            return
        detail = (
            f"the kernels stay as they are where {_LEVELS[1]:g} is added to all rows, and must where {_LEVELS[2]:g} "
            "is, as in a column of seconds; compute variances and distances from differences, because a difference of "
            "squares has no digits left"
        )
        demand_close(far, near, "far-from-zero", detail, tolerance=_FEW_DIGITS)

    def _around(self, level: float) -> FloatArray | None:
        """Gram and cross of the centre where this number is added to all rows; None where they are refused."""
        X = self.rows(np.random.default_rng([self.seed, 81]))
        rows = X + level
        try:
            family = self.prepared(rows, np.ones(len(rows)))
            part = family.center()
            K = np.array(family.gram(part, family.bind(rows)).dense())
            return np.vstack([K, family.cross(part, rows[:5] + 0.5, rows)])
        except KerneloptError:
            return None

    def test_rows_far_apart_have_the_kernel_of_predictions(self) -> None:
        """Where some of the bound rows are far from all others, gram is cross plus `apart`; or an error."""
        sample = self.sample()
        Z = self.new_rows(sample.rng, sample.X)
        for times in _FAR[:-1]:
            for part in (sample.part, sample.family.center()):
                self._demand_far_bound(attrs.evolve(sample, part=part), np.vstack([times * Z, sample.X]), times)

    def _demand_far_bound(self, sample: Sample, rows: FloatArray, times: float) -> None:
        """gram on these bound rows (n, d), some of which are far away, is what predictions of them say, or an error."""
        try:
            K = np.array(sample.family.gram(sample.part, sample.family.bind(rows)).dense())
        except KerneloptError:
            return
        found = _between(sample, rows)
        if found is None:
            return
        wanted = found[0] + np.diag(sample.family.apart(sample.part, rows))
        detail = (
            f"where rows {times:g} times as long as new rows are bound together with training rows, gram must be cross "
            "between all of them, with apart on the diagonal"
        )
        demand_close(K, wanted, "far-bound", detail, tolerance=_GROSS, scale=float(np.abs(wanted).max()))

    def _demand_kernel(self, sample: Sample, rows: FloatArray, K: FloatArray, diag: FloatArray, where: str) -> None:
        """cross between rows (n, d) is one kernel with this diagonal, up to gross errors."""
        wanted = np.diagonal(K) + sample.family.apart(sample.part, rows)
        size = max(float(np.abs(K).max()), float(np.abs(wanted).max()))
        detail = f"diag {where} must be the diagonal of cross between them, with apart added"
        demand_close(diag, wanted, "far-rows", detail, tolerance=_GROSS, scale=size)
        detail = f"cross {where}, and of training rows, must be symmetric"
        demand_close(K, K.T, "far-rows", detail, tolerance=_GROSS, scale=size)
        least = float(np.linalg.eigvalsh(0.5 * (K + K.T))[0])
        detail = f"cross {where}, and of training rows, must be positive semidefinite, its least eigenvalue is"
        demand(least >= -_GROSS * size, "far-rows", f"{detail} {least:.3g}, and its largest entry {size:.3g}")

    def test_each_atom_is_one_kernel(self) -> None:
        """For each atom of a list, random ones and those at bounds, gram is cross plus `apart`, diag the diagonal."""
        sample = self.sample()
        family, X = sample.family, sample.X
        scale = float(np.abs(gram_of(sample)).max())
        for atom in self._rare_atoms(sample):
            part = single(atom)
            K, apart = gram_of(sample, part), family.apart(part, X)
            size = max(scale, float(np.abs(K).max()))
            where, wanted = f"for the atom {atom.round(3).tolist()} alone", K - np.diag(apart)
            detail = f"{where} cross on the training rows must be gram without apart"
            demand_close(family.cross(part, X, X), wanted, "each-atom", detail, tolerance=self.tolerance, scale=size)
            detail, got = f"{where} diag must be the diagonal of gram", family.diag(part, X)
            demand_close(got, np.diagonal(K), "each-atom", detail, tolerance=self.tolerance, scale=size)

    def _rare_atoms(self, sample: Sample) -> FloatArray:
        """Atoms of a list, or random ones, the best ones and those at bounds, shape (k, p)."""
        family = sample.family
        if isinstance(family, FiniteFamily):
            atoms = family.dictionary().atoms
            return np.asarray(atoms[np.unique(np.linspace(0, len(atoms) - 1, _LISTED).astype(int))])
        found = [
            self.random_atoms(family, sample.data, sample.rng, 20),
            family.best_atoms(sample.data, sample.V, Query(k=3)).atoms,
        ]
        return np.vstack([*found, _corners(family)]) if isinstance(family, SmoothFamily) else np.vstack(found)

    def test_weights_may_be_of_any_size(self) -> None:
        """gram, cross and diag of the weights t w are t times those of w, also for t = 0, t = 1e-9 and t = 1e9."""
        sample = self.sample()
        family, part, X = sample.family, sample.part, sample.X
        Z = self.new_rows(sample.rng, X)
        for t in _WEIGHTS:
            other = Part(part.atoms, t * part.weights)
            for method, got, wanted in (
                ("gram", gram_of(sample, other), gram_of(sample)),
                ("cross", family.cross(other, Z, X), family.cross(part, Z, X)),
                ("diag", family.diag(other, Z), family.diag(part, Z)),
            ):
                detail = f"{method} must be {t:g} times as large where all weights are; leave out no small weights"
                scale = t * max(float(np.abs(wanted).max()), float(np.abs(gram_of(sample)).max()))
                demand_close(got, t * wanted, "weights-size", detail, tolerance=self.tolerance, scale=scale)


def _corners(family: SmoothFamily) -> FloatArray:
    """The atoms whose numbers are all at the lower or at the upper bound, shape (0 to 2, p)."""
    bounds: FloatArray = np.stack(family.atom_bounds())
    return np.asarray(bounds[np.isfinite(bounds).all(axis=1)])


@np.errstate(all="ignore")
def _between(sample: Sample, rows: FloatArray) -> tuple[FloatArray, FloatArray] | None:
    """cross between these rows, and diag; None where the family refuses them."""
    family: KernelFamily = sample.family
    try:
        return family.cross(sample.part, rows, rows), family.diag(sample.part, rows)
    except KerneloptError:
        return None
