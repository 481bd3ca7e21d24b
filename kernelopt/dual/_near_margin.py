"""The best dual variables for a sum of Grams that is not formed: on the samples near the margin, certified on all."""

from collections.abc import Callable
from functools import partial
from itertools import islice

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._dual_qp import Dual, DualQP
from kernelopt._criteria._kkt import near_margin
from kernelopt._linalg._gram_sum import Sum
from kernelopt.dual._decomposition import ROUNDS, by_blocks
from kernelopt.dual._feasibility import cold, repair
from kernelopt.dual._request import PrimalAt, best_of, until


def maximise_near(
    qp: DualQP,
    gram: Sum,
    primal: PrimalAt,
    warm: FloatArray | None = None,
    *,
    accuracy: float = 1e-6,
    max_seconds: float | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Dual:
    """As `maximise`, from a start that is nearly right: nothing n x n is formed where few samples are near the margin.

        f = K v;  repeat  W = the samples that the margin does not hold;  maximise over W, the others fixed;  update f

    Args:
        qp: the dual set.
        gram: K, of which the block on W is formed.
        primal: as in `maximise`.
        warm: where to start, shape (N,).
        accuracy: relative.
        max_seconds: wall clock.
        cancelled: asked between blocks.

    Returns:
        The best alpha met; `converged` says whether the accuracy was reached.
    """
    start = repair(qp, cold(qp) if warm is None else warm)
    steps = by_blocks(qp, gram, primal, start, accuracy, partial(near_margin, band=1))
    return best_of(islice(steps, ROUNDS), until(max_seconds, cancelled))
