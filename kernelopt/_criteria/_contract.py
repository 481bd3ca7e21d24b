"""The contract of a criterion: the task and the loss of a machine that is learned with a given kernel."""

from abc import ABC, abstractmethod
from typing import ClassVar, Literal

import attrs

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._families._contract import KernelFamily
from kernelopt._linalg._gram import Gram

Task = Literal["classification", "regression", "novelty"]
"""The task of a criterion: to predict classes, to predict numbers, or to detect novelties, which has no targets."""


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
    """A task with its loss, such as classification with the hinge loss.

    For a kernel K, learning is the problem to maximise h(alpha) - 1/2 v'Kv, with v = E alpha, over the dual variables
    alpha in a set A. A criterion describes this problem: `outputs` returns the dual set A, the concave function h and
    the linear map E, and `primal` computes the primal objective, which bounds the optimum from above. A criterion does
    not solve the problem: the core finds the best alpha for each kernel.
    """

    name: ClassVar[str]
    """What users type: `criterion="svc"`."""
    task: ClassVar[Task]
    levelled: ClassVar[bool] = False
    """Whether adding a number to all targets moves the bias by this number and changes nothing else. If so, the core
    subtracts the mean from the targets before it learns, so that large targets lose no digits. A criterion with a
    concave term may require such targets."""
    interpolates: ClassVar[bool] = False
    """Whether the machine must take the value of the target at each training row. If so, equal rows with different
    targets are refused, unless a family tells them apart."""

    @property
    def bounded(self) -> tuple[bool, bool]:
        """Whether every dual variable without curvature has a lower bound, and whether it has an upper bound.

        The answers hold for any targets.
        """
        return True, True

    @property
    def sized(self) -> bool:
        """Whether an equality constraint has a target other than 0, which fixes the size of the dual variables."""
        return False

    @abstractmethod
    def outputs(self, y: FloatArray, weight: FloatArray) -> tuple[DualQP, ...]:
        """The dual problems of encoded targets, one for each output.

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
        """This criterion for labels, or for numbers if `labels` is false; by default the criterion itself.

        A criterion that serves both tasks returns the one that is decided.
        """
        return self

    def observed(self, weight: FloatArray) -> FloatArray:
        """How often each row of sample weights (n,) > 0 was observed, shape (n,), > 0: by default a row of weight k was
        observed k times. A criterion for which weights only say how much rows are trusted beside each other returns
        weights of mean 1, so that families are not chosen for more rows than there are.
        """
        return weight

    def refuses(self, families: tuple[KernelFamily, ...]) -> str | None:  # noqa: ARG002
        """None, or one sentence that says why there is no certified answer over the union of these families."""
        return None
