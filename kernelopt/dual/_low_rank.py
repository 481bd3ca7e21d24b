"""The best dual variables for a Gram that is held as thin factors: nothing n x n is formed."""

from collections.abc import Callable, Iterator

import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._criteria._dual_qp import Dual, DualQP
from kernelopt._criteria._kkt import between_bounds
from kernelopt._linalg._gram import LowRank
from kernelopt.dual._decomposition import by_blocks, worst_block
from kernelopt.dual._engine import DEFAULT
from kernelopt.dual._feasibility import cold, repair
from kernelopt.dual._interior import interior
from kernelopt.dual._linear import is_free, stationary
from kernelopt.dual._request import Asked, PrimalAt, best_of, gap, until

_LEAST, _MOST = 500, 4000
"""Samples to a block, unless a quarter of all is fewer."""


def maximise_thin(
    qp: DualQP,
    gram: LowRank,
    primal: PrimalAt,
    warm: FloatArray | None = None,
    *,
    accuracy: float = 1e-6,
    max_seconds: float | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Dual:
    """As `maximise`, in O(n r) memory for factors of r columns.

    From a warm start by blocks of samples while each shrinks the gap well: few variables are free then. From a cold
    one, or where the blocks get nowhere, by an interior point whose step is one factorisation of the scaled factors.

    Args:
        qp: the dual set.
        gram: K = F F' + ridge I.
        primal: as in `maximise`.
        warm: where to start, shape (N,).
        accuracy: relative.
        max_seconds: wall clock.
        cancelled: asked between blocks and steps.

    Returns:
        The best alpha met; `converged` says whether the accuracy was reached.
    """
    asked = Asked(qp, gram, gram.diag(), primal, accuracy, until(max_seconds, cancelled))
    return best_of(_candidates(asked, gram, warm), asked.over)


def _candidates(asked: Asked, gram: LowRank, warm: FloatArray | None) -> Iterator[Dual]:
    qp = asked.qp
    if is_free(qp):
        yield asked.answer(stationary(qp, gram))[0]
        return
    yield asked.answer(cold(qp) if warm is None else warm)[0]
    if warm is not None:
        yield from _blocks(asked, gram, repair(qp, warm))
    for alpha in interior(qp, gram, DEFAULT.interior_steps):
        yield asked.answer(alpha)[0]


def _blocks(asked: Asked, gram: LowRank, start: FloatArray) -> Iterator[Dual]:
    """Blocks of the free samples and as many others, until two in a row leave more than half of the gap.

    They end, too, where more variables are free than a block holds.
    """
    last = [np.inf, np.inf]
    for dual in by_blocks(asked.qp, gram, asked.primal, start, asked.accuracy, _few):
        yield dual
        if gap(dual) > 0.5 * last[0] or _free(asked.qp, dual.alpha) > _most(asked.qp):
            return
        last = [last[1], gap(dual)]


def _few(qp: DualQP, alpha: FloatArray, f: FloatArray) -> IntArray:
    """The samples to work on next: a block, and fewer where few variables are free."""
    return worst_block(qp, alpha, f, min(max(2 * _free(qp, alpha), _LEAST), _most(qp)))


def _most(qp: DualQP) -> int:
    """The samples of a block, at most: a quarter of all."""
    return min(-(-qp.n // 4), _MOST)


def _free(qp: DualQP, alpha: FloatArray) -> int:
    """How many variables are strictly between their bounds."""
    return int(np.count_nonzero(between_bounds(qp, alpha)))
