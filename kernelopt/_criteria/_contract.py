"""The contract of a criterion: what is being learned, given a kernel."""

from abc import ABC, abstractmethod
from typing import ClassVar, Literal

import attrs

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._families._contract import KernelFamily
from kernelopt._linalg._gram import Gram

Task = Literal["classification", "regression", "novelty"]
"""What a criterion does with targets: tells classes apart, predicts numbers, or has none."""


@attrs.frozen(eq=False)
class Primal:
    """The primal objective of a criterion for a kernel K and coefficients v, at the best multipliers.

    Attributes:
        value: an upper bound on the optimum over the dual set for this K, true for any v.
        multipliers: the multipliers at which the value is attained; the first is the bias if the criterion has one.
    """

    value: float
    multipliers: FloatArray


class Criterion(ABC):
    """The task with its loss: a dual set A, a concave h and a linear map E, all in `outputs`, and the primal objective.

    For a given kernel, the core finds the best dual variables alpha; a criterion never optimises.
    """

    name: ClassVar[str]
    """What users type: `criterion="svc"`."""
    task: ClassVar[Task]
    levelled: ClassVar[bool] = False
    """Whether a number that is added to all targets moves the bias by that number, and nothing else: then the core
    takes the mean out of the targets first, so that rounding does not see it. A concave criterion may be posed of such
    targets."""

    @property
    def bounded(self) -> tuple[bool, bool]:
        """Whether every dual variable without curvature has a lower bound, and an upper one, for any targets."""
        return True, True

    @property
    def sized(self) -> bool:
        """Whether an equality has a target other than 0, which fixes the size of the dual variables."""
        return False

    @abstractmethod
    def outputs(self, y: FloatArray, weight: FloatArray) -> tuple[DualQP, ...]:
        """The dual problems of encoded targets.

        Args:
            y: shape (n, c); in classification -1 and +1, one column for each output.
            weight: shape (n, c), > 0; sample weights times class weights.
        """

    @abstractmethod
    def primal(self, qp: DualQP, gram: Gram, v: FloatArray, f: FloatArray) -> Primal:
        """The primal objective of one output at the function f = K v, shape (n,), minimised over the multipliers.

        Law: value >= max over alpha in A of [h(alpha) - 1/2 v(alpha)'K v(alpha)], for **any** v, and equal to it at
        the optimal one. 1/2 v'f + max over alpha in A of [h(alpha) - (E alpha)'f] always is such a bound; where h is
        0, the best multiple of v gives a tighter one.
        """

    def suited(self, labels: bool) -> "Criterion":  # noqa: ARG002
        """This criterion for targets that are labels, or numbers: itself, unless it serves both."""
        return self

    def refuses(self, families: tuple[KernelFamily, ...]) -> str | None:  # noqa: ARG002
        """None, or one sentence that says why there is no certified answer over the union of these families."""
        return None
