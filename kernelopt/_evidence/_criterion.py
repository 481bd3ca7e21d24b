"""The evidence: the likelihood of the targets under a Gaussian process with the mixture as covariance."""

import math
from typing import Any, ClassVar, Literal

import attrs
import numpy as np

from kernelopt._base._budget import Budget
from kernelopt._base._errors import InvalidOption
from kernelopt._base._options import one_of, positive, within
from kernelopt._base._threads import one_thread
from kernelopt._base._typing import Data, FloatArray, IntArray
from kernelopt._criteria._contract import Primal, Task
from kernelopt._criteria._dual_qp import DualPoint, DualQP
from kernelopt._evidence._answer import answered
from kernelopt._evidence._contract import ConcaveCriterion
from kernelopt._evidence._counting import (
    Weights,
    copying,
    counted,
    counts_of,
    factored_at,
    least_of,
    meaning_of,
    rows_of,
    volume,
    weight_of,
    whole_noise,
)
from kernelopt._evidence._effort import Effort, at_once_of, growth_of, landmarks_of, sample_of, whole_of
from kernelopt._evidence._factorisation import factored
from kernelopt._evidence._noise_and_level import freed
from kernelopt._evidence._rounding import lost
from kernelopt._evidence._singular import singular
from kernelopt._evidence._tangent_criterion import quadratic
from kernelopt._evidence.classes._class_machine import as_sure, by_held_out, classifying, modes_in_time
from kernelopt._evidence.classes._laplace import coefficients_of
from kernelopt._evidence.lists._likely_size import size_of
from kernelopt._evidence.lists._lower_bound import best_ceiling_at, ceiling_at
from kernelopt._evidence.lists._majoriser import Tangent, at_itself, nothing
from kernelopt._evidence.lists._single_kernels import ROWS, better_single
from kernelopt._evidence.noise._each_target import each_target
from kernelopt._evidence.noise._noise_alone import Gain
from kernelopt._evidence.noise._outliers import outlying
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture, Query
from kernelopt._families.variances._delta import Counts, Delta
from kernelopt._linalg._gram import Gram
from kernelopt._prediction._kernel import Kernel
from kernelopt._prediction._odds import Odds
from kernelopt._prediction._own_noise import OwnNoise
from kernelopt._prediction._posterior import Posterior
from kernelopt._prediction._posterior_of import posterior_of
from kernelopt._saddle._bounds import Bounds
from kernelopt._saddle._lower_bound import Ceiling
from kernelopt._saddle._objective import Growth, Machine
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response

_MANY, _SHARE = 2, 3
"""From so many times as many rows as are enough for a rough kernel on it is learned on a share of them first.
Worth: `constants.py evidence.rehearsed`. Worth: `constants.py evidence.share`."""
_LOST = 16.0 * float(np.finfo(float).eps)
"""What rounding leaves of a matrix that is factored, as a share of its largest eigenvalue."""

Targets = Literal["auto", "labels", "numbers"]
Finish = Literal["auto", "logistic", "numbers"]
Noise = Literal["auto", "gaussian", "student"]


