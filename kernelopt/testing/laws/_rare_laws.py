"""Laws of a criterion for many samples, for arrays that lie otherwise, and for options, kernels and v that are rare."""

from collections.abc import Iterator
from typing import Any, cast

import attrs
import numpy as np

from kernelopt.dual import repair
from kernelopt.plugin import Criterion, Dense, DualQP, FloatArray, Gram, IntArray, KerneloptError
from kernelopt.testing._criterion_case import Asked, random_feasible, random_kernel, size_of
from kernelopt.testing._laws import LawBroken, arrays_in, demand, demand_close
from kernelopt.testing._skip import skip
from kernelopt.testing.laws._invariance_laws import Change, InvarianceLaws, Samples
from kernelopt.testing.laws._output_laws import options_of

_MANY = 110
"""So many samples are enough for blocks of a hundred, or for a search among some of them."""
_FACTORS = (1e-3, 1e3)
_WEIGHTS = 1000.0
_SHARE = 1e-5
_NEAR = 1e-3
"""So near both bounds come where options are a thousand times as large, relative: an engine may need long for more."""
_SMALL = 1e-3
"""A kernel so small that a box of large weights counts."""


@attrs.frozen(eq=False)
class Unstored(Gram):
    """A Gram matrix that has the methods of its contract alone.

    Attributes:
        inner: the same matrix, stored.
    """

    inner: Dense

    @property
    def n(self) -> int:
        return self.inner.n

    def diag(self) -> FloatArray:
        return self.inner.diag()

    def rows(self, index: IntArray) -> FloatArray:
        return self.inner.rows(index)

    def block(self, rows: IntArray, columns: IntArray) -> FloatArray:
        return self.inner.block(rows, columns)

    def apply(self, V: FloatArray) -> FloatArray:
        return self.inner.apply(V)

    def dense(self) -> FloatArray:
        return self.inner.dense().copy()

    def scaled(self, factor: float) -> "Unstored":
        return Unstored(Dense(factor * self.inner.dense()))


