"""What new targets are like about what is predicted of them, where the noise has one size."""

import attrs

from kernelopt._api._learned import UNPROVED, Learned
from kernelopt._base._copies import sets_of_copies
from kernelopt._base._typing import FloatArray
from kernelopt._evidence._counting import counted, weight_of, whole_noise
from kernelopt._evidence.noise._heavy_tails import FEWEST, Left, Tail, heavy_tail
from kernelopt._evidence.noise._student import Residuals, heavy_noise, residuals_of
from kernelopt._prediction._tails import degrees_of_new


def tailed(found: Learned, residuals: Residuals | None = None) -> Learned:
    """The same, where targets of rows that are left out say how new ones lie about what is predicted of them.

    Args:
        found: what was learned with noise of one size, Gaussian or Student's t; of rows that are groups, none says what
            targets of new groups are like.
        residuals: what it leaves of the targets, where that is known.
    """
    known = found.problem.n >= FEWEST and found.done.status not in UNPROVED
    if not known or len(found.problem.outputs) > 1 or found.request.training.grouped:
        return found
    own = counted(found.own[:, None], "relative")
    if residuals is None:
        residuals = residuals_of(found.problem, found.done.bounds.response, own)
    return found if residuals is None else attrs.evolve(found, tail=_tail(found, residuals, own))


def _tail(found: Learned, residuals: Residuals, own: FloatArray) -> Tail:
    """By what it leaves of the targets of rows with these weights (n,)."""
    here = whole_noise(found.problem, found.done.bounds.response.mixture) / weight_of(found.problem)
    noise = widened_by(found) * _noise(found) / own
    alike = sets_of_copies(found.request.training.told_apart)
    left = Left(residuals.away, residuals.variance - here, noise, own, alike)
    return heavy_tail(left, None if found.tails is None else degrees_of_new(found.tails.degrees))


def widened_by(found: Learned) -> float:
    """How many times the noise that was learned is that which held-out rows ask for, >= 1."""
    return max(1.0, (found.unseen.noise or 0.0) / _noise(found))


def _noise(found: Learned) -> float:
    """The variance of the noise of a new row that counts once, as it was learned."""
    mixture = found.done.bounds.response.mixture
    if found.tails is None:
        return whole_noise(found.problem, mixture)
    return heavy_noise(found.problem, mixture, found.tails, found.own)