@attrs.frozen
class Evidence(ConcaveCriterion):
    """The criterion that learns the kernel under which the targets are most likely; no option needs tuning.

        min over theta   sum over outputs of 1/2 y'K^-1 y + 1/2 log det K + n/2 log 2 pi
                           + R(theta)
        K = K_theta + floor mean(y^2) I,    theta over the cone: weights of any sum, y less its mean where it is numbers

    The first line of the objective is minus the logarithm of the probability density of y under a Gaussian process of
    mean 0 and covariance K, which is called the evidence, the marginal likelihood, or maximum likelihood II. The first
    term of the sum is the criterion `alignment`. The second term is concave in K; its tangent at a kernel K_t is the
    price 1/2 tr(K_t^-1 K_theta), so that each step of a solver is a saddle over a cone. K_t is optimal if no atom has
    v'K_a v > tr(K_t^-1 K_a), with v = K_t^-1 y; for several outputs, both sides are summed over the outputs. Two
    families join the families of the user: the identity on samples, whose weight is the variance of the noise, and a
    constant kernel, whose weight is the variance of the level that the mean misses. R is the convex price of the
    kernels of those families that have a price, and exp(-R) is the prior on kernels; without such a family R is 0.

    A row of weight s counts as s rows: the variance of the noise of the row is divided by s, and the likelihood of the
    differences among these s rows is added. Weights that are relative, and weights whose sum is less than the number of
    rows, are divided by their mean; then only 1/2 sum log s is added, which is the same for all kernels.

    Labels of two classes become the numbers -1 and +1; three classes or more become as many outputs, each for one class
    against the rest. The certificate is about the kernel that these numbers ask for; the option `finish` says what
    predicts classes with this kernel.

    Attributes:
        targets: the task: "numbers" for regression, "labels" for classes, "auto" for the one that y looks like.
        floor: the smallest variance of the noise, as a share of mean(y^2), which for numbers is their variance; > 0. It
            keeps K from being singular.
        finish: what predicts classes with the learned kernel. "logistic": the mode of a Gaussian process with the
            logistic likelihood, where the scale of the kernel maximises Laplace's approximation of the evidence; the
            decision function is then the logarithm of the odds. "numbers": the mean of the Gaussian process for the
            numbers -1 and 1. "auto": "logistic" for two classes, and "numbers" for more classes, for which "logistic"
            had the larger error.
        effort: how much time to spend on kernels of learned metrics, with fitted widths and of trees. "quick": none.
            "normal": the families that can learn metrics, which are "auto" and "metric", do so in up to three rounds on
            1000 rows, or on fewer rows if there are more than two outputs; held-out rows decide whether a round is
            kept, and whether kernels of few columns, with a fitted width for each column, and of trees, join the list
            of "auto".
            "thorough": up to five rounds on four times as many rows. It also says how many rows learn the kernel at
            once: 3000, 6000 or 10,000; of more rows a sample of 2000, 4000 or 8000 learns it.
        weights: the meaning of weights of rows. "copies": a row of weight 2 counts as two rows. "relative": the
            variance of the noise of a row is divided by the weight's ratio to the mean weight, so that a common factor
            of all weights changes nothing. "auto": "copies" if all weights are whole numbers, as numbers of copies are,
            and "relative" if one is not; the criterion of a solution says which.
        rough: if there are more than twice this many rows, the kernel is first learned on a third of the rows, chosen
            at random, and on at least this many; the same is repeated for this third.
        noise: the distribution of the noise of numbers. "gaussian": of one variance for all rows. "student": Student's
            t distribution, which gives small weights to rows far from all others. "auto": Gaussian, of one
            variance, with two exceptions. If the errors of leave-one-out predictions show that the noise is larger in
            some rows than in others, each row has a noise of its own. If rows far out make up three tenths of the
            squared residuals (half of them with several targets or more than 2000 rows) or most of the variance of the
            targets, and if the targets are more likely under Student's t by 1/2 log n nats and the other rows are
            predicted with no larger squared error, the noise is Student's t; where each row has a noise of its own,
            only if half of the targets far out are improbable even with that.

    Raises:
        InvalidOption: an option is out of its range.

    MacKay (1992); Ong, Smola and Williamson (2005), section 3.2; the tangent after Wipf and Nagarajan (2008); classes
    after Rasmussen and Williams (2006), chapter 3.
    """

    name: ClassVar[str] = "evidence"

    targets: Targets = attrs.field(default="auto", validator=one_of("auto", "labels", "numbers"))
    floor: float = attrs.field(default=1e-6, validator=positive)
    finish: Finish = attrs.field(default="auto", validator=one_of("auto", "logistic", "numbers"))
    effort: Effort = attrs.field(default="normal", validator=one_of("quick", "normal", "thorough"))
    weights: Weights = attrs.field(default="auto", validator=one_of("auto", "copies", "relative"))
    rough: int = attrs.field(default=150, validator=within(2, 10**9, integer=True))
    noise: Noise = attrs.field(default="auto", validator=one_of("auto", "gaussian", "student"))

    @noise.validator
    def _of_numbers(self, _: Any, noise: Noise) -> None:
        if noise == "student" and self.targets == "labels":
            raise InvalidOption('noise="student" is for numbers, and these are labels; take "auto", or "gaussian"')

    @property
    def task(self) -> Task:  # type: ignore[override]
        """Classification if the targets are labels, and regression otherwise."""
        return "classification" if self.targets == "labels" else "regression"

    @property
    def levelled(self) -> bool:  # type: ignore[override]
        """True for numbers: their mean is subtracted, and what the mean misses is learned as the level."""
        return self.targets == "numbers"

    def suited(self, labels: bool) -> "Evidence":
        """This criterion with `targets="auto"` decided."""
        decided: Targets = "labels" if labels else "numbers"
        return attrs.evolve(self, targets=decided) if self.targets == "auto" else self

    def weighed(self, n: int, total: float, whole: bool) -> "Evidence":
        """This criterion with `weights="auto"` decided, where n weights > 0 have this sum, whole numbers or not;
        itself where all of them are 1.
        """
        return self if whole and total == n else attrs.evolve(self, weights=meaning_of(self.weights, whole))

    def observed(self, weight: FloatArray) -> FloatArray:
        return counted(weight[:, None], self.weights)

    def outputs(self, y: FloatArray, weight: FloatArray) -> tuple[DualQP, ...]:
        noise, s = self.floor * (float(np.average(y * y, weights=weight)) or 1.0), counted(weight, self.weights)
        return tuple(DualQP.free(y[:, c], noise / s) for c in range(y.shape[1]))

    def duals(self, Y: FloatArray, noise: FloatArray) -> tuple[DualQP, ...]:
        """The dual problems of targets (n, c) with the smallest variances of noise (n,)."""
        return tuple(DualQP.free(y, noise) for y in Y.T)

    def bound(self, leaves: tuple[Leaf, ...], data: tuple[Data, ...], weight: FloatArray) -> tuple[Data, ...]:
        """The data of the leaves, in which the noise also knows how often each row counts."""
        counts = Counts(counted(weight, self.weights))
        if np.all(counts.weight == 1.0):
            return data
        return tuple(counts if isinstance(leaf.family, Delta) else one for leaf, one in zip(leaves, data, strict=True))

    def primal(self, qp: DualQP, gram: Gram, v: FloatArray, f: FloatArray) -> Primal:
        """The objective itself, for any v; v only saves the digits that a factorisation loses."""
        factor = factored(gram, qp.curvature)
        if factor is None:
            return Primal(math.inf, np.zeros(0))
        return Primal(quadratic(factor, qp, v, f) + volume(factor.log_determinant, qp.n), np.zeros(0))

    @property
    def apart(self) -> bool:
        return self.targets == "numbers"

    def union(self, leaves: tuple[Leaf, ...], width: int) -> tuple[tuple[Leaf, ...], tuple[str, ...]]:
        return freed(leaves, width)

    def size(self, problem: Problem, gram: Gram) -> float:
        return size_of(problem, gram, self.floor)

    def answer(self, problem: Problem, mixture: Mixture, gram: Gram) -> Response | None:
        factor = factored_at(problem, mixture, gram)
        return None if factor is None else answered(problem, mixture, gram, factor)

    def bounds(
        self, problem: Problem, duals: tuple[DualPoint, ...], query: Query, at: Mixture, gram: Gram, budget: Budget
    ) -> Bounds:
        factor = factored_at(problem, at, gram)
        if factor is None:
            return Bounds(problem.assess(at, tuple(dual.alpha for dual in duals), gram), nothing(problem, duals))
        response = answered(problem, at, gram, factor)
        tangent = Tangent.of(problem, at, factor)  # it writes into the factor
        ceiling = best_ceiling_at(problem, duals, query, at, tangent, budget)
        return Bounds(response, ceiling, lost=lost(gram, least_of(problem), tangent.omega, response.V))

    def ceiling(
        self, problem: Problem, duals: tuple[DualPoint, ...], query: Query, at: Mixture, budget: Budget
    ) -> Ceiling:
        tangent = Tangent.at(problem, at)
        return nothing(problem, duals) if tangent is None else ceiling_at(problem, duals, query, at, tangent, budget)

    def reconciled(self, problem: Problem, bounds: Bounds) -> Bounds:
        """Both bounds, computed anew; the lower one is no higher than the tangent's saddle at the kernel itself."""
        bounds = super().reconciled(problem, bounds)
        at, ceiling = bounds.response.mixture, bounds.ceiling
        tangent = Tangent.at(problem, at) if bounds.past_each_other else None
        if tangent is None:
            return bounds
        lower = min(ceiling.lower, at_itself(problem, ceiling.duals, tangent.level, at))
        bounds = attrs.evolve(bounds, ceiling=attrs.evolve(ceiling, lower=lower), rounding=0.0)
        return attrs.evolve(bounds, rounding=self.rounding(problem, bounds)) if bounds.past_each_other else bounds

    def rounding(self, problem: Problem, bounds: Bounds) -> float:
        """The rounding error of determinant and inverse, by tr(K) / noise, which bounds the condition number of K."""
        mixture = bounds.response.mixture
        condition = 1.0 + float(problem.gram(mixture).diag().sum()) / whole_noise(problem, mixture)
        terms = problem.n * len(problem.outputs) + abs(bounds.response.upper) + abs(bounds.ceiling.lower)
        return _LOST * condition * terms

    def posterior(
        self, problem: Problem, mixture: Mixture, kernel: Kernel, X: FloatArray, own: OwnNoise | None = None
    ) -> Posterior | None:
        if self.task != "regression":
            return None
        weight = None if counts_of(problem) is None else weight_of(problem)
        return posterior_of(kernel, X, whole_noise(problem, mixture), weight, own=own)

    def machine(
        self, problem: Problem, response: Response, kernel: Kernel, X: FloatArray, budget: Budget, seed: int
    ) -> Machine:
        with one_thread():
            if self.task == "classification":
                by_odds = self.by_odds(len(problem.outputs))
                return classifying(problem, response, kernel, X, budget, seed, by_odds=by_odds)
            machine = super().machine(problem, response, kernel, X, budget, seed)
            several = len(problem.outputs) > 1 and np.array_equal(machine.coefficients, response.V)
            return (_with_own_noise(problem, response, kernel, X, budget, seed) if several else None) or machine

    def coefficients(self, problem: Problem, response: Response, budget: Budget, seed: int) -> FloatArray | None:
        if self.task != "classification" or not self.by_odds(len(problem.outputs)):
            return response.V
        with one_thread():
            found = modes_in_time(problem, response, budget, seed)
        return None if found is None else coefficients_of(found)

    def by_odds(self, outputs: int) -> bool:
        """Whether classes are predicted by the logarithm of their odds, for this number of outputs."""
        return self.finish == "logistic" or (self.finish == "auto" and outputs == 1)

    def elsewhere(self, problem: Problem, response: Response) -> tuple[Mixture, ...]:
        gain = Gain.of(problem, response)
        if gain is None or self._looked_before(problem):
            return ()
        single = better_single(problem, response, doubtful=gain.doubtful)
        return () if single is None else (single,)

    def _looked_before(self, problem: Problem) -> bool:
        """Whether the kernel was learned on some of the rows first, on more than a look at single kernels takes.

        Then the look was taken there, for a fraction of what Grams of all rows cost.
        """
        rows = self.rehearsal(problem.n)
        featured = all(isinstance(leaf.family, ExplicitFamily) for leaf in problem.leaves)
        return rows is not None and rows >= ROWS and not featured

    def remarks(
        self, problem: Problem, response: Response, rows: IntArray, targets: FloatArray, *, converged: bool
    ) -> tuple[str, ...]:
        unknown = singular(problem, response)
        if unknown is not None:
            return (unknown,)
        gain = Gain.of(problem, response) if converged else None
        noise = None if gain is None else gain.remark
        believed = self.task == "classification" or self.noise == "student"
        far = None if believed else outlying(targets, rows)
        return tuple(text for text in (copying(problem), noise, far) if text is not None)

    def growth(self, n: int, outputs: int) -> Growth:
        return growth_of(self.effort, n, outputs)

    def odds_of(self, values: FloatArray, y: FloatArray, weight: FloatArray, share: float) -> Odds | None:
        if self.task != "classification":
            return None
        times = counted(weight[:, None], self.weights)
        return by_held_out(values, y, times, share, by_odds=self.by_odds(y.shape[1]))

    def judged(self, machine: Machine, odds: Odds) -> Machine:
        return as_sure(machine, odds)

    def sample(self, outputs: int) -> int:
        """The number of rows from which a kernel is learned if there are more rows than learn it at once."""
        return sample_of(self.effort, outputs)

    @property
    def at_once(self) -> int:
        """The largest number of rows from all of which the kernel is learned."""
        return at_once_of(self.effort)

    @property
    def whole(self) -> int:
        """The largest number of rows that learn with the whole kernel where landmarks leave out too much of it."""
        return whole_of(self.effort)

    @property
    def landmarks(self) -> int:
        """The largest number of landmarks that represent such a kernel, for 100,000 rows."""
        return landmarks_of(self.effort)

    def rehearsal(self, n: int) -> int | None:
        return max(self.rough, n // _SHARE) if n > _MANY * self.rough else None

    def allowed(self, problem: Problem, tol: float) -> float:
        """The allowed gap in nats: tol times half the number of targets, which y'K^-1 y / 2 is at the optimum."""
        return 0.5 * tol * rows_of(problem) * len(problem.outputs)


def _with_own_noise(
    problem: Problem, response: Response, kernel: Kernel, X: FloatArray, budget: Budget, seed: int
) -> Machine | None:
    """The machine of several targets, each with its own noise and weights; None where there is none, or no time."""
    found = None if budget.cancelled() else each_target(problem, response, kernel, X, seed, budget)
    return None if found is None else Machine(found[0], own=found[1])
