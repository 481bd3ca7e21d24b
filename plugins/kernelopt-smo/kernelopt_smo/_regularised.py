"""The Moreau-Yosida regularised support kernel machine itself, with fixed parameters."""

import attrs
import numpy as np

from kernelopt.plugin import Budget, FloatArray, InvalidOption, Problem
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


def regularised(
    problem: Problem, a: float | FloatArray, d: float | FloatArray, *, accuracy: float = 1e-8
) -> Regularised:
    """The regularised problem, by SMO on all rows and kernels.

        min over w       1/2 (sum_j d_j |w_j|)^2 + 1/2 sum_j a_j^2 |w_j|^2 + loss
        max over alpha   h(alpha) - psi(q),    q_j = v'K_j v

    Bach, Lanckriet and Jordan (2004), problem (R). With d = 0 it is the machine of the kernel sum_j K_j / a_j^2.

    Args:
        problem: its leaves are finite lists.
        a: the paper's a_j, > 0: one number for all kernels, or one for each, shape (m,).
        d: the paper's d_j, >= 0: one number for all kernels, or one for each, shape (m,).
        accuracy: the violation of optimality to reach, as a share of the gradient's size at alpha = 0.

    Raises:
        InvalidOption: a or d is out of its range, or has another length.
    """
    pool = Pool.of(problem)
    smoothing = Smoothing(_for_each("a", a, len(pool), above=True) ** 2, _for_each("d", d, len(pool), above=False))
    kernels = np.arange(len(pool))
    play = gathered(pool, kernels, np.arange(problem.n))
    points = problem.points(tuple(np.zeros(qp.size) for qp in problem.outputs))
    V = np.column_stack([point.v for point in points])
    F = np.ascontiguousarray(pool.images(V).transpose(0, 2, 1))
    alphas = tuple(point.alpha for point in points)
    start = Point(play.load(problem.outputs, alphas), V.sum(axis=0), F, np.einsum("mcn,nc->m", F, V))
    end = climbed(play, start, smoothing, accuracy * float(np.abs(play.linear).max()), Budget())
    alphas = play.store(problem.outputs, alphas, end.u)
    at = weighed(end.q, smoothing)
    h = sum(qp.h(alpha) for qp, alpha in zip(problem.outputs, alphas, strict=True))
    return Regularised(h - at.psi, at.eta, alphas)


def _for_each(name: str, value: float | FloatArray, m: int, *, above: bool) -> FloatArray:
    """One number for each of m kernels, above 0 or at least 0.

    Raises:
        InvalidOption: it is not.
    """
    numbers = np.asarray(value, dtype=np.float64)
    if numbers.shape not in ((), (m,)):
        raise InvalidOption(f"{name}: got shape {numbers.shape}, wanted one number, or one for each of the {m} kernels")
    if not np.isfinite(numbers).all() or numbers.min() < 0.0 or (above and numbers.min() == 0.0):
        raise InvalidOption(f"{name}: wanted finite numbers {'above' if above else 'of at least'} 0, got {value!r}")
    return np.array(np.broadcast_to(numbers, m))
