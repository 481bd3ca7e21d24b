"""The optimality conditions of the support kernel machine, and what a linear program makes of them.

For kernels of weight w_a >= 0, sum w = 1 (the paper's d_a^2 eta_a), v = E alpha and J_a = 1/2 v'K_a v - h(alpha):

    (OPT 3)   w_a = 0 where J_a < max J - epsilon_1, and for every output there are multipliers b with
              G_i <= b + epsilon_2 where u_i may rise,    G_i >= b - epsilon_2 where u_i may fall,
    (OPT 4)   the same without b:   max G_i over those that may rise <= min G_i over those that may fall + 2 epsilon_2,

u_i = coefficient_i alpha_i, and G the gradient of h(alpha) - 1/2 v'K(w)v in u. Either is sufficient for alpha to be
within epsilon_1 of the optimum's subdifferential in the sense of (OPT 2).

Bach, Lanckriet and Jordan (2004), section 3. The paper prints one set of indices for both lines of its conditions; the
second must be that of the variables that may fall.
"""

from collections.abc import Iterator, Sequence

import attrs
import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from kernelopt.plugin import BoolArray, DualQP, FloatArray, IntArray, InvalidOption, Problem
from kernelopt_smo._pooled_kernels import Pool
from kernelopt_smo._state import embedded, values_of


@attrs.frozen
class Optimality:
    """The least (epsilon_1, epsilon_2) with which conditions (OPT 3) and (OPT 4) hold."""

    epsilon1: float
    epsilon2: float

    def within(self, epsilon1: float, epsilon2: float) -> bool:
        """Whether they hold with these."""
        return self.epsilon1 <= epsilon1 and self.epsilon2 <= epsilon2


@attrs.frozen(eq=False)
class Judged:
    """Dual variables with what the conditions need of every kernel there.

    Attributes:
        outputs: the dual problems.
        alphas: feasible dual variables, one array for each output.
        images: K_a V, shape (m, n, c).
        excess: max J - J_a of every kernel, shape (m,), >= 0.
    """

    outputs: tuple[DualQP, ...]
    alphas: tuple[FloatArray, ...]
    images: FloatArray
    excess: FloatArray

    @classmethod
    def of(cls, problem: Problem, alphas: Sequence[FloatArray]) -> "Judged":
        """At these dual variables of a problem whose leaves are finite lists."""
        V = embedded(problem, tuple(alphas))
        images = Pool.of(problem).images(V)
        halves = 0.5 * values_of(images, V)
        return cls(problem.outputs, tuple(alphas), images, halves.max() - halves)

    def optimality(self, weights: FloatArray) -> Optimality:
        """Of these weights, shape (m,), which need no linear program (OPT 4)."""
        worst = 0.0
        for c, qp in enumerate(self.outputs):
            f = np.einsum("a,an->n", weights, self.images[:, :, c])
            G, rises, falls = self._gradient(c, f), *may_move(qp, self.alphas[c])
            for mine in _groups(qp):
                above, below = G[mine & rises], G[mine & falls]
                if above.size and below.size:
                    worst = max(worst, 0.5 * float(above.max() - below.min()))
            alone = qp.group < 0
            worst = max(worst, float(G[alone & rises].max(initial=0.0)), float((-G[alone & falls]).max(initial=0.0)))
        return Optimality(float(self.excess[weights > 0.0].max(initial=0.0)), worst)

    def best_weights(self, epsilon1: float, kernels: IntArray | None = None) -> tuple[FloatArray, float]:
        """The weights with the least epsilon_2, by the linear program of (OPT 3).

        Args:
            epsilon1: kernels whose J falls short of the largest by more get no weight.
            kernels: those that may have weight at all; None: every one.

        Returns:
            Weights of all kernels, shape (m,), and epsilon_2; infinite where no kernel may have weight.
        """
        m = len(self.excess)
        allowed = np.flatnonzero(self.excess <= epsilon1)
        if kernels is not None:
            allowed = np.intersect1d(allowed, kernels)
        weights = np.zeros(m)
        if not allowed.size:
            return weights, np.inf
        A, bound = self._inequalities(allowed)
        count, free = len(allowed), A.shape[1] - len(allowed) - 1
        cost = np.zeros(A.shape[1])
        cost[-1] = 1.0
        total = np.zeros((1, A.shape[1]))
        total[0, :count] = 1.0
        limits = [(0.0, None)] * count + [(None, None)] * free + [(0.0, None)]
        answer = linprog(cost, A_ub=A, b_ub=bound, A_eq=total, b_eq=[1.0], bounds=limits)
        if answer.x is None:
            return weights, np.inf
        weights[allowed] = np.maximum(answer.x[:count], 0.0)
        weights /= weights.sum()
        return weights, self.optimality(weights).epsilon2

    def sparser(self, weights: FloatArray, epsilon1: float, epsilon2: float) -> FloatArray:
        """Weights of fewer kernels with which (OPT 3) still holds, or these (section 3.4).

        Each kernel with weight, the lightest first, is left out if the linear program of the others has an epsilon_2
        that is small enough.
        """
        kept = np.flatnonzero(weights > 0.0)
        for a in kept[np.argsort(weights[kept], kind="stable")]:
            others = kept[kept != a]
            fewer, needed = self.best_weights(epsilon1, others)
            if needed <= epsilon2:
                kept, weights = np.flatnonzero(fewer > 0.0), fewer
        return weights

    def _gradient(self, c: int, f: FloatArray) -> FloatArray:
        """G of one output where K v is f (n,), shape (N,)."""
        qp = self.outputs[c]
        return _coefficients(qp) * (qp.gradient(self.alphas[c]) - qp.sign * f[qp.sample])

    def _inequalities(self, kernels: IntArray) -> tuple[sparse.csr_matrix, FloatArray]:
        """A x <= bound for x = (weights of these kernels, multipliers of all outputs, epsilon_2)."""
        blocks, bounds = [], []
        offsets = np.cumsum([0, *(len(qp.target) for qp in self.outputs)])
        for c, qp in enumerate(self.outputs):
            still = self._gradient(c, np.zeros(qp.n))
            slant = (_coefficients(qp) * qp.sign)[:, None] * self.images[kernels, :, c].T[qp.sample]
            member = sparse.csr_matrix(_membership(qp, int(offsets[c]), int(offsets[-1])))
            rises, falls = may_move(qp, self.alphas[c])
            for sign, mine in ((1.0, rises), (-1.0, falls)):
                one = -np.ones((int(mine.sum()), 1))
                blocks.append(sparse.hstack([sparse.csr_matrix(-sign * slant[mine]), -sign * member[mine], one]))
                bounds.append(-sign * still[mine])
        return sparse.vstack(blocks).tocsr(), np.concatenate(bounds)


