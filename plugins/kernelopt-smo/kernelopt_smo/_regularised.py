"""The Moreau-Yosida regularised support kernel machine itself, with fixed parameters."""

import attrs
import numpy as np

from kernelopt.plugin import Budget, FloatArray, Problem
from kernelopt_smo._active_block import gathered
from kernelopt_smo._iterate import Point, Smoothing, weighed
from kernelopt_smo._pooled_kernels import Pool
from kernelopt_smo._stage import climbed


@attrs.frozen(eq=False)
class Regularised:
    """An answer to the regularised problem.

    Attributes:
        value: the optimum, from below; it bounds nothing of the problem that is not regularised.
        eta: the weight of each kernel at the optimum, shape (m,); their sum need not be 1.
        alphas: dual variables of each output, feasible.
    """

    value: float
    eta: FloatArray
    alphas: tuple[FloatArray, ...]


def regularised(problem: Problem, a: float, d: float, *, accuracy: float = 1e-8) -> Regularised:
    """The regularised problem, by SMO on all rows and kernels.

        min over w       1/2 (sum_j d |w_j|)^2 + 1/2 sum_j a^2 |w_j|^2 + loss
        max over alpha   h(alpha) - psi(q),    q_j = v'K_j v

    Bach, Lanckriet and Jordan (2004), problem (R). With d = 0 it is the machine of the kernel sum_j K_j / a^2.

    Args:
        problem: its leaves are finite lists.
        a: the paper's a_j, the same for all kernels, > 0.
        d: the paper's d_j, the same for all kernels, >= 0.
        accuracy: the violation of optimality to reach, as a share of the gradient's size at alpha = 0.
    """
    pool = Pool.of(problem)
    kernels = np.arange(len(pool))
    play = gathered(pool, kernels, np.arange(problem.n))
    points = problem.points(tuple(np.zeros(qp.size) for qp in problem.outputs))
    V = np.column_stack([point.v for point in points])
    F = np.ascontiguousarray(pool.images(V).transpose(0, 2, 1))
    alphas = tuple(point.alpha for point in points)
    start = Point(play.load(problem.outputs, alphas), V.sum(axis=0), F, np.einsum("mcn,nc->m", F, V))
    smoothing = Smoothing(a * a, d)
    end = climbed(play, start, smoothing, accuracy * float(np.abs(play.linear).max()), Budget())
    alphas = play.store(problem.outputs, alphas, end.u)
    at = weighed(end.q, smoothing)
    h = sum(qp.h(alpha) for qp, alpha in zip(problem.outputs, alphas, strict=True))
    return Regularised(h - at.psi, at.eta, alphas)
