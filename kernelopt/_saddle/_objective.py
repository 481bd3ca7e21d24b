"""What is minimised over kernels, and what a run has to know of it: the contract of an objective."""

from abc import abstractmethod
from typing import ClassVar

import attrs

from kernelopt._base._budget import Budget
from kernelopt._base._status import Status
from kernelopt._base._typing import Data, FloatArray, IntArray
from kernelopt._criteria._contract import Criterion
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture
from kernelopt._linalg._gram import Gram
from kernelopt._prediction._kernel import Kernel
from kernelopt._prediction._odds import Odds
from kernelopt._prediction._own_noise import OwnNoise
from kernelopt._prediction._posterior import Posterior
from kernelopt._saddle._bounds import Bounds
from kernelopt._saddle._certificate import Certificate
from kernelopt._saddle._contract import Solver
from kernelopt._saddle._problem import Bounding, Problem
from kernelopt._saddle._response import Response


@attrs.frozen
class Growth:
    """How families grow: by kernels that the learned function asks for, as rows that are held out decide.

    Attributes:
        most: rounds at most; with 0 no row is asked, and families stay restrained.
        rows: on so many rows, >= 2, chosen at random where there are more.
        folds: each of them held out once, in so many parts, >= 2.
    """

    most: int
    rows: int
    folds: int


@attrs.frozen(eq=False)
class Machine:
    """What predicts with a learned kernel.

    Attributes:
        coefficients: v on all training rows, shape (n, c).
        odds: how probable classes are by its values; None where nothing says so.
        hurried: whether there was no time for another machine than the certified one.
        own: how large the noise and the function of each of several targets are; None where they have them in common.
    """

    coefficients: FloatArray
    odds: Odds | None = None
    hurried: bool = False
    own: OwnNoise | None = None


