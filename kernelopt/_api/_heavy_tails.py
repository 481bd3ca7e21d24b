"""What new targets are like about what is predicted of them, by what was learned with Gaussian noise of one size."""

import attrs

from kernelopt._api._learned import Learned
from kernelopt._api._outlier_signs import own_weights
from kernelopt._base._copies import sets_of_copies
from kernelopt._evidence._counting import weight_of, whole_noise
from kernelopt._evidence._heavy_tails import deviation_of, heavy_degrees
from kernelopt._evidence._student import Residuals

_FEWEST = 20
"""Fewer rows do not say how far the farthest lie: a guard."""


def tailed(gaussian: Learned, residuals: Residuals) -> Learned:
    """The same, where one target that lies about its predictions as Student's t is predicted so.

    Args:
        gaussian: what was learned of rows that are no groups, for a row says nothing of the tails of new groups.
        residuals: what it leaves of the targets.
    """
    request, problem = gaussian.request, gaussian.problem
    if len(problem.outputs) > 1 or request.training.grouped or problem.n < _FEWEST:
        return gaussian
    noise = whole_noise(problem, gaussian.done.bounds.response.mixture) / weight_of(problem)
    deviation = deviation_of(residuals.variance - noise, widened_by(gaussian) * noise)
    alike = sets_of_copies(request.training.told_apart)
    return attrs.evolve(gaussian, degrees=heavy_degrees(residuals.away, deviation, own_weights(request), alike))


def widened_by(gaussian: Learned) -> float:
    """How many times the noise that was learned is that which held-out rows ask for, >= 1."""
    noise = whole_noise(gaussian.problem, gaussian.done.bounds.response.mixture)
    return max(1.0, (gaussian.unseen.noise or 0.0) / noise)
