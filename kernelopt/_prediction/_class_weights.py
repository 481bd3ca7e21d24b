"""Classes that count more, or less, than among the training rows: their probabilities change, and no row does."""

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._prediction._odds import Logarithms, Logistic, Odds
from kernelopt._prediction._predictor import Predictor
from kernelopt._prediction._weighing import Weighing


def weighed(machine: Predictor, odds: Odds | None, weights: FloatArray | None) -> tuple[Predictor, Odds | None]:
    """A machine that predicts as if each class were as many times as frequent as its weight says, and its odds.

    The probability of a class becomes its weight times what it was, divided by the sum of these over all classes, by
    Bayes' rule (Elkan 2001, theorem 2).

    Args:
        machine: what predicts.
        odds: how probable classes are by its values.
        weights: of the classes, > 0, shape (classes,); None where they have none.
    """
    if weights is None or odds is None:
        return machine, odds
    machine = attrs.evolve(machine, weighing=Weighing(odds, np.log(weights)))
    return machine, Logistic() if len(weights) == 2 else Logarithms()


def unweighed(odds: Odds | None, weights: FloatArray | None) -> tuple[str, ...]:
    """A note where classes have weights and no probabilities that these could multiply; arguments as of `weighed`."""
    if weights is None or odds is not None:
        return ()
    note = (
        "predict: rounding errors left nothing of the Gram matrix from which the probabilities of the classes come, so "
        "class_weight changes no prediction"
    )
    return (note,)
