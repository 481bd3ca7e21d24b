"""What a criterion's author supplies, and what the laws make of it."""

from functools import partial

import attrs
import numpy as np

from kernelopt.dual import maximise, repair
from kernelopt.plugin import Criterion, Dense, Dual, DualQP, FloatArray, Gram, Primal
from kernelopt.testing._class_laws import Calls, ClassLaws, class_untouched
from kernelopt.testing._laws import demand, demand_kind
from kernelopt.testing._toys import Columns

_PATIENCE = 200
"""How often the engine may ask whether to go on."""


@attrs.frozen(eq=False)
class Asked:
    """One output's dual problem with a kernel.

    Attributes:
        criterion: that made it.
        qp: the dual problem.
        gram: the kernel.
    """

    criterion: Criterion
    qp: DualQP
    gram: Gram

    def primal(self, v: FloatArray) -> Primal:
        """The primal objective at v (n,), with f = K v."""
        found = self.criterion.primal(self.qp, self.gram, v, self.gram.apply(v))
        demand_kind(found, Primal, "primal-type", "primal")
        detail = (
            f"the value of a Primal must be a float of 64 bits, got {type(found.value).__name__}; compute in float64"
        )
        demand(isinstance(found.value, float), "primal-float64", detail)
        return found

    def answer(self, accuracy: float = 1e-8) -> Dual:
        """The core's answer to the kernel."""
        primal = partial(self.criterion.primal, self.qp, self.gram)
        # A loose primal objective would keep the engine at work for what it can never reach.
        enough = iter(range(_PATIENCE))
        return maximise(self.qp, self.gram, primal, accuracy=accuracy, cancelled=lambda: next(enough, None) is None)

    def decision(self, dual: Dual) -> FloatArray:
        """The decision values f + b of an answer on the training rows, shape (n,)."""
        bias = float(dual.multipliers[0]) if len(dual.multipliers) else 0.0
        return np.asarray(self.gram.apply(dual.v) + bias)


class CriterionCase(ClassLaws):
    """The hooks of a criterion's suite. A subclass writes `criterion`, and `targets` where the default does not fit.

    Attributes:
        n: how many samples; the naive optimum takes a dozen at most.
        seed: of the random targets, weights and kernels.
        tolerance: how well two optima agree, relative to their size.
        tight: the primal value is the maximum over the dual set, not only a bound on it.
        lagrangian: the primal value bounds the Lagrangian at v itself. False where it takes the best multiple of v
            (a homogeneous h), or something else than v: it then bounds the optimum at this kernel.
        weights_are_copies: a sample of weight s is s copies of it.
        shifts: in regression a constant that is added to the targets goes to the bias. False where no bias is free, or
            where the loss depends on more than the residual.
        idle_options: the names of options that change neither dual problems nor the primal value, such as one for the
            number of iterations of a search within `primal`.
    """

    n: int = 10
    seed: int = 0
    tolerance: float = 1e-6
    tight: bool = True
    lagrangian: bool = True
    weights_are_copies: bool = True
    shifts: bool = True
    idle_options: tuple[str, ...] = ()

    def criterion(self) -> Criterion:
        """The criterion to judge."""
        # Not an abstract method: pytest passes over abstract classes in silence.
        raise NotImplementedError(f"{type(self).__name__}: write criterion(self), which returns the criterion to judge")

    def _plugin(self) -> Criterion:
        return self.criterion()

    def _calls(self, subject: Criterion) -> Calls:
        rng = np.random.default_rng(self.seed)
        yield "suited", partial(subject.suited, labels=True)
        yield "refuses", partial(subject.refuses, (Columns(2),))
        for size in (1.0, 3.0):
            y = self.targets(rng, self.n)
            y = size * y if subject.task == "regression" else y
            gram = Dense(random_kernel(rng, len(y)))
            outputs = yield "outputs", partial(subject.outputs, y, self.weights(rng, y.shape))
            for qp in outputs:
                v = qp.embed(repair(qp, rng.normal(size=qp.size)))
                yield "primal", partial(subject.primal, qp, gram, v, gram.apply(v))

    def targets(self, rng: np.random.Generator, n: int) -> FloatArray:
        """Encoded targets, shape (n, c): -1 and +1 in classification."""
        if self.criterion().task == "classification":
            return np.column_stack([rng.permutation(np.where(np.arange(n) % 2, 1.0, -1.0)) for _ in range(2)])
        return rng.normal(size=(n, 1)) if self.criterion().task == "regression" else np.ones((n, 1))

    def weights(self, rng: np.random.Generator, shape: tuple[int, ...]) -> FloatArray:
        """Sample weights, shape (n, c), > 0."""
        return rng.uniform(0.5, 2.0, size=shape)

    def naive_value(self, y: FloatArray, weight: FloatArray, K: FloatArray) -> float | None:  # noqa: ARG002
        """The optimal value for one output from a method of your own, or None.

        With None the arrays of `outputs` are taken at their word; a wrong box would not be noticed.

        Args:
            y: shape (n,).
            weight: shape (n,).
            K: shape (n, n), positive definite.
        """
        return None

    def rescaled(self, kernel: float, targets: float) -> tuple[Criterion, float] | None:  # noqa: ARG002
        """The same machine in other units, or None where the criterion has no such law.

        For svr with C and epsilon it is (SVR(C * targets / kernel, epsilon * targets), targets).

        Args:
            kernel: the factor s of the kernel, > 0.
            targets: the factor t of the targets, > 0; always 1 but in regression.

        Returns:
            The criterion that does with s K and t y what `criterion` does with K and y, and the factor r by which that
            multiplies the decision values. The optimum is then r^2/s times what it was.
        """
        return None

    def asked(self, draw: int = 0) -> tuple[Asked, ...]:
        """Every output of random targets, with a positive definite kernel."""
        rng = np.random.default_rng([self.seed, draw])
        y = self.targets(rng, self.n)
        criterion = self.criterion()
        K = random_kernel(rng, len(y))
        with class_untouched(criterion, "outputs has"):
            outputs = criterion.outputs(y, self.weights(rng, y.shape))
        demand_kind(outputs, tuple, "outputs-count", "outputs", ", with a DualQP for each column of y")
        return tuple(Asked(criterion, qp, Dense(K)) for qp in outputs)


def size_of(dual: Dual) -> float:
    """The terms that make up an optimum: what rounding is measured by where they cancel."""
    return abs(dual.h) + 0.5 * dual.quad + 1e-9


def random_kernel(rng: np.random.Generator, n: int) -> FloatArray:
    """A well-conditioned positive definite matrix, shape (n, n)."""
    F = rng.normal(size=(n, n))
    return np.asarray(F @ F.T / n + 0.1 * np.eye(n))


def random_feasible(qp: DualQP, rng: np.random.Generator) -> FloatArray:
    """A random feasible alpha, shape (N,)."""
    low, high = np.maximum(qp.lower, -10.0), np.minimum(qp.upper, 10.0)
    return repair(qp, rng.uniform(low, np.maximum(high, low)))
