"""Targets of numbers under the evidence: in which units they are learned.

Several learn one kernel and one noise, so that a target in large units would decide on both alone, and a constant one
would make the noise small. One target is learned as it is, unless sums of its squares would lose digits.
"""

from collections.abc import Iterator

import attrs
import numpy as np

from kernelopt._api._validate import Request
from kernelopt._base._target_frame import TargetFrame
from kernelopt._base._target_sizes import refuse_faint
from kernelopt._base._typing import BoolArray, FloatArray, IntArray
from kernelopt._evidence._criterion import Evidence
from kernelopt._prediction._own_noise import OwnNoise

_ROUNDING = 1e-12
"""A deviation of so much of the level is none: rounding gives a constant target one."""
_SMALLEST = 1e-9
"""A single target of a smaller deviation, or of one above the inverse of this, has a unit: a guard. Fits of the same
target times 1e-18 agreed, and those with 1e-19 did not."""
_ENOUGH = 1000
"""So many rows of constant targets are as good as all."""
_NAMED = 8
"""So many constant targets are named in a note."""


def in_own_units(request: Request) -> Request:
    """The same request with a unit for each target that is not constant, without the others, and notes; as it is where
    there are labels, or one target of a usual size.

    Raises:
        InvalidData: the squares of a target would be rounded to 0.
    """
    training, criterion, rows = request.training, request.criterion, request.rows
    if training.classes is not None or not isinstance(criterion, Evidence):
        return request
    refuse_faint(training.encoded)
    known = None if rows is None else rows.coding.deviation
    frame = _frame(training.level, _deviations(training.y, training.weight) if known is None else known)
    if frame is None:
        return request
    level = frame.framed(training.level)
    learned = attrs.evolve(
        training,
        encoded=frame.framed(training.encoded),
        level=level,
        weight=training.weight[:, : len(frame.learned)],
        frame=frame,
    )
    if not frame.unit.any():  # no kernel is learned, from however many rows
        learned, rows = learned.some(np.arange(min(len(learned.X), _ENOUGH))), None
    if rows is not None:
        rows = attrs.evolve(rows, coding=attrs.evolve(rows.coding, level=level, frame=frame))
    varying = np.ptp(training.encoded, axis=0) > 0.0
    return attrs.evolve(request, training=learned, rows=rows, notes=(*request.notes, *_notes(frame, varying)))


def _frame(level: FloatArray, deviation: FloatArray) -> TargetFrame | None:
    """Each target divided by its standard deviation, and none that is constant, unless they all are; None where there
    is one of a usual size.
    """
    varies = deviation > _ROUNDING * np.abs(level)
    learned = np.flatnonzero(varies)
    if not len(learned):
        return TargetFrame(level, np.zeros(1, dtype=np.intp), np.zeros(1))
    unit = deviation[learned]
    if len(learned) == 1 and _SMALLEST < float(unit[0]) < 1.0 / _SMALLEST:
        unit = np.ones(1)
    constant = np.where(varies, 0.0, level)
    return None if len(level) == 1 and unit[0] == 1.0 else TargetFrame(constant, learned, unit)


def _notes(frame: TargetFrame, varying: BoolArray) -> Iterator[str]:
    """What the user should know, of targets (c,) that are not all one number on the training rows, and others."""
    every, divided = len(frame.constant), np.count_nonzero(frame.unit)
    constant = np.setdiff1d(np.arange(every), frame.learned[:divided])
    rounded = constant[varying[constant]]
    if len(rounded):
        who = "the target varies" if every == 1 else f"{len(rounded)} of {every} targets, {_listed(rounded)}, vary"
        yield (
            f"y: {who} by less than {_ROUNDING:g} of the mean, as rounding makes a constant target vary, so the mean "
            "is predicted everywhere; if these differences matter, subtract the smallest value from y"
        )
    elif every == 1 and not divided:
        yield "y: the target is constant, so this value is predicted everywhere, and there is no kernel to be learned"
    elif every == 1 and divided:
        yield (
            f"y: the target is learned in units of its standard deviation, {frame.unit[0]:.3g}, because sums of the "
            "squares of such numbers would lose digits; the bounds are about these units"
        )
    elif len(constant):
        yield (
            f"y: {len(constant)} of {every} targets are constant, {_listed(constant)}: they are predicted as they are, "
            "and the kernel is learned from the others"
        )
    if divided > 1:
        yield (
            f"y: the {divided} targets share one kernel and one noise, each in units of its standard deviation, and "
            "the bounds are about these; then each gets a noise of its own and, where its rows ask, weights of its own "
            "of the kernels; if targets have little in common, learn each by itself, as scikit-learn's "
            "MultiOutputRegressor does"
        )


def of_own_weights(own: OwnNoise | None, frame: TargetFrame | None) -> tuple[str, ...]:
    """Which targets weigh the kernels in their own way, where some do."""
    if own is None or not len(own.weighed):
        return ()
    targets = own.weighed if frame is None else frame.learned[own.weighed]
    told = f"y: the kernels have weights of their own for {len(targets)} of the targets, {_listed(targets)}; "
    return (told + f"predictor.alone({targets[0]}).kernel is the kernel of target {targets[0]}",)


def _listed(places: IntArray) -> str:
    """The first of some targets' numbers."""
    named = ", ".join(map(str, places[:_NAMED].tolist()))
    return f"numbers {named}" + ", ..." * (len(places) > _NAMED)


def _deviations(y: FloatArray, weight: FloatArray) -> FloatArray:
    """Those of targets less their level (n, c), with weights (n, c), shape (c,)."""
    return np.asarray(np.sqrt(np.average(y * y, axis=0, weights=weight)))
