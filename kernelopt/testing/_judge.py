"""A suite for anything that can be judged: what its author did not say is looked for in it, or left out."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import singledispatch
from typing import Any

import numpy as np

from kernelopt.plugin import (
    ConcaveCriterion,
    ConcaveSolver,
    Criterion,
    DualQP,
    FloatArray,
    InvalidOption,
    KernelFamily,
    Part,
    Solver,
)
from kernelopt.testing._concave_suite import ConcaveSolverSuite
from kernelopt.testing._criterion_suite import CriterionSuite
from kernelopt.testing._family_suite import FamilySuite
from kernelopt.testing._laws import LawBroken
from kernelopt.testing._skip import skip
from kernelopt.testing._solver_suite import SolverSuite

SUITES = (FamilySuite, CriterionSuite, SolverSuite, ConcaveSolverSuite)
"""The suites, of which authors inherit."""


class _OfFamily(FamilySuite):
    def __init__(self, subject: KernelFamily) -> None:
        self.subject = subject

    def family(self) -> KernelFamily:
        return self.subject

    def naive_gram(self, family: KernelFamily, part: Part, X: FloatArray) -> FloatArray:  # noqa: ARG002
        skip("it needs naive_gram, a slow oracle that the family's author writes in a suite")


class _OfCriterion(CriterionSuite):
    """What an author says in attributes is seen from the dual problems here, as far as it can be seen."""

    def __init__(self, subject: Criterion) -> None:
        self.subject = subject
        self.weighs = self._outputs(np.linspace(0.5, 2.0, self.n)) is not None
        self.weights_are_copies = self.weighs
        outputs = self._outputs(np.ones(self.n))
        with suppress(Exception):  # what is no dual problem is told by the laws
            self._declare(outputs or ())

    def _declare(self, outputs: Sequence[DualQP]) -> None:
        # At fixed v the maximum over the dual set may be infinite.
        finite = all(bool(np.all(np.isfinite(qp.upper - qp.lower) | (qp.curvature > 0.0))) for qp in outputs)
        flat = not any(bool(qp.linear.any() or qp.curvature.any()) for qp in outputs)
        self.shifts = all(len(qp.target) > 0 and qp.bias_cost == 0.0 for qp in outputs)
        self.tight = finite or flat
        self.lagrangian = finite or flat
        # With h = 0 the bound may be that of the best t v, or of v itself.
        self.lagrangian = self.lagrangian and not (flat and self._breaks(self.test_primal_bounds_the_lagrangian))

    def criterion(self) -> Criterion:
        return self.subject

    def weights(self, rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
        return super().weights(rng, shape) if self.weighs else np.ones(shape)

    def _outputs(self, weight: FloatArray) -> tuple[DualQP, ...] | None:
        """The dual problems of some targets with these weights (n,); None where there are none."""
        y = self.targets(np.random.default_rng(self.seed), self.n)
        try:
            return self.subject.outputs(y, np.repeat(weight[:, None], y.shape[1], axis=1))
        except Exception:  # refused, or broken, which the laws tell
            return None

    def _breaks(self, law: Callable[[], None]) -> bool:
        try:
            law()
        except LawBroken:
            return True
        return False


class _OfSolver(SolverSuite):
    def __init__(self, subject: Solver) -> None:
        self.subject = subject

    def solver(self) -> Solver:
        return self.subject


class _OfConcaveSolver(ConcaveSolverSuite):
    def __init__(self, subject: ConcaveSolver) -> None:
        self.subject = subject

    def solver(self) -> ConcaveSolver:
        return self.subject


def judge(subject: Any) -> Any:
    """The suite that tests a family, a criterion or a solver; you pass an object or its class.

        for verdict in verdicts(judge(Gaussians())):
            print(verdict.outcome, verdict.sentence)

    If you pass a suite, it tests the plugin that the suite names. Laws that need something from the author, such as a
    slow oracle, are skipped, unless you pass a suite of the author.

    Raises:
        InvalidOption: the object is of another kind, its class cannot be called without options, or the kit has no laws
            for it.
    """
    if subject in SUITES:
        raise InvalidOption(f"{subject.__name__} judges nothing by itself; name a class of your own that inherits it")
    if isinstance(subject, type):
        subject = _made(subject)
    return subject if isinstance(subject, SUITES) else _suite(subject)


@singledispatch
def _suite(subject: Any) -> Any:
    raise InvalidOption(f"got {subject!r}, wanted a family, a criterion, a solver, or a suite of kernelopt.testing")


_suite.register(KernelFamily, _OfFamily)
_suite.register(Criterion, _OfCriterion)
_suite.register(Solver, _OfSolver)
_suite.register(ConcaveSolver, _OfConcaveSolver)


@_suite.register(ConcaveCriterion)
def _no_laws(subject: ConcaveCriterion) -> Any:
    raise InvalidOption(f"{subject.name}: the kit has no laws for a criterion with a concave term in the kernel")


def _made(cls: type) -> Any:
    """An object of a class, with its default options.

    Raises:
        InvalidOption: it has options without a default.
    """
    try:
        return cls()
    except TypeError as error:
        raise InvalidOption(f"{cls.__name__} cannot be made without options ({error}); pass an object") from None
