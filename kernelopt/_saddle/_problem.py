"""The saddle-point problem on one training set, and its two bounds, which every solver asks for."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial, reduce

import attrs
import numpy as np

from kernelopt._base._budget import Budget
from kernelopt._base._finite import finite_in_training
from kernelopt._base._typing import Data, FloatArray
from kernelopt._criteria._contract import Criterion
from kernelopt._criteria._dual_qp import Dual, DualPoint, DualQP
from kernelopt._criteria._kkt import settled
from kernelopt._families._finite import StoredFamily
from kernelopt._families._leaf import Leaf, center_of, total_of
from kernelopt._families._mixture import Mixture, Part, Query
from kernelopt._linalg._gram import Dense, Gram, LowRank, add
from kernelopt._linalg._gram_sum import Sum
from kernelopt._saddle._lower_bound import Ceiling, ceiling_at
from kernelopt._saddle._response import Response


@attrs.frozen(eq=False)
class Problem:
    """The saddle on n bound rows: the minimum over mixtures of the leaves of the maximum over the dual variables alpha.

    Attributes:
        leaves: the members of the union.
        data: the data that the family of each leaf bound, in the same order.
        criterion: the task with its loss.
        outputs: the dual problems of the criterion, one for each output.
        accuracy: the relative gap to which `respond` solves the inner problem.
        sought: the absolute gap at which the run ends, so that no work goes into a bound that cannot come so near, or
            that is so near already; inf where that is not known.
    """

    leaves: tuple[Leaf, ...]
    data: tuple[Data, ...]
    criterion: Criterion
    outputs: tuple[DualQP, ...]
    accuracy: float = 1e-6
    sought: float = math.inf

    @property
    def bounding(self) -> "Bounding":
        """The object that computes both bounds: the criterion, if it has its own bounds, or else the saddle."""
        return self.criterion if isinstance(self.criterion, Bounding) else _OF_THE_SADDLE

    @property
    def n(self) -> int:
        """The number of training rows."""
        return self.outputs[0].n

    @property
    def total(self) -> float | None:
        """The sum of all weights, or None if no leaf fixes it; the size of the kernel is then learned too."""
        return total_of(self.leaves)

    @property
    def given(self) -> bool:
        """Whether some kernels are matrices of the caller's own, whose Grams are looked at on all rows."""
        return any(leaf.family.given for leaf in self.leaves)

    def center(self) -> Mixture:
        """The mixture to start from, which is made of the centres of the leaves."""
        return center_of(self.leaves)

    def is_center(self, mixture: Mixture) -> bool:
        """Whether this mixture is the centre of every family, at which a run starts by default."""
        return all(
            np.array_equal(part.atoms, other.atoms) and np.array_equal(part.weights, other.weights)
            for part, other in zip(mixture.parts, self.center().parts, strict=True)
        )

    def gram(self, mixture: Mixture) -> Gram:
        """The Gram of a mixture: the sum over the leaves of factor times the family's Gram, built in place.

        Of a mixture without atoms, which the best is where every kernel costs more than it is worth, it is 0.

        Raises:
            InvalidData: its diagonal, which bounds all entries, is not finite.
        """
        if not len(mixture):
            return LowRank(np.zeros((self.n, 0)))
        shares = (
            leaf.family.gram(part.scaled(leaf.factor), data)  # no pass over n x n numbers of its own
            for leaf, data, part in zip(self.leaves, self.data, mixture.parts, strict=True)
            if len(part)
        )
        gram = reduce(add, shares)
        finite_in_training(gram.diag(), " + ".join(leaf.family.name for leaf in self.leaves), of_rows=True)
        return gram

    def unformed(self, mixture: Mixture) -> Sum:
        """The same as a sum of the Grams that the families hold: for a mixture of which few entries will be asked.

        Only what no family holds is built.
        """
        terms: list[tuple[Gram, float]] = []
        for leaf, data, part in zip(self.leaves, self.data, mixture.parts, strict=True):
            if isinstance(leaf.family, StoredFamily):
                held = (Dense(leaf.family.stored(data, atom)) for atom in part.atoms)
                terms.extend(zip(held, leaf.factor * part.weights, strict=True))
            elif len(part):
                terms.append((leaf.family.gram(part, data), leaf.factor))
        return Sum(tuple(gram for gram, _ in terms), np.array([weight for _, weight in terms]))

    def penalty(self, mixture: Mixture) -> float:
        """The price R of a mixture; 0 if no family has a price."""
        return sum(leaf.price(part) for leaf, part in zip(self.leaves, mixture.parts, strict=True))

    def respond(self, mixture: Mixture, warm: Response | None = None, budget: Budget | None = None) -> Response:
        """The best alpha for this kernel, from a warm start, and an upper bound, also true if alpha is inexact."""
        return self.respond_gram(mixture, self.gram(mixture), warm, budget)

    def respond_gram(
        self,
        mixture: Mixture,
        gram: Gram,
        warm: Response | Sequence[DualPoint] | None = None,
        budget: Budget | None = None,
    ) -> Response:
        """`respond` for a solver that has the Gram matrix of the mixture already; it may start from any dual point."""
        answer = self.bounding.answer(self, mixture, gram)
        if answer is not None:
            return answer
        points = warm.duals if isinstance(warm, Response) else warm
        duals = tuple(
            self._maximised(qp, gram, None if points is None else points[k].alpha, budget)
            for k, qp in enumerate(self.outputs)
        )
        return Response(mixture, duals, self.penalty(mixture) + sum(dual.upper for dual in duals))

    def _maximised(self, qp: DualQP, gram: Gram, warm: FloatArray | None, budget: Budget | None) -> Dual:
        from kernelopt.dual import method_for

        return method_for(gram)(
            qp,
            gram,
            partial(self.criterion.primal, qp, gram),
            warm,
            accuracy=self.accuracy,
            max_seconds=None if budget is None else budget.remaining(),
            cancelled=None if budget is None else budget.cancelled,
        )

    def assess(self, mixture: Mixture, alphas: tuple[FloatArray, ...], gram: Gram | None = None) -> Response:
        """The bounds that given dual variables prove at this kernel, without optimisation; they are repaired first."""
        return self.proved(mixture, self.points(alphas), gram)

    def proved(self, mixture: Mixture, points: tuple[DualPoint, ...], gram: Gram | None = None) -> Response:
        """The bounds that feasible dual variables prove at this kernel, without optimisation."""
        gram = self.gram(mixture) if gram is None else gram
        return self.judged(mixture, points, gram, [gram.apply(point.v) for point in points])

    def judged(
        self,
        mixture: Mixture,
        points: tuple[DualPoint, ...],
        gram: Gram,
        F: Sequence[FloatArray],
        count: Callable[[], int] | None = None,
    ) -> Response:
        """The bounds that feasible dual variables prove at the kernel with this Gram matrix; F has K v (n,) of each.

        `count` is `Response.settled`, if the caller knows a quicker way to it.
        """
        pairs = zip(self.outputs, points, F, strict=True)
        duals = tuple(self._dual(qp, gram, point, f) for qp, point, f in pairs)
        upper = self.penalty(mixture) + sum(dual.upper for dual in duals)
        return Response(mixture, duals, upper, partial(self._settled, points, F) if count is None else count)

    def _settled(self, points: tuple[DualPoint, ...], F: Sequence[FloatArray]) -> int:
        """`Response.settled` of dual variables with F = K v."""
        pairs = zip(self.outputs, points, F, strict=True)
        return int(np.any([qp.embed(settled(qp, point.alpha, f)) for qp, point, f in pairs], axis=0).sum())

    def _dual(self, qp: DualQP, gram: Gram, point: DualPoint, f: FloatArray) -> Dual:
        primal = self.criterion.primal(qp, gram, point.v, f)
        squares = float((point.v * point.v) @ gram.diag())
        return Dual(
            point.alpha, point.v, point.h, float(point.v @ f), primal.multipliers, primal.value, squares=squares
        )

    def points(self, alphas: tuple[FloatArray, ...]) -> tuple[DualPoint, ...]:
        """Dual points from given dual variables, which are repaired; `ceiling` takes them, and no kernel is needed."""
        from kernelopt.dual import repair

        feasible = (repair(qp, alpha) for qp, alpha in zip(self.outputs, alphas, strict=True))
        return tuple(DualPoint.of(qp, alpha) for qp, alpha in zip(self.outputs, feasible, strict=True))

    def ceiling(
        self,
        duals: Sequence[DualPoint],
        query: Query | None = None,
        near: Mixture | None = None,
        forms: Sequence[FloatArray] | None = None,
    ) -> Ceiling:
        """The best atoms for these dual variables, and the lower bound that they prove.

        Args:
            duals: one for each output, feasible.
            query: what the oracles are asked.
            near: atoms for a search to start from, besides its own; 0 is a weight like any other. Where the objective
                has a concave term, the kernel at which it is linearised.
            forms: what `LinearFamily.form` says of each leaf at these dual variables, where the caller has it already:
                then no family is asked.
        """
        return self.bounding.lower(self, tuple(duals), Query() if query is None else query, near, forms)

    def value_of(self, leaf: int, atoms: FloatArray, V: FloatArray) -> FloatArray:
        """factor sum_c V_c' K_a V_c for each of the given atoms of one leaf, shape (k,)."""
        family, data, factor = self.leaves[leaf].family, self.data[leaf], self.leaves[leaf].factor
        one = np.ones(1)
        return np.array([factor * float(np.vdot(V, family.apply(Part(atom[None], one), data, V))) for atom in atoms])


