"""How probable each class is, from the values of the machine that decides."""

from abc import ABC, abstractmethod

import attrs
import numpy as np
from scipy.special import softmax

from kernelopt._base._typing import FloatArray

_LINEAR = -30.0
"""Below it log log(1 + exp(x)) is x in all digits."""


class Odds(ABC):
    """From values of a decision function to probabilities; the class of the largest value has the largest one."""

    @abstractmethod
    def scores(self, values: FloatArray) -> FloatArray:
        """Logarithms of probabilities but for a constant in each row, shape (n, classes).

        Args:
            values: of two classes those of the second, shape (n, 1); else one column for each, shape (n, c).
        """

    def probabilities(self, values: FloatArray) -> FloatArray:
        """The probability of each class, shape (n, classes); each row sums to 1.

        Args:
            values: as for `scores`.
        """
        return np.asarray(softmax(self.scores(values), axis=1))


@attrs.frozen
class Logistic(Odds):
    """Each value is the logarithm of the odds of its class against the rest: p_k in proportion to 1 / (1 + e^-f_k).

    Attributes:
        damping: > 0; the values have been multiplied by it already, because rows that were held out showed that they
            were too sure, where it is less than 1, or not sure enough.
    """

    damping: float = 1.0

    def scores(self, values: FloatArray) -> FloatArray:
        return np.asarray(-np.logaddexp(0.0, -sided(values)))


@attrs.frozen
class Logarithms(Odds):
    """Each value is the logarithm of the probability of its class, but for a constant in each row."""

    def scores(self, values: FloatArray) -> FloatArray:
        return sided(values)


@attrs.frozen
class Shares(Odds):
    """Values are those of the numbers -1 and 1, so that (1 + f_k) / 2 is the share of class k, but for an error:

        p_k in proportion to log(1 + exp(s_k / width))^power,    s_k = (1 + f_k) / 2

    Shares that are much larger than the width count as they are, to a power; those near 0 or below, which the error has
    made, fall off exponentially.

    Attributes:
        width: of the error of a share, > 0.
        power: > 0; the larger, the surer.
    """

    width: float
    power: float

    def scores(self, values: FloatArray) -> FloatArray:
        return self.power * logarithms(values, self.width)


def sided(values: FloatArray) -> FloatArray:
    """One column for each class, shape (n, classes), of which two have opposite values."""
    return np.hstack([-values, values]) if values.shape[1] == 1 else values


def logarithms(values: FloatArray, width: float) -> FloatArray:
    """log log(1 + exp(s / width)) of the shares s of each class, shape (n, classes)."""
    at = 0.5 * (1.0 + sided(values)) / width
    return np.where(at < _LINEAR, at, np.log(np.logaddexp(0.0, np.maximum(at, _LINEAR))))
