"""What a round of growing families works with: what is learned from some rows."""

from collections.abc import Iterator

import attrs
import numpy as np

from kernelopt._api._build import make_problem
from kernelopt._api._progress import Told
from kernelopt._api._validate import Request
from kernelopt._api.beginning._first_size import scaled
from kernelopt._api.beginning._rehearsal import SLOWEST
from kernelopt._api.data._training import Training
from kernelopt._api.growth._kernels import Kernels
from kernelopt._api.growth._steps import Step, grows
from kernelopt._base._budget import Budget
from kernelopt._base._interrupts import Gate
from kernelopt._base._status import Status
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families._binding import tightened
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture, Part
from kernelopt._prediction._kernel import Kernel
from kernelopt._prediction._predictor import Predictor
from kernelopt._saddle._bounds import Limits
from kernelopt._saddle._contract import Solver
from kernelopt._saddle._loop import Run, run
from kernelopt._saddle._objective import Growth
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response
from kernelopt._saddle._restarts import learned
from kernelopt._saddle._watch import Watch

_ROUGH = 3e-2
"""The tolerance of a fit that decides on kernels. Worth: `constants.py growth.rough`."""
_SHARE, _BEYOND = 0.3, 0.4
"""Of a time limit, at most, is spent on rounds where many rows are learned from after them; and with no more rows than
rounds have, the time of the run on all rows beside theirs. Guards: with few rows rounds take most of the time."""
_ALONE = 0.6
"""The same where only a kernel is wanted: what joins brings it more than further rows do, and no last look follows."""


class Ended(Exception):
    """Rounds have to end: the share of the time limit is over, or somebody asked to stop.

    Attributes:
        interrupted: whether it is the latter.
    """

    def __init__(self, interrupted: bool) -> None:
        super().__init__()
        self.interrupted = interrupted


@attrs.frozen(eq=False)
class Fitted:
    """What was learned from some rows.

    Attributes:
        leaves: the families.
        rows: the rows' numbers, shape (n,).
        response: the answer.
        elsewhere: whether it was found from another start than the centre, which had led astray.
        again: whether it, or what it began at, was found from a share of new kernels.
    """

    leaves: tuple[Leaf, ...]
    rows: IntArray
    response: Response
    elsewhere: bool = False
    again: bool = False

    @property
    def members(self) -> Iterator[tuple[Leaf, Part]]:
        """The families and their shares of the kernel."""
        return zip(self.leaves, self.response.mixture.parts, strict=True)

    def values(self, training: Training, rows: IntArray, V: FloatArray | None = None) -> FloatArray:
        """The function of v (n, c), by default of the response, at other rows of the training data, shape (n', c)."""
        kernel = Kernel(self.leaves, self.response.mixture, training.X.shape[1])
        between = kernel.between(training.X[rows], training.X[self.rows])
        return np.asarray(between @ (self.response.V if V is None else V))

    def grown(self, training: Training) -> Kernels | None:
        """The families with kernels that the function asks for; None where there are none."""
        X, V = training.X[self.rows], self.response.V
        found = [leaf.family.grown(part, leaf.view(X), V) if grows(leaf) else None for leaf, part in self.members]
        if all(one is None for one in found):
            return None
        pairs = zip(found, self.members, strict=True)
        larger = Kernels.of([one or (leaf.family, part) for one, (leaf, part) in pairs], self.leaves)
        return attrs.evolve(larger, known=self.pruned().leaves, again=self.again)

    def machine(self, training: Training) -> Predictor:
        """What predicts as `values` does."""
        kernel = Kernel(self.leaves, self.response.mixture, training.X.shape[1])
        V = self.response.V
        return Predictor.of(kernel, training.X[self.rows], V, np.zeros(V.shape[1]), None)

    def joined(self, training: Training, step: Step) -> Kernels | None:
        """The families with kernels that are fitted to the targets of these rows; None where there are none."""
        leaves = step.join(self.leaves, training, self.rows)
        return None if leaves is None else self.kernels.among(leaves)

    @property
    def kernels(self) -> Kernels:
        """The families, and the kernel."""
        return Kernels(self.leaves, self.response.mixture, again=self.again)

    def pruned(self) -> Kernels:
        """The families without what they grew and gave no weight."""
        return Kernels.of([leaf.family.pruned(part) for leaf, part in self.members], self.leaves)


