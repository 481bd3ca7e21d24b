"""The best dual variables for a given kernel: SMO in growing chunks, then an interior point; certified throughout.

The interior point is given thin factors first, where few columns span the Gram.
"""

from collections.abc import Callable, Iterator

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._dual_qp import Dual, DualQP
from kernelopt._linalg._gram import Dense, Gram, LowRank
from kernelopt._linalg._pivots import pivoted
from kernelopt.dual._ascent import ascent
from kernelopt.dual._feasibility import cold
from kernelopt.dual._interior import interior
from kernelopt.dual._linear import is_free, stationary
from kernelopt.dual._request import Asked, PrimalAt, best_of, until

_LEFT_OUT = 1e-6
"""What thin factors may leave out of a Gram, as a share of its largest entry and of the accuracy asked for."""
_MANY = 1000
"""Rows from which on thin factors are tried.
Worth: `constants.py dual.many`."""


@attrs.frozen
class Engine:
    """Options of the inner solver.

    Attributes:
        patience: SMO work before the interior point takes over, in Cholesky factorisations of the Gram; less where
            the gap's course says that this would not be enough.
        interior_steps: the most steps of the interior point; 0 for SMO alone.
        chunk_work: table entries that one compiled call may visit, at most about a second's work; Ctrl-C waits for
            its end.
        growth: each chunk may take this many times the steps of the one before.
    """

    patience: float = attrs.field(default=16.0, validator=attrs.validators.ge(0.0))
    interior_steps: int = attrs.field(default=60, validator=attrs.validators.ge(0))
    chunk_work: float = attrs.field(default=5e8, validator=attrs.validators.gt(0.0))
    growth: float = attrs.field(default=1.5, validator=attrs.validators.ge(1.0))


DEFAULT = Engine()


def maximise(
    qp: DualQP,
    gram: Gram,
    primal: PrimalAt,
    warm: FloatArray | None = None,
    *,
    accuracy: float = 1e-6,
    max_seconds: float | None = None,
    cancelled: Callable[[], bool] | None = None,
    options: Engine = DEFAULT,
) -> Dual:
    """Maximise h(alpha) - 1/2 v'Kv over the dual set until the certified gap is at most accuracy * the value.

    The work is bounded: when SMO has spent what `options.patience` allows, an interior point, which does not depend
    on the conditioning of K, finishes. A deadline that passes first leaves wider bounds, and true ones. A dual set
    without bounds and equalities takes one linear solve.

    Args:
        qp: the dual set.
        gram: K, positive semidefinite up to rounding.
        primal: U at (v, f = K v): a valid upper bound for any v, and the multipliers that attain it.
        warm: where to start, shape (N,); any vector, feasible or not.
        accuracy: relative to the larger of the two bounds.
        max_seconds: wall clock; looked at between chunks of about a second.
        cancelled: asked between chunks.
        options: of the method.

    Returns:
        The best alpha met, exactly feasible; `converged` says whether the accuracy was reached.
    """
    asked = Asked(qp, gram, gram.diag(), primal, accuracy, until(max_seconds, cancelled))
    return best_of(_candidates(asked, cold(qp) if warm is None else warm, options), asked.over)


def _candidates(asked: Asked, start: FloatArray, options: Engine) -> Iterator[Dual]:
    """The start, SMO's chunks, then the interior point's steps; each certified. One linear solve if nothing binds."""
    if is_free(asked.qp):
        yield asked.answer(stationary(asked.qp, asked.gram))[0]
        return
    if isinstance(asked.gram, Dense):
        asked = asked.formed()
    dual, f = asked.answer(start)
    yield dual
    asked = asked.formed()
    assert asked.K is not None
    K = asked.K
    if options.patience > 0.0:
        yield from ascent(
            asked, K, dual, f, patience=options.patience, chunk_work=options.chunk_work, growth=options.growth
        )
    for gram in _stand_ins(asked, K):
        for alpha in interior(asked.qp, gram, options.interior_steps):
            yield asked.answer(alpha)[0]


def _stand_ins(asked: Asked, K: FloatArray) -> Iterator[Gram]:
    """What the interior point is given for K (n, n): thin factors where few columns span it, and then K itself.

    With n / 6 columns a step takes a fraction of the time. The gap is always that of K, whatever the factors leave out.
    """
    n = len(K)
    factor = pivoted(K.__getitem__, asked.d, n // 6, max(_LEFT_OUT * asked.accuracy, 1e-14)) if n >= _MANY else None
    if factor is not None:
        yield LowRank(np.ascontiguousarray(factor.T))
    yield Dense(K)
