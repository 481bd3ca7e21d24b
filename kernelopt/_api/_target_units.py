"""Several targets of numbers under the evidence: each is learned in the unit of its own standard deviation.

They share one kernel and one noise, so that a target in large units would decide on both alone.
"""

import attrs
import numpy as np

from kernelopt._api._validate import Request
from kernelopt._base._typing import FloatArray
from kernelopt._evidence._criterion import Evidence

_ROUNDING = 1e-12
"""A deviation of so much of the level is none: rounding gives a constant target one."""


def in_own_units(request: Request) -> Request:
    """The same request with a unit for each target, and a note; as it is where there is one target, or labels."""
    training, criterion = request.training, request.criterion
    outputs = training.encoded.shape[1]
    if outputs == 1 or training.classes is not None or not isinstance(criterion, Evidence):
        return request
    rows = request.rows
    known = None if rows is None else rows.coding.deviation
    deviation = _deviations(training.y, training.weight) if known is None else known
    unit = np.where(deviation > _ROUNDING * np.abs(training.level), deviation, 1.0)
    encoded, level = training.encoded / unit, training.level / unit
    note = (
        f"y: the {outputs} targets share one kernel and one noise, each in units of its standard deviation, and the "
        "bounds are about these; if they depend on different columns or have different noise, learn each by itself, as "
        "scikit-learn's MultiOutputRegressor does"
    )
    return attrs.evolve(
        request,
        training=attrs.evolve(training, encoded=encoded, level=level, unit=unit),
        rows=None if rows is None else attrs.evolve(rows, coding=attrs.evolve(rows.coding, level=level, unit=unit)),
        notes=(*request.notes, note),
    )


def _deviations(y: FloatArray, weight: FloatArray) -> FloatArray:
    """Those of targets less their level (n, c), with weights (n, c), shape (c,)."""
    return np.asarray(np.sqrt(np.average(y * y, axis=0, weights=weight)))