class Objective(Bounding):
    """A kind of objective: what choosing, building, starting, running, certifying and predicting ask of it.

    `SaddleObjective`, in the file `_saddle_objective.py`, is the plain one. A criterion whose objective has a further
    term in the kernel is an `Objective` itself, as every `ConcaveCriterion` is; a third kind would be one new class
    beside these two.
    """

    default_solver: ClassVar[str | None] = None
    """The solver of `solver="auto"`; None: the one that costs least on these families and rows."""
    adapter: ClassVar[str | None] = None
    """The solver that puts others to work on this objective, which do not serve it themselves."""

    @abstractmethod
    def default_family(self) -> tuple[str, tuple[str, ...]]:
        """The name of the family where the user names none, with what the user should be told of that choice."""

    @abstractmethod
    def serves(self, solver: type[Solver]) -> bool:
        """Whether a solver of this class works on the objective as it is."""

    @property
    def apart(self) -> bool:
        """Whether it learns the variance of what rows that lack a view have to themselves; by default not."""
        return False

    @abstractmethod
    def union(self, leaves: tuple[Leaf, ...], width: int) -> tuple[tuple[Leaf, ...], tuple[str, ...]]:
        """The leaves as the objective needs them, for X of so many columns, with notes on what was added."""

    def bound(self, leaves: tuple[Leaf, ...], data: tuple[Data, ...], weight: FloatArray) -> tuple[Data, ...]:  # noqa: ARG002
        """What the leaves bound, with what the objective adds where rows have weights (n, c); by default as it is."""
        return data

    @abstractmethod
    def unbounded(self, leaves: tuple[Leaf, ...], criterion: Criterion) -> str | None:
        """Why there is no least objective over these leaves, in one sentence, or None."""

    @abstractmethod
    def tolerances(self, problem: Problem, tol: float, atol: float | None) -> tuple[float, float | None]:
        """The relative and the absolute gap that count as reached, from those that the user asked for."""

    @abstractmethod
    def accuracy(self, problem: Problem, tol: float, atol: float | None) -> float:
        """To which relative gap inner problems are solved, where the user asked for these gaps."""

    @abstractmethod
    def size(self, problem: Problem, gram: Gram) -> float:
        """The multiple, > 0, of this Gram on the problem's rows with which a run should begin."""

    @abstractmethod
    def rehearsal(self, n: int) -> int | None:
        """On how many of n rows the kernel is learned first, for a start on all; None where on none."""

    @abstractmethod
    def growth(self, n: int, outputs: int) -> Growth | None:
        """How families that can grow do so on n rows of so many outputs; None where all their kernels are in play."""

    @abstractmethod
    def losses(self, values: FloatArray, y: FloatArray, weight: FloatArray) -> FloatArray:
        """What each row of weight (n,) loses by predicted values (n, c) where y (n, c) is true, shape (n,), in nats: by
        this it is judged whether families grow.
        """

    def odds_of(self, values: FloatArray, y: FloatArray, weight: FloatArray, share: float) -> Odds | None:  # noqa: ARG002
        """How probable classes are by the values (n, c), of machines with `coefficients`, at rows of these weights (n,)
        that were not learned from, whose targets are y (n, c), and which are this share of all rows, > 0, at most 1;
        None, the default, where nothing says so.
        """
        return None

    def judged(self, machine: Machine, odds: Odds) -> Machine:
        """What predicts, as sure of classes as `odds_of` found machines like it to be; by default with these odds."""
        return attrs.evolve(machine, odds=odds)

    @abstractmethod
    def elsewhere(self, problem: Problem, response: Response) -> tuple[Mixture, ...]:
        """Kernels from which a run should begin as well, where one that ended with this answer may have been led astray
        by its start; none where nothing says so.
        """

    @abstractmethod
    def improved(self, problem: Problem, best: Bounds, new: Bounds) -> Bounds:
        """The best bounds so far, with those of a further step."""

    @abstractmethod
    def reconciled(self, problem: Problem, bounds: Bounds) -> Bounds:
        """Bounds that are past each other, with what rounding explains of that; an estimate is corrected where it can.

        Where they still contradict each other, one of them is untrue.
        """

    @abstractmethod
    def reached(self, certificate: Certificate) -> Status:
        """What is proved where the bounds are within the tolerance."""

    @abstractmethod
    def recertified(self, problem: Problem, bounds: Bounds, gram: Gram, seed: int, budget: Budget) -> Bounds:
        """Both bounds once more, from scratch, with the Gram of the kernel that proves the upper one."""

    def proved(self, problem: Problem, response: Response, gram: Gram) -> Bounds:  # noqa: ARG002
        """Both bounds at the kernel of an answer, which has this Gram."""
        return Bounds(response, problem.ceiling(response.duals, near=response.mixture))

    def coefficients(self, problem: Problem, response: Response, budget: Budget, seed: int) -> FloatArray | None:  # noqa: ARG002
        """v of the machine that predicts, shape (n, c); None where the budget ends before; by default the certified v.

        Args:
            problem: the problem.
            response: the answer.
            budget: the time that is left.
            seed: of everything random.
        """
        return response.V

    def machine(
        self,
        problem: Problem,
        response: Response,
        kernel: Kernel,  # noqa: ARG002
        X: FloatArray,  # noqa: ARG002
        budget: Budget,
        seed: int,
    ) -> Machine:
        """What predicts with the learned kernel; by default the machine with the `coefficients`, and the certified one
        where there are none in time.

        Args:
            problem: the problem.
            response: the answer.
            kernel: its kernel.
            X: the training rows, shape (n, d).
            budget: where it is cancelled the certified machine predicts.
            seed: of everything random.
        """
        found = self.coefficients(problem, response, budget, seed)
        return Machine(response.V, hurried=True) if found is None else Machine(found)

    @abstractmethod
    def rows(self, response: Response) -> IntArray:
        """The training rows that prediction needs, (s,)."""

    @abstractmethod
    def posterior(
        self, problem: Problem, mixture: Mixture, kernel: Kernel, X: FloatArray, own: OwnNoise | None = None
    ) -> Posterior | None:
        """How sure the answer is of what it predicts; None where nothing says so.

        Args:
            problem: the problem.
            mixture: of the answer.
            kernel: its kernel.
            X: the training rows, shape (n, d).
            own: the noise of the machine's targets, as its `machine` has it.
        """

    @abstractmethod
    def remarks(
        self, problem: Problem, response: Response, rows: IntArray, targets: FloatArray, *, converged: bool
    ) -> tuple[str, ...]:
        """What a user should know of the optimum that its numbers do not show.

        Args:
            problem: the problem.
            response: the answer.
            rows: the number of each of its rows in the user's X, shape (n,).
            targets: of its rows, as the user passed them or encoded, with their level, shape (n, c).
            converged: whether the run met its tolerance; another one may have ended before it found what there is.
        """
