"""How sure several targets are predicted, where each has a noise, a size and weights of the kernels of its own."""

from collections.abc import Iterator

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
    """The variance of target c is size_c times that of a target of its kind, which_c: of one kernel and one noise.

    Attributes:
        noise: the variance of the noise that was learned for all targets together, > 0.
        each: how sure a target of each kind is.
        which: the kind of each target, shape (c,).
        size: of each target's function and noise, >= 0, shape (c,).
        degrees, scope, unit, excess, doubt, spread: as of any posterior.
    """

    noise: float
    each: tuple[Posterior, ...]
    which: IntArray
    size: FloatArray
    degrees: float | None = None
    scope: Scope | None = None
    unit: FloatArray | None = None
    excess: float = 0.0
    doubt: float = 1.0
    spread: float = 1.0

    @classmethod
    def of(cls, noise: float, each: tuple[Posterior, ...], own: OwnNoise, degrees: float | None) -> "Several":
        """With a posterior for each kind of target, in the order in which they appear."""
        return cls(noise, each, own.which, own.size, degrees)

    def everywhere(self, frame: TargetFrame) -> "Several":
        """The same of all targets that were given: of those that are not learned the size is 0."""
        which = frame.everywhere(self.which.astype(np.float64)).astype(np.intp)
        return attrs.evolve(self, which=which, size=frame.everywhere(self.size))

    def deviation(self, machine: Predictor, Z: FloatArray) -> FloatArray:
        every = np.column_stack([one.deviation(of, Z) for one, of in self._by(machine)])
        return np.asarray(np.sqrt(self.size) * every[:, self.which])

    def unknown(self, machine: Predictor, Z: FloatArray) -> FloatArray:
        every = np.column_stack([one.unknown(of, Z) for one, of in self._by(machine)])
        return np.asarray(self.size * every[:, self.which])

    def _by(self, machine: Predictor) -> Iterator[tuple[Posterior, Predictor]]:
        """The posterior of each kind, with the machine of its first target, which has the kernel of all of them."""
        for kind, one in enumerate(self.each):
            first = int(np.argmax(self.which == kind))
            yield one, machine if machine.multiples is None else machine.alone(first)
