"""Where the weights move: against the reduced gradient, in the metric of the last steps."""

import attrs
import numpy as np

from kernelopt.plugin import BoolArray, FloatArray

_CURVED = 1e-10
"""A step says something of the curvature where its cosine with the gradient's change exceeds this."""


@attrs.frozen(eq=False)
class Memory:
    """The last steps of the weights, and what they changed in the gradient.

    Attributes:
        steps, changes: shape (k, M), the latest last.
    """

    steps: FloatArray
    changes: FloatArray

    @classmethod
    def empty(cls, size: int) -> "Memory":
        """Of nothing, for so many weights."""
        return cls(np.zeros((0, size)), np.zeros((0, size)))

    def joined(self, step: FloatArray, change: FloatArray, most: int) -> "Memory":
        """With one step more, and the earliest forgotten where there are more than `most`."""
        steps, changes = np.vstack([self.steps, step]), np.vstack([self.changes, change])
        first = max(len(steps) - most, 0)
        return Memory(steps[first:], changes[first:])

    def turned(self, slopes: FloatArray, free: BoolArray, pivot: int) -> FloatArray:
        """The inverse curvature times a reduced gradient on the free weights, shape (number of free weights,).

        L-BFGS's two loops, Nocedal (1980), in the coordinates that are left when the pivot's weight is 1 less the
        others.
        """
        steps, changes = self.steps[:, free], (self.changes - self.changes[:, [pivot]])[:, free]
        curved = np.sum(steps * changes, axis=1)
        known = curved > _CURVED * np.linalg.norm(steps, axis=1) * np.linalg.norm(changes, axis=1)
        steps, changes, curved = steps[known], changes[known], curved[known]
        direction, shares = slopes.copy(), np.zeros(len(steps))
        for k in reversed(range(len(steps))):
            shares[k] = steps[k] @ direction / curved[k]
            direction -= shares[k] * changes[k]
        if len(steps):
            direction *= curved[-1] / float(changes[-1] @ changes[-1])
        for k in range(len(steps)):
            direction += (shares[k] - changes[k] @ direction / curved[k]) * steps[k]
        return direction


def downhill(w: FloatArray, slopes: FloatArray, memory: Memory) -> FloatArray:
    """A direction of sum 0 in which the value falls and no weight at 0 does.

    The largest weight takes up what the others give and take: Rakotomamonjy, Bach, Canu and Grandvalet (2008),
    equation (12), which is what an empty memory gives.
    """
    pivot = int(np.argmax(w))
    reduced = slopes - slopes[pivot]
    free = (w > 0.0) | (reduced < 0.0)
    free[pivot] = False
    while free.any():
        direction = np.zeros_like(w)
        direction[free] = -memory.turned(reduced[free], free, pivot)
        outward = free & (w == 0.0) & (direction < 0.0)
        if not outward.any():
            break
        free &= ~outward
    if not free.any() or not float(direction @ reduced) < 0.0:
        direction = np.where((w == 0.0) & (reduced > 0.0), 0.0, -reduced)
    return balanced(direction, pivot)


def balanced(direction: FloatArray, pivot: int) -> FloatArray:
    """The direction with the pivot's entry such that the sum is 0."""
    direction[pivot] = 0.0
    direction[pivot] = -direction.sum()
    return direction


def reach(w: FloatArray, direction: FloatArray) -> tuple[float, int]:
    """How far a direction can be followed, and the weight that then is 0."""
    falling = np.flatnonzero(direction < 0.0)
    lengths = -w[falling] / direction[falling]
    first = int(np.argmin(lengths))
    return float(lengths[first]), int(falling[first])
