"""Newton's method for the most likely odds of classes, whatever holds the kernel."""

from abc import ABC, abstractmethod
from collections.abc import Callable

import attrs
import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import expit

from kernelopt._base._typing import FloatArray

_NEWTON, _LONGEST, _ALONG = 40, 4.0, 1e-2
"""So many of Newton's steps at most, which rounding alone needs, how long one may be, and how closely the best length
is found, the whole step besides. Worth: `constants.py laplace.longest`."""
_SETTLED = 1e-3
"""Newton's steps end with one that gains less than this, in nats for each row: the next would gain a fraction of it.
Worth: `constants.py laplace.settled`."""


_PROMISED = 10.0
"""So many times that gain a last step may have promised: one that promises more and gains nothing went astray."""


@attrs.frozen(eq=False)
class Mode:
    """The most likely f = c K a given classes y = +-1, the minimiser of 1/2 a'f + sum_i s_i log(1 + exp(-y_i (o_i +
    f_i))).

    Rasmussen and Williams (2006), section 3.4.

    Attributes:
        scale: c.
        a: shape (n,); at the mode s_i y_i sigma(-y_i (o_i + f_i)).
        f: shape (n,).
        value: the minimum.
        settled: whether Newton's steps came to their end.
    """

    scale: float
    a: FloatArray
    f: FloatArray
    value: float
    settled: bool = False


class TwoClasses(ABC):
    """Rows with two classes and a kernel K between them.

    Attributes:
        y: -1 and 1, shape (n,).
        weight: s, how often each row counts, > 0, shape (n,).
        stop: whether to end with what is found.
        offset: o, the logarithm of the odds that is known beforehand, shape (n,), or one for all.
    """

    y: FloatArray
    weight: FloatArray
    stop: Callable[[], bool]
    offset: float | FloatArray = 0.0

    @abstractmethod
    def image(self, v: FloatArray) -> FloatArray:
        """K v."""

    @abstractmethod
    def solver(self, scale: float, root: FloatArray) -> Callable[[FloatArray], FloatArray | None] | None:
        """The inverse of I + W^1/2 c K W^1/2, W = diag(root)^2, times a vector; None where there is none.

        Args:
            scale: c.
            root: shape (n,).
        """

    def mode(self, scale: float, start: FloatArray | None = None) -> Mode:
        """By Newton's method, each step as long as is best, from 0 or from a nearby where that is lower."""
        zero = np.zeros(len(self.y))
        at = self._at(scale, zero, zero)
        if start is not None:
            at = min(at, self._at(scale, start, scale * self.image(start)), key=lambda mode: mode.value)
        for _ in range(_NEWTON):
            p = expit(self.offset + at.f)
            root = np.sqrt(self.weight * p * (1.0 - p))
            solve = self.solver(scale, root)
            if solve is None or self.stop():
                break
            # (I + W c K)^-1 of what is left of the gradient, not of the new a: rounding in it shrinks with the step.
            left = self.weight * (0.5 * (self.y + 1.0) - p) - at.a
            known = solve(root * (scale * self.image(left)))
            if known is None:
                break
            towards = left - root * known
            along = scale * self.image(towards)
            promised = float(left @ along)
            moved = self._descended(at, towards, along)
            little = _SETTLED * float(self.weight.sum())
            if at.value - moved.value <= little:
                return attrs.evolve(moved, settled=promised <= _PROMISED * little)
            at = moved
        return at

    def _at(self, scale: float, a: FloatArray, f: FloatArray) -> Mode:
        return Mode(scale, a, f, float(0.5 * a @ f + self.weight @ np.logaddexp(0.0, -self.y * (self.offset + f))))

    def _descended(self, at: Mode, da: FloatArray, df: FloatArray) -> Mode:
        """The lowest point along a step, or where it began: f is linear along it, so that a look costs O(n)."""

        def along(s: float) -> Mode:
            return self._at(at.scale, at.a + s * da, at.f + s * df)

        best = minimize_scalar(
            lambda s: along(s).value, bounds=(0.0, _LONGEST), method="bounded", options={"xatol": _ALONG}
        )
        return min(at, along(float(best.x)), along(1.0), key=lambda mode: mode.value)
