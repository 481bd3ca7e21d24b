"""Laws of a family as a value: its name, `prepare`, `bind_bytes`, pickling."""

import copy
import math

import numpy as np

from kernelopt.plugin import Expansion, FiniteFamily, FloatArray, Indicators, KernelFamily, KerneloptError, Part, Query
from kernelopt.testing._family_case import FamilyCase, Sample, gram_of, single
from kernelopt.testing._laws import (
    LawBroken,
    arrays_in,
    demand,
    demand_close,
    demand_frozen,
    demand_line,
    demand_name,
    pickled,
    through_a_file,
    untouched,
)
from kernelopt.testing._skip import skip

_CATEGORIES = 20
_DECADES = (-4, 4)
"""Weights of all sizes, from a ten-thousandth on."""
_GENEROUS = 100
"""How many times as much memory as bind holds, or an n x n array, may be stated."""
_TURNED = 0.02
"""How far an oracle may be from its own ceiling on rows in another basis, relative: some search."""
_PICKED = 8
"""So many random atoms have a V that picks them."""
_SMALL = 1e-3
"""The ratio of the weights of one atom and the next, where small weights must not be lost."""


class PrepareLaws(FamilyCase):
    """Laws of the class and of `prepare`."""

    def test_family_is_a_frozen_value_with_a_name(self) -> None:
        """The name is lower-case, and attributes cannot be set, neither before `prepare` nor after."""
        family = self.family()
        demand(isinstance(family, KernelFamily), "family-type", f"family() must return a KernelFamily, got {family!r}")
        demand_name(family, "family-name")
        demand_frozen(family, "family-frozen")
        prepared = self.sample().family
        demand_frozen(prepared, "family-frozen")
        same = type(prepared) is type(family)
        demand(same, "prepare-type", f"prepare must return a {type(family).__name__}, got {type(prepared).__name__}")

    def test_prepare_is_repeatable(self) -> None:
        """prepare gives the same kernel for the same rows, and a second prepare changes nothing."""
        sample = self.sample()
        again = self.prepared(sample.X, sample.weight)
        detail = "preparing twice on the same rows must give the same kernel"
        self._demand_same(sample, again, "prepare-repeatable", detail)
        self._demand_same(sample, sample.family.prepare(sample.X, sample.weight), "prepare-repeatable", detail)

    def test_prepare_does_not_depend_on_the_order_of_rows(self) -> None:
        """prepare gives the same kernel if the rows are permuted."""
        sample = self.sample()
        order = sample.rng.permutation(len(sample.X))
        other = self.prepared(sample.X[order], sample.weight[order])
        self._demand_same(sample, other, "prepare-order", "prepare must not depend on the order of the rows")

    def test_rows_of_zero_weight_do_not_count(self) -> None:
        """prepare gives the same kernel if rows of weight 0 are added."""
        sample = self.sample()
        extra = self.rows(np.random.default_rng(99))
        weight = np.append(sample.weight, np.zeros(len(extra)))
        other = self.prepared(np.vstack([sample.X, extra]), weight)
        self._demand_same(sample, other, "prepare-zero-weight", "rows of zero weight must not count in prepare")

    def test_weights_are_copies(self) -> None:
        """prepare gives the same kernel for a row of weight s, of any size, as for copies whose weights sum to s."""
        if not self.weights_are_copies:
            skip("weights are no copies: weights_are_copies is False")
        sample = self.sample()
        Z, n = self.new_rows(sample.rng, sample.X), len(sample.X)
        for k in (2, 7):
            counts = np.where(np.arange(n) % 3 == 0, k, 1)
            weighted = self.prepared(sample.X, counts.astype(float))
            copied = self.prepared(np.repeat(sample.X, counts, axis=0), np.ones(int(counts.sum())))
            got, wanted = (family.cross(sample.part, Z, sample.X) for family in (weighted, copied))
            detail = f"a row of weight {k} must count as {k} rows in prepare"
            demand_close(got, wanted, "prepare-copies", detail, tolerance=100 * self.tolerance)
        weight = np.logspace(*_DECADES, n)
        halves = np.append(0.25 * weight, 0.75 * weight[::-1])
        families = (self.prepared(sample.X, weight), self.prepared(np.vstack([sample.X, sample.X[::-1]]), halves))
        got, wanted = (family.cross(sample.part, Z, sample.X) for family in families)
        detail = "rows of weights from 0.0001 to 10000 must count as two copies each, whose weights sum to theirs"
        demand_close(got, wanted, "prepare-copies", detail, tolerance=100 * self.tolerance)

    def test_columns_of_any_size_are_finite_or_refused(self) -> None:
        """If columns are a million times larger or smaller, kernels are finite, or kernelopt raises an error."""
        base = self.rows(np.random.default_rng(5))
        for factor in (1e-6, 1e6):
            X = base * np.where(np.arange(base.shape[1]) % 2 == 0, factor, 1.0)
            try:
                with np.errstate(all="ignore"):  # judged by the values
                    family = self.prepared(X, np.ones(len(X)))
                    data = family.bind(X)
                    part = family.center()
                    values = np.append(family.gram(part, data).dense(), family.diag(part, X))
            except KerneloptError:
                continue
            detail = f"columns scaled by {factor:g} must give finite values, or an error that says what to do"
            demand(np.isfinite(values).all(), "finite", detail)

    def test_memory_is_stated(self) -> None:
        """bind_bytes is a positive integer that grows with n: what bind returns, and not a hundred times as much."""
        sample = self.sample()
        d = sample.X.shape[1]
        stated = sample.family.bind_bytes(len(sample.X), d)
        whole = isinstance(stated, int) and not isinstance(stated, bool) and stated > 0
        demand(whole, "bind-bytes", f"bind_bytes must return a positive int, got {stated!r}")
        more = sample.family.bind_bytes(4 * len(sample.X), d)
        demand(more > stated, "bind-bytes", f"four times the rows must need more memory, got {stated} and {more}")
        X = np.vstack([self.rows(np.random.default_rng(i)) for i in range(10)])
        held = sum(array.nbytes for array in arrays_in(sample.family.bind(X)))
        stated = sample.family.bind_bytes(len(X), d)
        detail = f"bind holds {held} bytes for {len(X)} rows, and bind_bytes states {stated}"
        demand(held <= 2 * stated, "bind-bytes", detail)
        most = _GENEROUS * max(held, 8 * len(X) ** 2)
        demand(stated <= most, "bind-bytes", f"{detail}: runs would be refused that fit into memory")

    def test_pickled_family_is_the_same(self) -> None:
        """A prepared family says the same to the last bit after pickling, and after `copy.deepcopy`."""
        sample = self.sample()
        Z = self.new_rows(sample.rng, sample.X)
        wanted = _said(sample.family, sample, Z) | _found(sample.family, sample)
        restored, copied = pickled(sample.family, "pickle"), copy.deepcopy(sample.family)
        for how, said in (
            ("pickled", _said(restored, sample, Z) | _found(restored, sample)),
            ("copied", _said(copied, sample, Z)),
        ):
            for method, array in said.items():
                detail = f"{method} of a {how} family must be the same to the last bit"
                demand(np.array_equal(array, wanted[method]), "pickle", detail)

    def test_a_turned_family_sees_no_axes(self) -> None:
        """If `turned` gives a family, a rotation of all rows changes neither its ceilings nor the Grams of a list."""
        sample = self.sample()
        family = self.family().turned(sample.X.shape[1])
        if family is None:
            skip(f"turned of {type(sample.family).__name__} gives no family")
        turn = np.linalg.qr(sample.rng.normal(size=(sample.X.shape[1], sample.X.shape[1])))[0]
        V = np.column_stack([sample.V[:, :1] - sample.V[:, :1].mean(), self._picking(sample)])
        V /= np.linalg.norm(V, axis=0)
        found = [_seen(family, X, V) for X in (sample.X, np.ascontiguousarray(sample.X @ turn))]
        numbered = found[0].ndim == 2
        what = "Grams" if numbered else "ceiling of its oracle"
        detail = (
            f"the family that turned() gives must have the same {what} on rows in another orthonormal basis; return "
            "None from turned, or a family that does not look at single columns"
        )
        demand_close(found[1], found[0], "turned", detail, tolerance=1e-8 if numbered else _TURNED)

    def _picking(self, sample: Sample) -> FloatArray:
        """V (n, m), each column such that another random atom is better than most, wherever in the family it lies."""
        atoms = self.random_atoms(sample.family, sample.data, np.random.default_rng(self.seed), _PICKED)
        grams = np.stack([gram_of(sample, single(atom)) for atom in atoms])
        return np.column_stack([np.linalg.eigh(K - grams.mean(axis=0))[1][:, -1] for K in grams])

    def test_a_family_that_reads_codes_knows_no_order_of_them(self) -> None:
        """If `reads_codes`, another order of the categories changes no Gram, and a new category has a finite kernel."""
        if not self.family().reads_codes:
            skip(f"{type(self.family()).__name__} reads no codes")
        rng = np.random.default_rng(7)
        numbers, codes = rng.normal(size=(24, 2)), rng.integers(0, _CATEGORIES, 24)
        grams = []
        for order in (np.arange(_CATEGORIES), rng.permutation(_CATEGORIES)):
            labels = tuple(f"category {k}" for k in np.argsort(order))
            group = Indicators(2, np.argsort(order).astype(float), labels)
            layout = Expansion(np.arange(2), np.zeros(2), (group,), 3, coded=True)
            X = layout.seen(np.column_stack([numbers, codes]))
            family = self.family().spread(layout).prepare(X, np.ones(len(X)))
            grams.append(family.gram(family.center(), family.bind(X)).dense())
            self._demand_new_category(family, layout, X)
        detail = "a family that reads codes must have the same Grams where the categories have another order"
        demand_close(grams[1], grams[0], "codes", detail, tolerance=1e-9)

    def _demand_new_category(self, family: KernelFamily, layout: Expansion, X: FloatArray) -> None:
        """A row to predict may have a category that no training row has: its code is the number of the categories."""
        Z = layout.seen(np.column_stack([np.zeros((1, 2)), [float(_CATEGORIES)]]))
        detail = (
            f"a row whose category is new has the code {Z[0, -1]:g}, which is the number of the known categories; "
            "cross must be finite for this row"
        )
        try:
            K = family.cross(family.center(), Z, X)
        except Exception as error:
            raise LawBroken("codes", f"{detail}, got {type(error).__name__}: {error}") from error
        demand(bool(np.isfinite(K).all()), "codes", f"{detail}, got {K[0, 0]}")

    def test_family_survives_a_model_file(self) -> None:
        """cross is the same to the bit after `compact`, and after the fields were written to a file and read."""
        sample = self.sample()
        Z = self.new_rows(sample.rng, sample.X)
        whole = Part(sample.part.atoms, np.power(_SMALL, np.arange(len(sample.part), dtype=np.float64)))
        with untouched("inputs-untouched", "compact", part=whole, family=sample.family):
            family, part = sample.family.compact(whole)
        wanted = sample.family.cross(whole, Z, sample.X)
        same = np.array_equal(family.cross(part, Z, sample.X), wanted)
        demand(
            same, "compact", "compact must give the same kernel to the last bit, also where atoms have small weights"
        )
        if not self.goes_into_files:
            return
        found = through_a_file(family, "model-file")
        detail = "a family that was written and read must give the same kernel to the last bit"
        demand(np.array_equal(found.cross(part, Z, sample.X), wanted), "model-file", detail)

    def test_family_describes_itself(self) -> None:
        """paper_scale is a positive number, and describe returns one line for one atom, several and the centre."""
        sample = self.sample()
        scale = sample.family.paper_scale()
        detail = f"paper_scale must be positive and finite, got {scale!r}"
        demand(math.isfinite(scale) and scale > 0, "paper-scale", detail)
        best = sample.family.best_atoms(sample.data, sample.V, Query()).atoms[:1]
        for part in (*sample.parts, sample.family.center(), Part(best, np.ones(1)), sample.part.kept()):
            with untouched("inputs-untouched", "describe", part=part, family=sample.family):
                text = sample.family.describe(part)
            right = isinstance(text, str) and bool(text.strip()) and "\n" not in text
            demand(right, "describe", f"describe must return one line for {len(part)} atoms, got {text!r}")

    def test_caution_is_a_sentence_or_none(self) -> None:
        """For training rows, new rows and rows far away, caution returns None or a sentence of one line."""
        sample = self.sample()
        Z = self.new_rows(sample.rng, sample.X)
        with untouched("inputs-untouched", "caution", X=sample.X, Z=Z, family=sample.family):
            said = [sample.family.caution(rows) for rows in (sample.X, Z, Z[:1], 1e3 + 10.0 * Z)]
        for text in said:
            demand_line(text, "caution")

    def test_remark_is_a_sentence_or_none(self) -> None:
        """For any part, and one output or several, remark returns None or one line, and changes no array."""
        sample = self.sample()
        family = sample.family
        with untouched("inputs-untouched", "remark", part=sample.part, V=sample.V, family=family):
            said = [
                family.remark(part, V)
                for part in (sample.part, family.center())
                for V in (sample.V, sample.V[:, :1], np.zeros_like(sample.V))
            ]
        for text in said:
            demand_line(text, "remark")

    def test_names_are_as_many_as_numbers(self) -> None:
        """`coordinates` has a different name for each number of an atom and `label` one line, or both are None."""
        sample = self.sample()
        atoms = sample.part.atoms
        columns = tuple(f"x{j}" for j in range(sample.X.shape[1]))
        names = sample.family.coordinates(columns)
        if names is not None:
            detail = f"coordinates must be None, or a tuple of {atoms.shape[1]} different names, got {names!r}"
            demand(isinstance(names, tuple) and len(set(names)) == len(names) == atoms.shape[1], "coordinates", detail)
            for name in names:
                demand_line(name, "coordinates")
        for atom in atoms:
            demand_line(sample.family.label(atom), "label")

    def test_named_family_is_the_same(self) -> None:
        """`named` changes only words: the kernel stays the same, and `describe` and `label` return one line."""
        sample = self.sample()
        named = sample.family.named(tuple(f"column {j}" for j in range(sample.X.shape[1])))
        self._demand_same(sample, named, "named", "named must leave the kernel as it is")
        demand_line(named.describe(sample.part), "describe")
        got, wanted = named.center(), sample.family.center()
        same = np.array_equal(got.atoms, wanted.atoms) and np.array_equal(got.weights, wanted.weights)
        demand(same, "named", "named must leave the atoms of the centre, and their order, as they are")
        for atom in sample.part.atoms:
            demand_line(named.label(atom), "label")

    def _demand_same(self, sample: Sample, other: KernelFamily, law: str, detail: str) -> None:
        Z = self.new_rows(np.random.default_rng(3), sample.X)
        got, wanted = (_kernel(family, sample, Z) for family in (other, sample.family))
        demand_close(got, wanted, law, detail, tolerance=100 * self.tolerance)
        bound = other.gram(sample.part, other.bind(sample.X)).dense()
        demand_close(bound, gram_of(sample), law, detail, tolerance=100 * self.tolerance)


