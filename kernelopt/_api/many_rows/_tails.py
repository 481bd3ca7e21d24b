"""What new targets are like about what is predicted of them, where all rows are summed up over features."""

import numpy as np

from kernelopt._api._validate import Request
from kernelopt._api.many_rows._asked import evidence_of
from kernelopt._api.many_rows._fit import Fit
from kernelopt._base._copies import sets_of_copies
from kernelopt._base._typing import FloatArray
from kernelopt._evidence._heavy_tails import deviation_of, heavy_degrees
from kernelopt._families._feature_rows import HeldRows
from kernelopt._prediction._posterior import Posterior
from kernelopt._prediction._posterior_of import with_degrees
from kernelopt._prediction._predictor import Predictor

_FEWEST = 20
"""Fewer rows do not say how far the farthest lie: a guard."""
_LOOKED_AT = 1000
"""So many rows say it: a guard, for time."""


def degrees_of(
    request: Request, rows: HeldRows, away: FloatArray, function: FloatArray, noise: FloatArray
) -> float | None:
    """The degrees of freedom of one target about what others say of it, as `heavy_degrees` finds them; None is
    Gaussian, as of several targets, of rows in groups and of weights that count copies, which agree exactly.

    Args:
        request: what was asked for.
        rows: some rows.
        away: what others leave of their targets, shape (k, c).
        function: the variance of the function there, as others tell of it, shape (k,).
        noise: the variance of a target about it, shape (k,).
    """
    copied = evidence_of(request).weights == "copies" and bool((rows.weight > 1.0).any())
    if away.shape[1] > 1 or request.training.grouped or copied or rows.n < _FEWEST:
        return None
    return heavy_degrees(away, deviation_of(function, noise), rows.weight, sets_of_copies(rows.features.X))


def tailed_by_landmarks(request: Request, fit: Fit, posterior: Posterior, predictor: Predictor) -> Posterior:
    """How sure one number is that landmarks predict, with the tails that rows tell which are left out one at a time."""
    few = fit.few
    rows = few.only(np.unique(np.linspace(0, few.n - 1, min(few.n, _LOOKED_AT)).round().astype(np.intp)))
    mean, tau = fit.mean(), fit.tau
    known = mean.known(rows)
    missing = posterior.unknown(predictor, rows.features.X) - tau * known
    function = np.maximum(missing, 0.0) + tau * known / (1.0 - known)
    degrees = degrees_of(request, rows, mean.left_out(rows), function, np.full(rows.n, tau))
    found = with_degrees(posterior, degrees)
    assert found is not None
    return found
