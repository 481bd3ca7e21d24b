"""The probability of each class at new rows."""

from typing import Any

from kernelopt._base._errors import InvalidOption
from kernelopt._base._typing import FloatArray
from kernelopt._prediction._odds import Odds
from kernelopt._prediction._predictor import Predictor


def probabilities(machine: Predictor, odds: Odds | None, Z: Any) -> FloatArray:
    """The probability of each class at rows Z, shape (n, classes), in the order of `machine.classes`.

    Raises:
        InvalidOption: there are none.
    """
    odds = known(odds)
    values = machine.decision_function(Z)
    return odds.probabilities(values.reshape(len(values), -1))


def known(odds: Odds | None) -> Odds:
    """How probable classes are.

    Raises:
        InvalidOption: nobody knows.
    """
    if odds is None:
        raise InvalidOption(
            "got a machine without probabilities, wanted classes learned with the evidence; take "
            'criterion={"name": "evidence", "targets": "labels"}, for which numbers are classes too, or '
            'KernelClassifier(calibration="sigmoid")'
        )
    return odds
