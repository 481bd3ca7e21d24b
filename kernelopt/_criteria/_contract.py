"""The contract of a criterion: what is being learned, given a kernel."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Literal

import attrs

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._linalg._gram import Gram

if TYPE_CHECKING:
    from kernelopt._criteria._dual_qp import DualPoint
    from kernelopt._families._contract import KernelFamily
    from kernelopt._families._leaf import Leaf
    from kernelopt._families._mixture import Mixture, Query
    from kernelopt._prediction._posterior import Posterior
    from kernelopt._prediction._predictor import Kernel
    from kernelopt._saddle._contract import Budget
    from kernelopt._saddle._lower_bound import Ceiling
    from kernelopt._saddle._problem import Problem, Response

Task = Literal["classification", "regression", "novelty"]


@attrs.frozen(eq=False)
class Primal:
    """A criterion's primal objective at (K, v, best multipliers).

    Attributes:
        value: U >= the optimum over the dual set at this K, for any v.
        multipliers: those that attain it; the first is the bias where the criterion has one.
    """

    value: float
    multipliers: FloatArray


class Criterion(ABC):
    """A dual set A, a concave h, a linear map E (all in `outputs`), and the primal objective that bounds them.

    The core answers a kernel with the best alpha; a criterion never optimises.
    """

    name: ClassVar[str]
    """What users type: `criterion="svc"`."""
    task: ClassVar[Task]
    lighter: ClassVar[str] = ""
    """What to do where n x n numbers do not fit into memory, besides fewer rows: "take ..."."""

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

    def refuses(self, families: "tuple[KernelFamily, ...]") -> str | None:  # noqa: ARG002
        """None, or one sentence that says why there is no certified answer over the union of these families."""
        return None


class ConcaveCriterion(Criterion):
    """A criterion whose objective has a concave term in the kernel besides the saddle.

    Its tangent at a kernel is a linear price, and the saddle with that price bounds the objective from above, with
    equality there. So bounds hold at one kernel: the upper one is the objective, the lower one says how far the tangent
    saddle could still descend. Where they meet the kernel is stationary, which need not be the global minimum.

    `primal` includes the concave term.
    """

    @abstractmethod
    def union(self, leaves: "tuple[Leaf, ...]", width: int) -> "tuple[tuple[Leaf, ...], tuple[str, ...]]":
        """The leaves as the criterion needs them, for X of so many columns, with notes on what was added."""

    @abstractmethod
    def size(self, problem: "Problem", gram: Gram) -> float:
        """The multiple, > 0, of this Gram on the problem's rows that suits the targets."""

    @abstractmethod
    def ceiling(self, problem: "Problem", duals: "tuple[DualPoint, ...]", query: "Query", at: "Mixture") -> "Ceiling":
        """The lower bound on the tangent saddle at the kernel `at`, and the atoms that exceed their price the most."""

    @abstractmethod
    def answer(self, problem: "Problem", mixture: "Mixture", gram: Gram) -> "Response | None":
        """The best dual variables for this Gram of the mixture, without an iteration; None where rounding forbids."""

    @abstractmethod
    def bounds(
        self, problem: "Problem", duals: "tuple[DualPoint, ...]", query: "Query", at: "Mixture"
    ) -> "tuple[Response, Ceiling]":
        """The answer to the kernel `at` and the `ceiling` of these dual points there, both from scratch."""

    @abstractmethod
    def posterior(self, problem: "Problem", mixture: "Mixture", kernel: "Kernel", X: FloatArray) -> "Posterior | None":
        """How sure the answer is of what it predicts, from the training rows X (n, d); None where nothing says so."""

    def coefficients(
        self,
        problem: "Problem",  # noqa: ARG002
        response: "Response",
        budget: "Budget",  # noqa: ARG002
        seed: int,  # noqa: ARG002
    ) -> FloatArray | None:
        """v of the machine that predicts with the learned kernel, (n, c): by default the certified one's.

        None where the budget left no time for it.
        """
        return response.V

    @abstractmethod
    def rehearsal(self, n: int) -> int | None:
        """On how many of n rows the kernel is learned first, for a start on all; None where on none."""

    @abstractmethod
    def allowed(self, problem: "Problem", tol: float) -> float:
        """The absolute gap that counts as reached."""
