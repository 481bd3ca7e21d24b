"""Laws of what a family remembers from one call to the next: nothing that other arrays, rows or options would show."""

from collections.abc import Callable, Iterator
from typing import Any, cast

import attrs
import numpy as np

from kernelopt.plugin import FloatArray, KernelFamily, KerneloptError, Query, SmoothFamily
from kernelopt.testing._class_laws import is_number, numbers
from kernelopt.testing._family_case import FamilyCase, gram_of, prepare_checked, single
from kernelopt.testing._laws import demand, demand_close
from kernelopt.testing._skip import skip

_FACTORS = (0.5, 2.0)
"""Other values of an option, times its own."""
_LEFT_OUT = 3
"""With so many rows fewer, and other ones, nothing that was remembered of a sample is found."""

_ORDERED = "prepare depends on the order of rows, or on rows of weight 0, as the laws of these say"
_ALIKE = 1e-6
"""How far two kernels may be apart that are meant to be one, relative."""


class MemoryLaws(FamilyCase):
    """Laws of `prepare`, `apply`, `function`, `best_atoms` and `pullback`, called again with something else."""

    def test_an_overwritten_v_has_answers_of_its_own(self) -> None:
        """If V or new rows are written into an array that was asked about before, answers are of what is there."""
        sample = self.sample()
        family, X, part = sample.family, sample.X, sample.part
        other = sample.rng.normal(size=sample.V.shape)
        Z = self.new_rows(sample.rng, X)
        predict, moved = family.function(part, X, sample.V), Z.copy()
        cross = family.cross(part, Z[::-1].copy(), X)
        size = float(np.abs(cross).max()) * float(np.abs(sample.V).sum() + np.abs(other).sum())
        got = _again(predict, moved, Z[::-1])
        self._demand_present(got, cross @ sample.V, "the prediction of rows", size)
        got = _again(lambda V: family.function(part, X, V)(Z[::-1].copy()), sample.V.copy(), other)
        self._demand_present(got, cross @ other, "function", size)
        got = _again(lambda V: family.apply(part, sample.data, V), sample.V.copy(), other)
        self._demand_present(got, gram_of(sample) @ other, "apply", size)
        best = _again(lambda V: family.best_atoms(sample.data, V, Query()), sample.V.copy(), other)
        value = np.vdot(other, gram_of(sample, single(best.atoms[0])) @ other)
        self._demand_present(best.values[0], value, "best_atoms", abs(float(value)))
        if isinstance(family, SmoothFamily):
            slope = _again(lambda V: family.pullback(part, sample.data, V), sample.V.copy(), other)
            values = np.array([np.vdot(other, gram_of(sample, single(atom)) @ other) for atom in part.atoms])
            self._demand_present(slope.weights, values, "pullback", float(np.abs(values).max()))

    def _demand_present(self, got: Any, wanted: Any, what: str, size: float) -> None:
        detail = (
            f"{what} must be what the numbers say that are in the array now, which held others when it was passed "
            "before; do not find what is remembered by the identity, the address or the shape of an array"
        )
        demand_close(got, wanted, "array-remembered", detail, tolerance=100 * self.tolerance, scale=size)

    def test_a_prepared_family_is_not_changed_by_another(self) -> None:
        """A prepared family has the same kernel, to the bit, after another was prepared, bound and asked."""
        sample = self.sample()
        X, Y = sample.X, self.rows(np.random.default_rng([self.seed, 78]))
        Z = self.new_rows(sample.rng, X)

        def said() -> FloatArray:
            return np.vstack([sample.family.cross(sample.part, Z, X), gram_of(sample)])

        before = said()
        other = self.prepared(Y, np.ones(len(Y)))
        detail = (
            "after another family was prepared, bound and asked, a prepared family must have the kernel of its own; "
            "let prepare return a family that holds what it needs in fields, and let what the module keeps be found by "
            "these fields"
        )
        for rows in (Y, X):
            sample.family.gram(sample.family.center(), sample.family.bind(rows))
            self._demand_one_kernel(other, rows, detail)
        demand(np.array_equal(said(), before), "prepare-shared", detail)

    def _demand_one_kernel(self, family: KernelFamily, X: FloatArray, detail: str) -> None:
        """Raise `LawBroken` where the centre has another kernel in gram than in cross."""
        part = family.center()
        got = np.array(family.gram(part, family.bind(X)).dense())
        wanted = family.cross(part, X, X) + np.diag(family.apart(part, X))
        demand_close(got, wanted, "prepare-shared", detail, tolerance=self.tolerance)

    def test_prepare_remembers_no_rows(self) -> None:
        """prepare gives the same kernel after other rows, for rows in another order, with one more row of weight 0."""
        sample = self.sample()
        X, Y = sample.X, self.rows(np.random.default_rng([self.seed, 79]))[: len(sample.X)].copy()
        Z = self.new_rows(sample.rng, X)
        alone = self._prepared_twice(Y[_LEFT_OUT:], Z)
        if not _alike(*alone):
            skip(_ORDERED)
        Y[0] = X[0]
        got, wanted = self._prepared_twice(Y, Z)
        detail = (
            "rows must give the same kernel if other rows, as many and with the same first row, were prepared before; "
            "what is remembered must be found by every row and every weight"
        )
        demand_close(got, wanted, "prepare-remembered", detail, tolerance=100 * self.tolerance)

    def _prepared_twice(self, Y: FloatArray, Z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The centre between Z and Y of the family prepared on Y, and on Y backwards with one more row of weight 0."""
        weight = np.linspace(0.5, 2.0, len(Y))
        first = self.prepared(Y, weight)
        again = self.prepared(np.vstack([Y[::-1], Y[:1]]), np.append(weight[::-1], 0.0))
        return first.cross(first.center(), Z, Y), again.cross(again.center(), Z, Y)

    def test_each_family_has_options_of_its_own(self) -> None:
        """If families with another value of an option were prepared on the same rows before, kernels are the same."""
        subject, sample = self.family(), self.sample()
        X = self.rows(np.random.default_rng([self.seed, 80]))
        Z = self.new_rows(sample.rng, X)
        found = list(_beside(subject))
        if not found:
            skip(f"{type(subject).__name__} has no option that is a number or several")
        if not _alike(*(_center(subject, rows, Z) for rows in (X[_LEFT_OUT:], X[: _LEFT_OUT - 1 : -1].copy()))):
            skip(_ORDERED)
        for name, other in found:
            pairs = ((subject, other), (other, subject))
            try:
                first, second = (
                    [_center(one, rows, Z) for one in pair]
                    for pair, rows in zip(pairs, (X, X[::-1].copy()), strict=True)
                )
            except Exception:  # the other value does not suit the rows, or the family; the laws of options tell
                continue
            detail = (
                f"where a family with another value of {name} was prepared and bound on the same rows before, the "
                "kernel must stay the same; what is remembered must be found by all options too"
            )
            for got, wanted in zip(first, second[::-1], strict=True):
                demand_close(got, wanted, "options-remembered", detail, tolerance=100 * self.tolerance)


def _alike(got: FloatArray, wanted: FloatArray) -> bool:
    """Whether two kernels are the same, but for rounding."""
    return got.shape == wanted.shape and bool(np.allclose(got, wanted, rtol=0.0, atol=_ALIKE * np.abs(wanted).max()))


def _again(method: Callable[[FloatArray], Any], array: FloatArray, other: FloatArray) -> Any:
    """What a method says of an array that it was asked about before, and that holds other numbers now."""
    method(array)
    array[...] = other
    return method(array)


def _beside(subject: KernelFamily) -> Iterator[tuple[str, KernelFamily]]:
    """The family with another value of each public option that is a number or several, as far as it takes one."""
    kind: type = type(subject)
    for field in attrs.fields(kind) if attrs.has(kind) else ():
        if not field.init or field.name.startswith("_"):
            continue
        for factor in _FACTORS:
            value = _times(factor, getattr(subject, field.name))
            if value is None:
                break
            try:
                yield field.name, attrs.evolve(cast(Any, subject), **{field.name: value})
            except KerneloptError:
                continue
            break


def _times(factor: float, value: Any) -> Any:
    """A number, or several, times a factor; None of anything else."""
    if is_number(value):
        return type(value)(factor * value)
    return tuple(_times(factor, one) for one in value) if numbers(value) else None


def _center(family: KernelFamily, X: FloatArray, Z: FloatArray) -> FloatArray:
    """The centre kernel of a family prepared on rows X, between new rows Z and the rows, and its Gram, rows sorted."""
    prepared = prepare_checked(family, X, np.ones(len(X)))
    part, order = prepared.center(), np.lexsort(X.T)
    K = np.array(prepared.gram(part, prepared.bind(X)).dense())
    return np.vstack([prepared.cross(part, Z, X[order]), K[np.ix_(order, order)]])
