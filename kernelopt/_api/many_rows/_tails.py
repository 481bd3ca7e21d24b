"""What new targets are like about what is predicted of them, where all rows are summed up over features."""

import attrs
import numpy as np

from kernelopt._api._validate import Request
from kernelopt._api.many_rows._asked import evidence_of
from kernelopt._api.many_rows._fit import Fit, given_weights
from kernelopt._base._copies import sets_of_copies
from kernelopt._base._typing import FloatArray
from kernelopt._evidence._summed_mean import own_share
from kernelopt._evidence.noise._heavy_tails import FEWEST, Left, Tail, heavy_tail
from kernelopt._families.features._feature_rows import HeldRows
from kernelopt._prediction._posterior import Posterior, Thin
from kernelopt._prediction._posterior_of import Features, with_noise
from kernelopt._prediction._predictor import Predictor
from kernelopt._prediction._uneven import Uneven

_LOOKED_AT = 1000
"""So many rows say it: a guard, for time."""


def tailed_by_landmarks(request: Request, fit: Fit, posterior: Thin, predictor: Predictor) -> Posterior:
    """How sure one number is that landmarks predict, with the tails that rows tell which are left out one at a time."""
    few = fit.few
    rows = few.only(np.unique(np.linspace(0, few.n - 1, min(few.n, _LOOKED_AT)).round().astype(np.intp)))
    mean, tau = fit.mean(), fit.tau
    known = mean.known(rows)
    missing = np.maximum(posterior.unknown(predictor, rows.features.X) - tau * known, 0.0)
    own = own_share(known, rows.weight)
    away = (rows.y - rows.features.image(mean.coefficients)) / (1.0 - own)[:, None]
    return told_by(request, fit, posterior, rows, away, missing + tau * known / (1.0 - own))


def told_by(
    request: Request, fit: Fit, posterior: Features, rows: HeldRows, away: FloatArray, function: FloatArray
) -> Posterior:
    """How sure one number is, with the tails that rows tell, as `heavy_tail` finds them, and with the noise of each row
    where that differs.

    Rows in groups, and weights that count copies, which agree exactly, tell of no tails: new targets are then about
    what is predicted as the noise that was learned.

    Args:
        request: what was asked for.
        fit: what was learned of all rows.
        posterior: with noise of one size.
        rows: some rows.
        away: what others leave of their targets, shape (k, 1).
        function: the variance of the function there, as others tell of it, shape (k,).
    """
    copied = evidence_of(request).weights == "copies" and bool((rows.weight > 1.0).any())
    tail = Tail(fit.degrees)
    if not (request.training.grouped or copied or rows.n < FEWEST):
        weight = rows.weight if fit.degrees is None else given_weights(request)[rows.places]
        alike = sets_of_copies(rows.features.X)
        left = Left(away, function, posterior.noise / weight, np.ones(rows.n), alike)
        tail = heavy_tail(left, fit.degrees, narrower=True)
    each = None if fit.belief is None else fit.belief.noise
    found = with_noise(posterior, tail.times, tail.degrees, tail.spread)
    if each is None:
        return found
    return attrs.evolve(Uneven.of(found, attrs.evolve(each, degrees=tail.degrees)), spread=tail.spread)