@attrs.frozen(eq=False)
class Learner:
    """Learns from some of the training rows.

    Attributes:
        request: what was asked for.
        solver: of the run.
        gate: where somebody may interrupt.
        told: gets what is done, and the share that is over.
        share: of a time limit that rounds may take at most.
    """

    request: Request
    solver: Solver
    gate: Gate
    told: Told
    share: float = _SHARE

    @classmethod
    def of(
        cls, request: Request, solver: Solver, gate: Gate, told: Told, plan: Growth, *, alone: bool = False
    ) -> "Learner":
        """One whose share is what all rows leave of the time, by the time that as many rows as the plan has take; at
        least so much, and more where the kernel alone is wanted.
        """
        times = max(len(request.training.X) / plan.rows, 1.0)
        least = _ALONE if alone else _SHARE
        return cls(request, solver, gate, told, max(least, 1.0 / (1.0 + _BEYOND * times**SLOWEST)))

    @property
    def budget(self) -> Budget:
        """The share of the time limit that is left for rounds."""
        limit = self.request.settings.max_seconds
        return Budget(None if limit is None else self.request.began + self.share * limit)

    def fit(self, kernels: Kernels, rows: IntArray, *, doubted: bool = True) -> Fitted:
        """The families' kernel for these rows, roughly.

        Raises:
            Ended: as `fitted` does.
        """
        return self.fitted(kernels, rows, doubted=doubted)[0]

    def fitted(self, kernels: Kernels, rows: IntArray, *, doubted: bool = True) -> tuple[Fitted, Problem]:
        """The same, with the problem on these rows, whose Grams are at hand.

        Args:
            kernels: the families, and where to begin.
            rows: the numbers of the rows, shape (n,).
            doubted: whether the centre may have led astray; no kernel that was learned is doubted as a start.

        Raises:
            Ended: the share of the time limit is over, or somebody asked to stop.
        """
        if self.budget.cancelled():
            raise Ended(False)
        request, solver, problem = self.request, self.solver, self.problem(kernels, rows)
        tol, atol = request.objective.tolerances(problem, _ROUGH, None)
        problem = problem if atol is None else attrs.evolve(problem, sought=atol)
        limits = Limits(tol, atol, solver.default_steps, self.budget.deadline)
        done, again = self._ended(problem, kernels, limits, doubted=doubted)
        if done.status is Status.INTERRUPTED or self.budget.cancelled():
            raise Ended(done.status is Status.INTERRUPTED)
        leaves, response = tightened(problem.leaves), done.bounds.response
        return Fitted(leaves, rows, response, done.elsewhere, again or kernels.again), problem

    def _ended(self, problem: Problem, kernels: Kernels, limits: Limits, *, doubted: bool) -> tuple[Run, bool]:
        """The run from the kernel or, where it stays, from a share of the new kernels if that ends lower, and whether
        it is the latter. An interruption of either is the answer.
        """
        first = problem.center() if kernels.at is None else kernels.at
        done, shared = self._run(problem, first, limits, doubted=doubted and kernels.at is None), kernels.shared
        if shared is None or not _stayed(done):
            return done, False
        other = self._run(problem, shared, limits)
        lower = other.bounds.response.upper < done.bounds.response.upper - done.atol
        return (other, lower) if lower or other.status is Status.INTERRUPTED else (done, False)

    def _run(self, problem: Problem, first: Mixture, limits: Limits, *, doubted: bool = False) -> Run:
        runs, seed = learned if doubted else run, self.request.settings.seed
        return runs(problem, self.solver, scaled(problem, first), limits, seed=seed, watch=Watch(gate=self.gate))

    def variances(self, fit: Fitted, rows: IntArray) -> tuple[FloatArray, FloatArray] | None:
        """The variance of a function at other rows of the training data, without noise, and that of the noise, each of
        shape (n',); None where nothing says so.
        """
        training, machine = self.request.training, fit.machine(self.request.training)
        problem = self.problem(fit.kernels, fit.rows)
        mixture, X = fit.response.mixture, training.X[fit.rows]
        posterior = self.request.objective.posterior(problem, mixture, machine.kernel, X)
        if posterior is None:
            return None
        return posterior.unknown(machine, training.X[rows]), np.full(len(rows), posterior.noise)

    def predicted(self, fit: Fitted, rows: IntArray) -> FloatArray:
        """What a machine of the kind that predicts says of other rows of the training data, shape (n', c).

        Raises:
            Ended: the share of the time limit is over.
        """
        problem, request = self.problem(fit.kernels, fit.rows), self.request
        V = request.objective.coefficients(problem, fit.response, self.budget, request.settings.seed)
        if V is None:
            raise Ended(False)
        return fit.values(request.training, rows, V)

    def problem(self, kernels: Kernels, rows: IntArray) -> Problem:
        """The families on these rows (n,)."""
        request, solver = self.request, self.solver
        bound, few = solver.bound(kernels.leaves, len(rows)), request.training.some(rows)
        return make_problem(bound, few, request.criterion, accuracy=0.1 * _ROUGH, grams=solver.gram_copies)


def _stayed(done: Run) -> bool:
    """Whether a run fell by no more than what counts as the same."""
    return done.status.converged and done.trace[0].upper - done.bounds.response.upper <= done.atol


def sample_of(request: Request, plan: Growth) -> IntArray:
    """The rows of the rounds, in random order."""
    return request.training.at_random(plan.rows, request.settings.seed)
