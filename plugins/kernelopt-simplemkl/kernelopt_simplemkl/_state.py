"""Where a descent stands."""

from collections.abc import Sequence

import attrs

from kernelopt.plugin import FloatArray, State
from kernelopt_simplemkl._cutting_planes import Alphas, Plane
from kernelopt_simplemkl._direction import Memory

_POINTS = 16
"""Dual points that are remembered. Worth: `constants.py simplemkl.points`."""


@attrs.frozen(eq=False)
class DescentState(State):
    """The weights, with what the last steps told.

    Attributes:
        w: of all atoms of all leaves, shape (M,); the response is that to their kernel.
        slopes: the gradient of the value in them, shape (M,).
        memory: of the last steps.
        accuracy: the relative gap to which the responses are asked for.
        points: the dual variables of the last responses, those of either side of a line search's minimum included,
            that have no plane yet.
        planes: of the dual points that were remembered where no step led lower; none before that.
        kinked: whether the next step looks at the planes at once.
    """

    w: FloatArray = attrs.field(kw_only=True)
    slopes: FloatArray = attrs.field(kw_only=True)
    memory: Memory = attrs.field(kw_only=True)
    accuracy: float = attrs.field(kw_only=True)
    points: tuple[Alphas, ...] = attrs.field(kw_only=True)
    planes: tuple[Plane, ...] = attrs.field(kw_only=True, default=())
    kinked: bool = attrs.field(kw_only=True, default=False)

    def remembering(self, points: Sequence[Alphas]) -> "DescentState":
        """With these dual points too, and the earliest forgotten."""
        return attrs.evolve(self, points=(*self.points, *points)[-_POINTS:])

    def succeeding(self, other: "DescentState") -> "DescentState":
        """With the dual points of a state on another list too: they say something of these kernels as well."""
        known = (*(plane.alphas for plane in other.planes), *other.points)
        return attrs.evolve(self, points=known).remembering(self.points)
