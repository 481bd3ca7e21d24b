"""Decisions between classes that count more, or less, than among the training rows."""

import attrs
import numpy as np
from scipy.special import log_softmax

from kernelopt._base._typing import FloatArray
from kernelopt._prediction._odds import Odds


@attrs.frozen(eq=False)
class Weighing:
    """Logarithms of weights that are added to the logarithms of probabilities.

    Attributes:
        odds: from what the machine says without weights to probabilities.
        logarithms: of the weights, shape (classes,).
    """

    odds: Odds
    logarithms: FloatArray

    def of(self, values: FloatArray) -> FloatArray:
        """Decisions with these weights: of two classes the logarithm of the odds of the second, else the logarithm of
        the probability of each; in the shape of the values, (n, c), without weights.
        """
        scores = self.odds.scores(values) + self.logarithms
        return scores[:, 1:] - scores[:, :1] if values.shape[1] == 1 else np.asarray(log_softmax(scores, axis=1))
