"""How large noise and function of each of several targets are, and how much each learned kernel counts for it."""

from functools import cached_property

import attrs
import numpy as np

from kernelopt._base._target_frame import TargetFrame
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families._mixture import Mixture, Part


@attrs.frozen(eq=False)
class OwnNoise:
    """Target c is a function of covariance size_c K_c with noise of the variance size_c ratio_c tau.

    K_c is the kernel that was learned for all targets together, each weight times the target's own multiple of it; tau
    is the variance of the noise that was learned for all targets together.

    Attributes:
        ratio: > 0, shape (c,).
        size: >= 0, shape (c,); 0 of a target that is 0 everywhere.
        multiples: of the weights of each family's atoms, > 0, shape (m, c) for each family; None where every target has
            the weights of all.
    """

    ratio: FloatArray
    size: FloatArray
    multiples: tuple[FloatArray, ...] | None = None

    @cached_property
    def which(self) -> IntArray:
        """The kind of each target, shape (c,): targets of one ratio and the same multiples are of one kind, and kinds
        are numbered as they appear.
        """
        keys = np.vstack([self.ratio, *(self.multiples or ())])
        _, first, kind = np.unique(keys, axis=1, return_index=True, return_inverse=True)
        return np.asarray(np.argsort(np.argsort(first))[kind.ravel()], dtype=np.intp)

    @property
    def firsts(self) -> IntArray:
        """The first target of each kind, shape (k,), ascending."""
        return np.asarray(np.unique(self.which, return_index=True)[1], dtype=np.intp)

    def mixture_of(self, shared: Mixture, target: int) -> Mixture:
        """The kernel of a target, where all have this one in common."""
        return shared if self.multiples is None else multiplied(shared, self.multiples, target)

    @property
    def weighed(self) -> IntArray:
        """The targets whose weights are not those of all, shape (k,), ascending."""
        changed = [np.any(one != 1.0, axis=0) for one in self.multiples or ()]
        return np.flatnonzero(np.any([np.zeros(len(self.ratio), dtype=bool), *changed], axis=0))

    def multiples_as_given(self, frame: TargetFrame | None) -> tuple[FloatArray, ...] | None:
        """Those of all targets that were given: a target that is not learned has those of the first that is."""
        if frame is None or self.multiples is None:
            return self.multiples
        place = frame.everywhere(np.arange(len(frame.learned), dtype=np.float64)).astype(np.intp)
        return tuple(one[:, place] for one in self.multiples)


def multiplied(shared: Mixture, multiples: tuple[FloatArray, ...], target: int) -> Mixture:
    """A mixture whose weights are multiplied by what each target multiplies them by (m, c) in each family."""
    pairs = zip(shared.parts, multiples, strict=True)
    return Mixture(tuple(Part(part.atoms, part.weights * one[:, target]) for part, one in pairs))
