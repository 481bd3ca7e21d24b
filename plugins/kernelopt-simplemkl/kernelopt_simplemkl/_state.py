"""Where a descent stands."""

from typing import TypeAlias

import attrs

from kernelopt.plugin import FloatArray, Response, State
from kernelopt_simplemkl._direction import Memory

_POINTS = 16
"""Dual points that are remembered."""

Alphas: TypeAlias = tuple[FloatArray, ...]
"""Dual variables, one array for each output."""


@attrs.frozen(eq=False)
class DescentState(State):
    """The weights, with what the last steps told.

    Attributes:
        w: of all atoms of all leaves, shape (M,); the response is that to their kernel.
        slopes: the gradient of the value in them, shape (M,).
        memory: of the last steps.
        accuracy: the relative gap to which the responses are asked for.
        points: the dual variables of the last responses, those of either side of a line search's minimum included.
    """

    w: FloatArray = attrs.field(kw_only=True)
    slopes: FloatArray = attrs.field(kw_only=True)
    memory: Memory = attrs.field(kw_only=True)
    accuracy: float = attrs.field(kw_only=True)
    points: tuple[Alphas, ...] = attrs.field(kw_only=True)

    def remembering(self, points: list[Alphas]) -> "DescentState":
        """With these dual points too, and the earliest forgotten."""
        return attrs.evolve(self, points=(*self.points, *points)[-_POINTS:])


def alphas_of(response: Response) -> Alphas:
    """The dual variables of each output."""
    return tuple(dual.alpha for dual in response.duals)
