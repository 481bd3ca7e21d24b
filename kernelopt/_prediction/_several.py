"""How sure several targets are predicted by one kernel, where each has a noise and a size of its own."""

import attrs
import numpy as np

from kernelopt._base._target_frame import TargetFrame
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._prediction._own_noise import OwnNoise
from kernelopt._prediction._posterior import Posterior
from kernelopt._prediction._predictor import Predictor
from kernelopt._prediction._scope import Scope


@attrs.frozen(eq=False)
class Several(Posterior):
    """The variance of target c is size_c times that of a target of the kernel with one of a few noises, which_c.

    Attributes:
        noise: the variance of the noise that was learned for all targets together, > 0.
        each: how sure a target is with each of the noises that targets have.
        which: the place of each target's noise among these, shape (c,).
        size: of each target's function and noise, >= 0, shape (c,).
        degrees, scope, unit, excess: as of any posterior.
    """

    noise: float
    each: tuple[Posterior, ...]
    which: IntArray
    size: FloatArray
    degrees: float | None = None
    scope: Scope | None = None
    unit: FloatArray | None = None
    excess: float = 0.0

    @classmethod
    def of(cls, noise: float, each: tuple[Posterior, ...], own: OwnNoise, degrees: float | None) -> "Several":
        """With a posterior for each different ratio of the targets' own noise, in ascending order."""
        return cls(noise, each, np.unique(own.ratio, return_inverse=True)[1], own.size, degrees)

    def everywhere(self, frame: TargetFrame) -> "Several":
        """The same of all targets that were given: of those that are not learned the size is 0."""
        which = frame.everywhere(self.which.astype(np.float64)).astype(np.intp)
        return attrs.evolve(self, which=which, size=frame.everywhere(self.size))

    def deviation(self, machine: Predictor, Z: FloatArray) -> FloatArray:
        every = np.column_stack([one.deviation(machine, Z) for one in self.each])
        return np.asarray(np.sqrt(self.size) * every[:, self.which])

    def unknown(self, machine: Predictor, Z: FloatArray) -> FloatArray:
        every = np.column_stack([one.unknown(machine, Z) for one in self.each])
        return np.asarray(self.size * every[:, self.which])