class RareLaws(InvarianceLaws):
    """Laws of what a dozen ordinary samples do not show."""

    def test_many_samples_have_an_answer_like_few(self) -> None:
        """With 110 samples the gap closes, and neither optimum nor decision values depend on their order."""
        samples, rng = self._many()
        for one in samples.asked(self.criterion()):
            dual = one.answer()
            detail = f"with {_MANY} samples the primal objective must meet the dual objective at the best alpha"
            got, wanted, size = dual.upper, dual.objective, size_of(dual)
            demand_close(got, wanted, "many-samples", detail, tolerance=self.tolerance, scale=size)
        order = rng.permutation(_MANY)
        change = Change("many-samples", f"the order of {_MANY} samples must not matter")
        self._demand_changed(samples, samples.take(order), self.criterion(), order, change)

    def _many(self) -> tuple[Samples, np.random.Generator]:
        rng = np.random.default_rng([self.seed, 12])
        y = self.targets(rng, _MANY)
        return Samples(y, self.weights(rng, y.shape), random_kernel(rng, _MANY)), rng

    def test_large_and_small_weights_are_copies(self) -> None:
        """If `weights_are_copies`, that is so for weights 1000 times as large, and for copies of 1/100000 of one."""
        self._copies(13, kernel=_SMALL, larger=_WEIGHTS)
        self._copies(13, kernel=_SMALL, share=_SHARE)

    def test_one_sample_of_a_class_is_enough(self) -> None:
        """In classification, with one sample of a class and all others of the other the gap closes; or an error."""
        criterion = self.criterion()
        if criterion.task != "classification":
            skip("there are no classes")
        rng = np.random.default_rng([self.seed, 18])
        gram = Dense(random_kernel(rng, self.n))
        for label in (1.0, -1.0):
            y = np.where(np.arange(self.n)[:, None] == 1, label, -label)
            try:
                duals = [Asked(criterion, qp, gram).answer() for qp in criterion.outputs(y, self.weights(rng, y.shape))]
            except KerneloptError:
                continue
            detail = f"with one target {label:g} among {self.n} the gap must close at the best alpha"
            for dual in duals:
                size = size_of(dual)
                demand_close(dual.upper, dual.objective, "rare-class", detail, tolerance=self.tolerance, scale=size)

    def test_layout_of_arrays_does_not_matter(self) -> None:
        """Targets, weights, v and f in the order of Fortran, which must not be written to, have the same answers."""
        rng = np.random.default_rng([self.seed, 14])
        y = self.targets(rng, self.n)
        weight, gram, criterion = self.weights(rng, y.shape), Dense(random_kernel(rng, self.n)), self.criterion()
        v = rng.normal(size=self.n)
        given = [_locked(array) for array in (y, weight, v, gram.apply(v))]
        try:
            outputs = criterion.outputs(given[0], given[1])
            values = [criterion.primal(qp, gram, given[2], given[3]).value for qp in outputs]
        except KerneloptError:
            raise
        except Exception as error:
            detail = (
                "with targets, weights, v and f that must not be written to, in the order of Fortran, the answers must "
                f"be the same; got {type(error).__name__}: {error}; write into arrays of your own"
            )
            raise LawBroken("layout", detail) from error
        wanted = criterion.outputs(y.copy(), weight.copy())
        pairs = zip(arrays_in(outputs), arrays_in(wanted), strict=True)
        detail = "outputs must not depend on how targets and weights lie in memory: read y[:, c] and weight[:, c]"
        demand(all(np.array_equal(a, b) for a, b in pairs), "layout", detail)
        for qp, value in zip(wanted, values, strict=True):
            own = criterion.primal(qp, gram, v, gram.apply(v)).value
            detail = "primal must not depend on how v and f lie in memory"
            demand(value == own or bool(np.isclose(value, own)), "layout", detail)

    def test_primal_asks_any_gram(self) -> None:
        """primal takes a Gram that has the methods of its contract alone, with the same value if `tight`."""
        rng = np.random.default_rng([self.seed, 16])
        for one in self.asked():
            assert isinstance(one.gram, Dense)
            v = one.qp.embed(random_feasible(one.qp, rng))
            detail = "primal must have the same value for any Gram; use the methods of its contract, such as gram.apply"
            try:
                got = attrs.evolve(one, gram=Unstored(one.gram)).primal(v).value
            except (LawBroken, KerneloptError):
                raise
            except Exception as error:
                raise LawBroken("any-gram", f"{detail}; got {type(error).__name__}: {error}") from error
            wanted = one.primal(v).value
            same = got == wanted or bool(np.isclose(got, wanted)) or (got > wanted and not self.tight)
            demand(same, "any-gram", f"{detail}; got {got:.10g}, wanted {wanted:.10g}")

    def test_bounds_hold_for_rare_options_and_kernels(self) -> None:
        """With options and kernels 1000 times larger or smaller, or a kernel of zeros, primal is a tight bound."""
        for where, criterion, scale in self._rare():
            try:
                outputs = self._asked_of(criterion)
            except KerneloptError:
                continue
            for qp in outputs:
                self._demand_above(Asked(criterion, qp, Dense(scale * self._kernel())), where)

    def _rare(self) -> Iterator[tuple[str, Criterion, float]]:
        """Criteria with other options, and the factor of the kernel, each with what is rare about it."""
        criterion = self.criterion()
        for scale in (0.0, *_FACTORS):
            yield f"with a kernel {scale:g} times as large", criterion, scale
        for name in options_of(criterion):
            for factor in _FACTORS:
                value = factor * getattr(criterion, name)
                try:
                    other = attrs.evolve(cast(Any, criterion), **{name: value})
                except KerneloptError:
                    continue
                yield f"with {name} = {value:g}", other, 1.0

    def _kernel(self) -> FloatArray:
        return random_kernel(np.random.default_rng([self.seed, 17]), self.n)

    def _asked_of(self, criterion: Criterion) -> tuple[DualQP, ...]:
        rng = np.random.default_rng([self.seed, 17])
        y = self.targets(rng, self.n)
        return criterion.outputs(y, self.weights(rng, y.shape))

    def _demand_above(self, one: Asked, where: str) -> None:
        """primal meets the dual objective of the engine's answer, and is not below that of a repaired vector."""
        try:
            dual = one.answer()
            found = [dual.alpha, repair(one.qp, np.zeros(one.qp.size)), repair(one.qp, one.qp.linear)]
        except KerneloptError:
            return
        proved = []
        for alpha in found:
            v = one.qp.embed(alpha)
            proved.append((one.qp.h(alpha), 0.5 * float(v @ one.gram.apply(v))))
        largest, size = max(h - quad for h, quad in proved), max(abs(h) + quad for h, quad in proved)
        for alpha in found:
            value = one.primal(one.qp.embed(alpha)).value
            detail = f"{where} the primal objective {value:.10g} is below {largest:.10g}, which a feasible alpha proves"
            demand(value >= largest - self.tolerance * size, "rare-bound", detail)
        if _has_an_answer(one):
            detail = f"{where} the primal objective must meet the dual objective at the best alpha"
            demand_close(dual.upper, dual.objective, "rare-gap", detail, tolerance=_NEAR, scale=size_of(dual))


def _has_an_answer(one: Asked) -> bool:
    """Whether the optimum is finite for sure: the kernel is not 0, or h is bounded on the dual set."""
    held = np.isfinite(one.qp.upper - one.qp.lower) | (one.qp.curvature > 0.0)
    return bool(held.all()) or bool(one.gram.diag().any())


def _locked(array: FloatArray) -> FloatArray:
    """A copy in the order of Fortran that must not be written to."""
    turned = np.array(array, order="F")
    turned.flags.writeable = False
    return turned
