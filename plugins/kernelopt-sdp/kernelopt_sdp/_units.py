"""The units in which a program is stated, so that its numbers are about 1."""

from typing import Self

import attrs
import numpy as np

from kernelopt.plugin import DualQP, Problem, Response


@attrs.frozen
class Units:
    """What is 1 in the program.

    Attributes:
        alpha: of the dual variables.
        value: of the objective.
    """

    alpha: float
    value: float

    @classmethod
    def of(cls, response: Response) -> Self:
        """The size of the dual variables and of the objective at an answer."""
        alpha = max(float(np.abs(dual.alpha).max(initial=0.0)) for dual in response.duals) or 1.0
        return cls(alpha, max(abs(response.h), sum(dual.quad for dual in response.duals)) or 1.0)

    @property
    def gram(self) -> float:
        """What Grams are multiplied by."""
        return self.alpha * self.alpha / self.value

    def outputs(self, problem: Problem) -> list[DualQP]:
        """The dual problems in these units."""
        return [self._of(qp) for qp in problem.outputs]

    def _of(self, qp: DualQP) -> DualQP:
        return attrs.evolve(
            qp,
            linear=qp.linear * (self.alpha / self.value),
            curvature=qp.curvature * self.gram,
            lower=qp.lower / self.alpha,
            upper=qp.upper / self.alpha,
            target=qp.target / self.alpha,
            bias_cost=qp.bias_cost * self.gram,
        )
