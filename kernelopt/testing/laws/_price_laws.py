"""The law of a solver on kernels that have a price, which it must count or refuse."""

import math
from typing import ClassVar

import attrs
import numpy as np

from kernelopt._criteria._svc import SVC
from kernelopt.plugin import Penalty, Price, Square
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

    @property
    def penalty(self) -> Penalty:
        return Square(np.eye(self.width), 5.0)


@attrs.frozen
class Dearer(Capacity):
    """The kernels of `Columns` at the price sum_j c_j w_j, where c_j falls from 10 to 0."""

    name: ClassVar[str] = "dearer"

    @property
    def penalty(self) -> Penalty:
        return Price(np.linspace(10.0, 0.0, self.width))


class PriceLaws(SolverCase):
    """The law of lists whose weights have a price."""

    def test_prices_are_counted_or_refused(self) -> None:
        """A list at a square or linear price is refused, or the gap is 10 `tolerance` at most, or the solver stalls."""
        refused = [
            self._counted(Dear(), "a finite list at a price"),
            self._counted(Dearer(), "a list at a linear price"),
        ]
        if None not in refused:
            skip(f"kernels at a price are refused: {refused[0]}")

    def _counted(self, family: Capacity, name: str) -> str | None:
        """Why the solver refuses this list; None where it does not, and the price is counted."""
        X, y = two_classes(np.random.default_rng(11), 14, 3)
        example = self.bound(make_example(name, (family,), X, y, SVC(1.0), optimum=math.nan))
        solver = self.solver()
        reason = solver.refuses(example.problem.leaves, example.problem.criterion)
        if reason is not None:
            return reason
        wanted = _LOOSE * self.tolerance
        start = one_atom(example.problem)
        done = self._run(example, tolerance=wanted, start=start)
        detail = (
            f"on {name}, begun at a single atom, the relative gap is {done.bounds.certificate.relative_gap:.1e} after "
            f"{done.trace[-1].step} steps ({done.status.name}), wanted {wanted:.1e}; count the price, whose gradient "
            "in the weights is leaf.penalty.gradient(weights), or let refuses return a sentence for such a leaf"
        )
        demand(done.status.converged or self._explained(example, done, start), "prices", detail)
        return None