def _seen(family: KernelFamily, X: FloatArray, V: FloatArray) -> FloatArray:
    """What no rotation of the rows X may change: a Gram of all kernels that are named by a number; else the ceilings at
    each column of V (n, c) alone.
    """
    prepared = family.prepare(X, np.ones(len(X)))
    data = prepared.bind(X)
    if isinstance(prepared, FiniteFamily) and prepared.dictionary().atoms.shape[1] <= 1:
        atoms = prepared.dictionary().atoms
        return prepared.gram(Part(atoms, np.arange(1.0, len(atoms) + 1.0)), data).dense().copy()
    return np.array([prepared.best_atoms(data, v[:, None], Query()).ceiling for v in V.T])


def _said(family: KernelFamily, sample: Sample, Z: FloatArray) -> dict[str, FloatArray]:
    """What the methods of a family say of a sample, each in an array."""
    return {
        "cross": family.cross(sample.part, Z, sample.X),
        "gram": np.array(family.gram(sample.part, family.bind(sample.X)).dense()),
        "diag": family.diag(sample.part, Z),
        "center": family.center().atoms,
    }


def _found(family: KernelFamily, sample: Sample) -> dict[str, FloatArray]:
    """What the oracle of a family finds for a sample, which may take long."""
    best = family.best_atoms(sample.data, sample.V[:, :1], Query())
    return {"best_atoms": np.append(best.values, best.ceiling)}


def _kernel(family: KernelFamily, sample: Sample, Z: FloatArray) -> FloatArray:
    return np.append(family.cross(sample.part, Z, sample.X), family.diag(sample.part, sample.X))
