"""Several targets of numbers under the evidence: each is learned in the unit of its own standard deviation.

They share one kernel and one noise, so that a target in large units would decide on both alone, and a constant one
would make the noise small.
"""

from collections.abc import Iterator

import attrs
import numpy as np

from kernelopt._api._validate import Request
from kernelopt._base._target_frame import TargetFrame
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._evidence._criterion import Evidence

_ROUNDING = 1e-12
"""A deviation of so much of the level is none: rounding gives a constant target one."""
_NAMED = 8
"""So many constant targets are named in a note."""


def in_own_units(request: Request) -> Request:
    """The same request with a unit for each target that is not constant, without the others, and notes; as it is where
    there is one target, or labels.
    """
    training, criterion = request.training, request.criterion
    if training.encoded.shape[1] == 1 or training.classes is not None or not isinstance(criterion, Evidence):
        return request
    rows = request.rows
    known = None if rows is None else rows.coding.deviation
    frame = _frame(training.level, _deviations(training.y, training.weight) if known is None else known)
    level = frame.framed(training.level)
    learned = attrs.evolve(
        training,
        encoded=frame.framed(training.encoded),
        level=level,
        weight=training.weight[:, : len(frame.learned)],
        frame=frame,
    )
    if rows is not None:
        rows = attrs.evolve(rows, coding=attrs.evolve(rows.coding, level=level, frame=frame))
    return attrs.evolve(request, training=learned, rows=rows, notes=(*request.notes, *_notes(frame)))


def _frame(level: FloatArray, deviation: FloatArray) -> TargetFrame:
    """Each target divided by its standard deviation, and none that is constant; all where they all are. A target that
    remains alone is not divided, as one that was given alone.
    """
    varies = deviation > _ROUNDING * np.abs(level)
    if not varies.any():
        return TargetFrame(np.zeros(len(level)), np.arange(len(level)), np.ones(len(level)))
    learned = np.flatnonzero(varies)
    unit = deviation[learned] if len(learned) > 1 else np.ones(1)
    return TargetFrame(np.where(varies, 0.0, level), learned, unit)


def _notes(frame: TargetFrame) -> Iterator[str]:
    """What the user should know."""
    outputs, constant = len(frame.learned), np.setdiff1d(np.arange(len(frame.constant)), frame.learned)
    if len(constant):
        yield (
            f"y: {len(constant)} of {len(frame.constant)} targets are constant, {_listed(constant)}: they are "
            "predicted as they are, and the kernel is learned from the others"
        )
    if outputs > 1:
        yield (
            f"y: the {outputs} targets share one kernel and one noise, each in units of its standard deviation, and "
            "the bounds are about these; if they depend on different columns or have different noise, learn each by "
            "itself, as scikit-learn's MultiOutputRegressor does"
        )


def _listed(places: IntArray) -> str:
    """The first of some targets' numbers."""
    named = ", ".join(map(str, places[:_NAMED].tolist()))
    return f"numbers {named}" + ", ..." * (len(places) > _NAMED)


def _deviations(y: FloatArray, weight: FloatArray) -> FloatArray:
    """Those of targets less their level (n, c), with weights (n, c), shape (c,)."""
    return np.asarray(np.sqrt(np.average(y * y, axis=0, weights=weight)))
