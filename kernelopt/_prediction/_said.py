"""All that a machine says of rows, with its kernel computed once: most of the time of a prediction goes there."""

from typing import Any

import attrs
import numpy.typing as npt

from kernelopt._base._typing import FloatArray
from kernelopt._prediction._odds import Odds
from kernelopt._prediction._posterior import Posterior
from kernelopt._prediction._predicted import believed, deviations
from kernelopt._prediction._predictor import Predictor
from kernelopt._prediction._told import Told, untold


@attrs.frozen(eq=False)
class Said:
    """What a machine says of n rows.

    Attributes:
        prediction: what `predict` returns: labels or numbers, shape (n,), or (n, c) of several targets.
        values: what `decision_function` returns, shape (n,) or (n, c).
        probabilities: what `predict_proba` returns, shape (n, classes); None where there are none.
        deviation: the standard deviations, in the shape of the prediction; None where there are none.
    """

    prediction: npt.NDArray[Any]
    values: FloatArray
    probabilities: FloatArray | None = None
    deviation: FloatArray | None = None


def said(
    machine: Predictor, posterior: Posterior | None, odds: Odds | None, rows: FloatArray, told: Told = untold
) -> Said:
    """What a machine says of checked rows (n, d).

    Args:
        machine: what predicts.
        posterior: how sure it is of numbers.
        odds: how probable classes are by its values.
        rows: checked.
        told: gets the number of rows of each block that is done: once for values, and once more for deviations.
    """
    values = machine.decision_function(rows, told)
    prediction = believed(machine, posterior, rows, values)
    return Said(
        prediction,
        values,
        None if odds is None else odds.probabilities(values.reshape(len(values), -1)),
        None if posterior is None else deviations(machine, posterior, rows, prediction.shape, told),
    )
