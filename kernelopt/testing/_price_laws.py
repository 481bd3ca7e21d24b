"""The law of a solver on kernels that have a price, which it must count or refuse."""

import math
from typing import ClassVar

import attrs
import numpy as np

from kernelopt._criteria._svc import SVC
from kernelopt.plugin import FloatArray, Penalty, Square
from kernelopt.testing._examples import make_example, two_classes
from kernelopt.testing._laws import demand
from kernelopt.testing._skip import skip
from kernelopt.testing._solver_case import SolverCase, one_atom
from kernelopt.testing._toys import Capacity

_LOOSE = 10.0
"""So many times the tolerance is enough: other laws say how near a solver comes, and this one whether it errs."""


@attrs.frozen
class Dear(Capacity):
    """The kernels of `Columns` at the price 5 sum_j w_j^2."""

    name: ClassVar[str] = "dear"

    def prepare(self, X: FloatArray, weight: FloatArray) -> "Dear":  # noqa: ARG002
        return Dear(X.shape[1])

    @property
    def penalty(self) -> Penalty:
        return Square(np.eye(len(self.dictionary())), 5.0)


class PriceLaws(SolverCase):
    """The law of lists whose weights have a price."""

    def test_prices_are_counted_or_refused(self) -> None:
        """A list at the price 5 sum_j w_j^2 is refused, or the gap is 10 `tolerance` at most, or the solver stalls."""
        X, y = two_classes(np.random.default_rng(11), 14, 3)
        name = "a finite list at a price"
        example = self.bound(make_example(name, (Dear(),), X, y, SVC(1.0), optimum=math.nan))
        solver = self.solver()
        reason = solver.refuses(example.problem.leaves, example.problem.criterion)
        if reason is not None:
            skip(f"kernels at a price are refused: {reason}")
        wanted = _LOOSE * self.tolerance
        start = one_atom(example.problem)
        done = self._run(example, tolerance=wanted, start=start)
        detail = (
            f"on {name}, begun at a single atom, the relative gap is {done.bounds.certificate.relative_gap:.1e} after "
            f"{done.trace[-1].step} steps ({done.status.name}), wanted {wanted:.1e}; count the price, whose gradient "
            "in the weights is leaf.penalty.gradient(weights), or let refuses return a sentence for such a leaf"
        )
        demand(done.status.converged or self._explained(example, done, start), "prices", detail)
