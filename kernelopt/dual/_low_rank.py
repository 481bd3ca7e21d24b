"""The best dual variables for a Gram that is held as thin factors: nothing n x n is formed."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._dual_qp import Dual, DualQP
from kernelopt._linalg._gram import LowRank
from kernelopt.dual._decomposition import by_blocks, worst_block
from kernelopt.dual._engine import DEFAULT
from kernelopt.dual._feasibility import cold, repair
from kernelopt.dual._interior import interior
from kernelopt.dual._linear import is_free, stationary
from kernelopt.dual._request import Asked, PrimalAt, best_of, gap, until


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
    one, or where the blocks get nowhere, by an interior point whose step is one QR of the scaled factors.

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
    """Blocks of a quarter of the samples, until two of them in a row leave more than half of the gap."""
    most = min(-(-asked.qp.n // 4), 4000)
    last = [np.inf, np.inf]
    for dual in by_blocks(asked.qp, gram, asked.primal, start, asked.accuracy, partial(worst_block, most=most)):
        yield dual
        if gap(dual) > 0.5 * last[0]:
            return
        last = [last[1], gap(dual)]
