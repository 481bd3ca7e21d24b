"""The best dual variables for a Gram of features that are gone over block by block: nothing of n x r need be held."""

from collections.abc import Callable, Iterator

import numpy as np
from scipy.linalg import LinAlgError

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._dual_qp import Dual, DualQP
from kernelopt._families.features._row_lists import Union, held
from kernelopt._linalg._tall import Rowwise, Tall, Weighed
from kernelopt.dual._engine import DEFAULT
from kernelopt.dual._feasibility import cold
from kernelopt.dual._hull import Hull
from kernelopt.dual._hull_levels import advanced, begun
from kernelopt.dual._request import Asked, PrimalAt, best_of, until


def maximise_by_rows(
    qp: DualQP,
    gram: Rowwise,
    primal: PrimalAt,
    warm: FloatArray | None = None,
    *,
    accuracy: float = 1e-6,
    max_seconds: float | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Dual:
    """As `maximise`, with memory for some vectors of n numbers: the interior point of `Hull` with one kernel in it.

    Args:
        qp: the dual set.
        gram: K, computed by blocks of rows.
        primal: as in `maximise`.
        warm: what may be good enough already, shape (N,); else the middle of the box is the better start.
        accuracy: relative.
        max_seconds: wall clock.
        cancelled: asked between steps.

    Returns:
        The best alpha met; `converged` says whether the accuracy was reached.
    """
    p = np.concatenate([term.p for term in gram.terms])
    features = held(Union(tuple(term.features for term in gram.terms), np.sqrt(p)))
    near = Rowwise((Weighed(features, np.ones(len(p))),))
    asked = Asked(qp, near, near.diag(), primal, accuracy, until(max_seconds, cancelled))
    return best_of(_candidates(asked, features, warm), asked.over)


def _candidates(asked: Asked, features: Tall, warm: FloatArray | None) -> Iterator[Dual]:
    yield asked.answer(cold(asked.qp) if warm is None else warm)[0]
    hull = Hull.of((asked.qp,), features, np.zeros(features.width, dtype=np.intp), 1)
    try:
        stage = begun(hull, asked.over)
        for _ in range(DEFAULT.interior_steps):
            stage = advanced(stage, asked.over)
            yield asked.answer(stage.alpha)[0]
    except LinAlgError:
        return
