"""In which units targets are learned, and which of them: a constant target says nothing of a kernel that all share."""

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray


@attrs.frozen(eq=False)
class TargetFrame:
    """How given targets become those that are learned.

    Attributes:
        constant: the value of each given target that is constant, 0 of the others, shape (c,).
        learned: the places of those that are learned, shape (c',).
        unit: by which these are divided, shape (c',); 0 of a constant one, which is learned as 0 where there are no
            others.
    """

    constant: FloatArray
    learned: IntArray
    unit: FloatArray

    def framed(self, values: FloatArray) -> FloatArray:
        """What is linear in the given targets, shape (..., c), for those that are learned, shape (..., c')."""
        found = values[..., self.learned]
        return np.divide(found, self.unit, out=np.zeros(found.shape), where=self.unit > 0.0)

    def given(self, values: FloatArray) -> FloatArray:
        """What is linear in the targets that are learned, shape (..., c'), for all that were given, shape (..., c)."""
        return self.everywhere(values * self.unit)

    def everywhere(self, values: FloatArray) -> FloatArray:
        """Values of the targets that are learned, shape (..., c'), with 0 for the others, shape (..., c)."""
        found = np.zeros((*values.shape[:-1], len(self.constant)))
        found[..., self.learned] = values
        return found