class Bounding(ABC):
    """How the two bounds of a problem are found at a kernel. `Objective` adds what follows from that for a run."""

    @abstractmethod
    def answer(self, problem: Problem, mixture: Mixture, gram: Gram) -> Response | None:
        """The best dual variables for this Gram of the mixture, without an iteration.

        None where there is no formula for them, or rounding forbids it: then the dual engine finds them.
        """

    @abstractmethod
    def lower(
        self,
        problem: Problem,
        duals: tuple[DualPoint, ...],
        query: Query,
        near: Mixture | None,
        forms: Sequence[FloatArray] | None,
    ) -> Ceiling:
        """`Problem.ceiling`."""


class SaddleBounds(Bounding):
    """The bounds of the saddle itself: the dual engine gives the upper bound, and the oracles the lower bound."""

    def answer(self, problem: Problem, mixture: Mixture, gram: Gram) -> Response | None:  # noqa: ARG002
        return None

    def lower(
        self,
        problem: Problem,
        duals: tuple[DualPoint, ...],
        query: Query,
        near: Mixture | None,
        forms: Sequence[FloatArray] | None,
    ) -> Ceiling:
        return ceiling_at(problem.leaves, problem.data, problem.outputs, duals, query, near, forms)


_OF_THE_SADDLE = SaddleBounds()
