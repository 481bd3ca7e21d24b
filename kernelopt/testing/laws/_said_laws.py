"""Laws of what a family says of itself: which atoms and columns are its own, and how its kernels grow."""

import itertools
import math
import re

import attrs
import numpy as np

from kernelopt.plugin import (
    Expansion,
    FiniteFamily,
    FloatArray,
    IntArray,
    KernelFamily,
    KerneloptError,
    MatrixFamily,
    Part,
    Query,
    SmoothFamily,
)
from kernelopt.testing._family_case import FamilyCase, Sample, single
from kernelopt.testing._laws import LawBroken, demand, demand_close, demand_kind, demand_line, untouched
from kernelopt.testing._skip import skip

_FAR, _FARTHER = 1e3, 1e6
"""Rows so many times as long as those of training. k(x, x) of a linear kernel grows by the square of their ratio."""
_ALIKE = 1e-6
"""Kernels on rows that are turned agree to this share of the largest entry."""
_LITTLE = 1e-3
"""The weight of an atom that a description may leave out."""


class SaidLaws(FamilyCase):
    """Laws of `bind_once`, `stranger`, `seeing`, `spread`, `turned` and `boundless`."""

    def test_one_question_has_the_answer_of_many(self) -> None:
        """best_atoms and apply give the same for the data of `bind_once` as for the data of `bind`."""
        sample = self.sample()
        family, V = sample.family, sample.V
        if type(family).bind_once is KernelFamily.bind_once:
            skip(f"bind_once of {type(family).__name__} is bind")
        once = family.bind_once(sample.X)
        got, wanted = (family.best_atoms(data, V, Query()) for data in (once, sample.data))
        tolerance = 100 * self.tolerance if wanted.exact else self.oracle_tolerance
        detail = "bind_once must answer as bind does: the ceiling of best_atoms is another"
        demand_close(got.ceiling, wanted.ceiling, "bind-once", detail, tolerance=tolerance)
        detail = "bind_once must answer as bind does: apply is another"
        image, own = (family.apply(sample.part, data, V) for data in (once, sample.data))
        size = float(np.abs(own).max())
        demand_close(image, own, "bind-once", detail, tolerance=100 * self.tolerance, scale=size)

    def test_own_atoms_are_no_strangers(self) -> None:
        """stranger returns None for atoms of the family, and None or a few words for any others."""
        sample = self.sample()
        family = sample.family
        found = family.best_atoms(sample.data, sample.V, Query(k=3)).atoms
        for what, atoms in (("best_atoms", found), ("center", family.center().atoms), ("a part", sample.part.atoms)):
            with untouched("inputs-untouched", "stranger", atoms=atoms, family=family):
                said = family.stranger(atoms)
            demand(said is None, "stranger", f"stranger must return None for atoms of {what}, got {said!r}")
            alone = [family.stranger(atom[None]) for atom in atoms]
            detail = f"stranger must return None for each of the atoms of {what}, got {alone}"
            demand(alone == [None] * len(atoms), "stranger", detail)
        for others in (-3.0 * sample.part.atoms - 0.37, 1e9 * (1.0 + np.abs(sample.part.atoms))):
            self._demand_said(family, others)
        self._demand_no_atoms(sample, found)
        if isinstance(family, SmoothFamily) and np.isfinite(family.atom_bounds()).all():
            low, high = family.atom_bounds()
            outside = (2.0 * high - low + 1.0)[None]
            detail = (
                f"stranger returns None for the atom {outside[0].tolist()}, which lies outside atom_bounds, from "
                f"{low.tolist()} to {high.tolist()}; return the reason, because certify would take such an atom"
            )
            demand(family.stranger(outside) is not None, "stranger", detail)

    def _demand_no_atoms(self, sample: Sample, found: FloatArray) -> None:
        """Raise `LawBroken` where stranger takes an array for an atom, alone or among those found, that is none."""
        family, beyond = sample.family, _no_atoms(sample.family)
        if beyond is None:
            return
        for others in (beyond, np.vstack([found, beyond])):
            detail = (
                f"stranger returns None for {beyond[0].tolist()}, which is no atom of the family; return the reason, "
                "because certify would take it"
            )
            said = self._demand_said(family, others)
            demand(said is not None or _is_listed(sample, beyond), "stranger", detail)

    def _demand_said(self, family: KernelFamily, atoms: FloatArray) -> str | None:
        """What stranger says of atoms (m, p), which are finite and may be no atoms of the family: None or one line."""
        try:
            said = family.stranger(atoms)
        except Exception as error:
            detail = (
                f"stranger must return None or one line for the atoms {atoms.tolist()}, which a user may give, got "
                f"{type(error).__name__}: {error}"
            )
            raise LawBroken("stranger", detail) from error
        demand_line(said, "stranger")
        return said

    def test_descriptions_name_their_own_atoms(self) -> None:
        """describe has the same words for another order of the atoms, and names an atom before one of small weight."""
        sample = self.sample()
        family = sample.family
        atoms = sample.part.atoms[np.unique(sample.part.atoms, axis=0, return_index=True)[1]]
        weights = np.arange(1.0, len(atoms) + 1.0) / np.arange(1.0, len(atoms) + 1.0).sum()
        there, back = family.describe(Part(atoms, weights)), family.describe(Part(atoms[::-1], weights[::-1]))
        detail = (
            "describe must have the same words if the atoms of a part and their weights stand in another order; name "
            f"an atom together with its own weight; got {there!r} and {back!r}"
        )
        demand(_words(there) == _words(back), "describe-order", detail)
        alone = [family.describe(single(atom)) for atom in atoms]
        for a, b in itertools.permutations(range(len(atoms)), 2):
            both = family.describe(Part(atoms[[a, b]], np.array([1.0 - _LITTLE, _LITTLE])))
            detail = (
                f"describe must name the atom that has nearly all of the weight, {alone[a]!r}, and of "
                f"{atoms[a].round(3).tolist()} with the weight {1.0 - _LITTLE} and {atoms[b].round(3).tolist()} with "
                f"{_LITTLE} it returns {both!r}, as if the second atom stood alone"
            )
            demand(both != alone[b] or alone[a] == alone[b], "describe-atom", detail)
        self._demand_labels(family, atoms, alone)

    def _demand_labels(self, family: KernelFamily, atoms: FloatArray, alone: list[str]) -> None:
        """Raise `LawBroken` where an atom is described by the label of another one."""
        labels = [family.label(atom) for atom in atoms]
        for atom, label, text in zip(atoms, labels, alone, strict=True):
            others = [
                one for one in labels if one is not None and label is not None and one not in label and one in text
            ]
            detail = (
                f"label calls the atom {atom.round(3).tolist()} {label!r}, and describe calls it {text!r}, with the "
                f"label {others[:1]} of another atom"
            )
            demand(label is None or label in text or not others, "describe-label", detail)

    def test_a_family_without_constant_columns_is_the_same(self) -> None:
        """seeing returns None, or the same family for the columns that are left: of the same name and kernels."""
        sample = self.sample()
        width = sample.X.shape[1]
        if width < 2:
            skip("the rows have one column")
        columns = np.delete(np.arange(width), width // 2)
        seen = self.family().seeing(columns, width)
        if seen is None:
            skip(f"seeing of {type(sample.family).__name__} gives no family")
        demand_kind(seen, KernelFamily, "seeing", "seeing")
        detail = f"seeing must return the same family for fewer columns, got {seen!r} of the name {seen.name!r}"
        demand(seen.name == sample.family.name, "seeing", detail)
        K = _central(seen, sample, columns)
        demand(K is None or bool(np.isfinite(K).all()), "seeing", "the kernels of what seeing returns are not finite")
        own = _central(self.family(), sample, columns) if self.any_columns else None
        if K is not None and own is not None:
            detail = (
                "seeing must return the family with all of its options: the kernel of the centre is another than that "
                "of the family itself on the columns that are left; write attrs.evolve(self, ...), or set any_columns "
                "to False in the suite if options of the family count columns"
            )
            demand_close(K, own, "seeing", detail, tolerance=100 * self.tolerance)

    def test_a_family_without_categories_is_the_same(self) -> None:
        """spread returns the same family where no column has indicators."""
        sample = self.sample()
        width = sample.X.shape[1]
        family, every = self.family(), np.arange(width)
        layout = Expansion(every, np.zeros(width), (), width, coded=family.reads_codes)
        got, wanted = (_central(one, sample, every) for one in (family.spread(layout), family))
        detail = (
            "spread must return the family with all of its options: without any indicators the kernel of the centre "
            "is another; write attrs.evolve(self, ...), or return self"
        )
        if got is not None and wanted is not None:
            demand_close(got, wanted, "spread", detail, tolerance=100 * self.tolerance)

    def test_a_turned_family_is_the_same(self) -> None:
        """turned returns the same family where no rotation of rows without correlations changes the family's kernel."""
        sample = self.sample()
        width = sample.X.shape[1]
        turned = self.family().turned(width)
        if turned is None:
            skip(f"turned of {type(sample.family).__name__} gives no family")
        white = math.sqrt(len(sample.X)) * np.linalg.svd(sample.X - sample.X.mean(axis=0), full_matrices=False)[0]
        plain = attrs.evolve(sample, X=white, weight=np.ones(len(white)))
        turn = np.linalg.qr(sample.rng.normal(size=(width, width)))[0]
        other, every = attrs.evolve(plain, X=white @ turn), np.arange(width)
        own, again = (_central(self.family(), one, every) for one in (plain, other))
        if own is None or again is None or not np.allclose(own, again, rtol=0.0, atol=_ALIKE * np.abs(own).max()):
            skip(f"{type(sample.family).__name__} looks at single columns")
        got = _central(turned, plain, every)
        detail = (
            "turned must return the family with all of its options: no rotation changes the kernel of the centre, and "
            "that of what turned returns is another; write attrs.evolve(self, ...), or return self"
        )
        if got is not None:
            demand_close(got, own, "turned", detail, tolerance=_ALIKE)

    def test_a_kernel_that_grows_says_so(self) -> None:
        """boundless is True, False or None; k(x, x) grows with the numbers of a row if True, and not if False."""
        sample = self.sample()
        parts = (sample.part, sample.family.center())
        if all(sample.family.boundless(part) is True for part in parts):
            grow = [
                not _largest(sample, part, _FARTHER * sample.X) <= 2.0 * _largest(sample, part, sample.X)
                for part in parts
            ]
            detail = (
                f"boundless says that k(x, x) grows without end, and with rows {_FARTHER:g} times as long it does not; "
                "return False, because predictions far away would be held back without a reason"
            )
            demand(any(grow), "boundless", detail)
        for part in parts:
            said = sample.family.boundless(part)
            known = said is None or isinstance(said, bool)
            demand(known, "boundless", f"boundless must return True, False or None, got {said!r}")
            if said is False:
                far, farther = (_largest(sample, part, times * sample.X) for times in (_FAR, _FARTHER))
                detail = (
                    f"boundless says that k(x, x) has a bound, and rows {_FAR:g} times as long have {far:.3g}, rows "
                    f"{_FARTHER:g} times as long {farther:.3g}; return True, so that predictions far away are held back"
                )
                demand(not farther > _FAR * far, "boundless", detail)


def _no_atoms(family: KernelFamily) -> FloatArray | None:
    """An array (1, p) that is no atom of a list, or of a family of unit vectors; None for other families."""
    if isinstance(family, FiniteFamily) and family.dictionary().atoms.size:
        return np.asarray(np.abs(family.dictionary().atoms).max(axis=0, keepdims=True) + 1.5)
    return np.full((1, family.order), 2.0) if isinstance(family, MatrixFamily) else None


def _is_listed(sample: Sample, atom: FloatArray) -> bool:
    """Whether an atom (1, p) has the kernel of an atom of the list under another number."""
    family, X = sample.family, sample.X
    if not isinstance(family, FiniteFamily):
        return False
    K = family.cross(Part(atom, np.ones(1)), X, X)
    grams = (family.cross(Part(other[None], np.ones(1)), X, X) for other in family.dictionary().atoms)
    return any(np.allclose(K, other) for other in grams)


def _central(family: KernelFamily, sample: Sample, columns: IntArray) -> FloatArray | None:
    """The Gram of the centre of a family prepared on some columns of the rows; None where it refuses these."""
    X = np.ascontiguousarray(sample.X[:, columns])
    try:
        prepared = family.prepare(X, sample.weight)
    except KerneloptError:
        return None
    return np.array(prepared.gram(prepared.center(), prepared.bind(X)).dense())


@np.errstate(over="ignore", invalid="ignore")
def _largest(sample: Sample, part: Part, X: FloatArray) -> float:
    """The largest k(x, x) of these rows; NaN where the family refuses them."""
    try:
        return float(sample.family.diag(part, X).max())
    except KerneloptError:
        return float("nan")


def _words(text: str) -> list[str]:
    """The words and numbers of a description, in an order of their own."""
    return sorted(word.strip(".") for word in re.findall(r"[\w.]+", text))