def optimality(problem: Problem, alphas: Sequence[FloatArray], weights: FloatArray) -> Optimality:
    """The least (epsilon_1, epsilon_2) of dual variables with weights of the kernels, by (OPT 4).

    Args:
        problem: its leaves are finite lists.
        alphas: feasible dual variables, one array for each output.
        weights: of all kernels, >= 0, of sum 1, shape (m,): d_j^2 eta_j of the paper.

    Raises:
        InvalidOption: the weights are of another number, negative, or of another sum.
    """
    judged = Judged.of(problem, alphas)
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != judged.excess.shape or given.min() < 0.0 or abs(given.sum() - 1.0) > 1e-9:
        raise InvalidOption(
            f"weights: wanted {len(judged.excess)} numbers of at least 0 whose sum is 1, got {weights!r}"
        )
    return judged.optimality(given)


def may_move(qp: DualQP, alpha: FloatArray) -> tuple[BoolArray, BoolArray]:
    """Which u_i = coefficient_i alpha_i may rise, and which may fall."""
    rises, falls = alpha < qp.upper, alpha > qp.lower
    turned = _coefficients(qp) < 0.0
    return np.where(turned, falls, rises), np.where(turned, rises, falls)


def _coefficients(qp: DualQP) -> FloatArray:
    """1 where a variable is in no equality."""
    return np.where(qp.group >= 0, qp.coefficient, 1.0)


def _groups(qp: DualQP) -> Iterator[BoolArray]:
    return (qp.group == g for g in range(len(qp.target)))


def _membership(qp: DualQP, first: int, count: int) -> FloatArray:
    """1 where a variable is in the equality of a multiplier, shape (N, count); those of this output begin at first."""
    found = np.zeros((qp.size, count))
    for g, mine in enumerate(_groups(qp)):
        found[mine, first + g] = 1.0
    return found
