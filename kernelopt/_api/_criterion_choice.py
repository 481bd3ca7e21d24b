"""The criterion where the user names none: the default, or what y suggests, in the units of y."""

from typing import Any

import numpy as np
import numpy.typing as npt

from kernelopt._api.data._target_words import refuse_words
from kernelopt._base._target_sizes import sized
from kernelopt._base._typing import FloatArray
from kernelopt._base.tables._input import check_target
from kernelopt._criteria._contract import Criterion
from kernelopt._criteria._svr import SVR
from kernelopt._evidence._criterion import Evidence
from kernelopt._evidence._effort import Effort
from kernelopt._plugins._registry import resolve

_LOSS, _TUBE = 10.0, 0.1
"""C and epsilon of the regression that is chosen for the user, in standard deviations of y."""
_ROWS_OF_A_CLASS = 3
"""A whole number may be the name of a class if so many rows have the same one in the mean."""


def default_criterion(*, labels: bool, effort: Effort = "normal") -> Evidence:
    """What is learned where family and criterion are left open, by `solve` and by the estimators: the evidence, which
    says its family itself.

    Args:
        labels: whether the targets are classes, and not numbers.
        effort: as in `Evidence`.
    """
    return Evidence(targets="labels" if labels else "numbers", effort=effort)


def suggested(family: Any, criterion: Any, y: Any, sample_weight: Any = None) -> tuple[Criterion, tuple[str, ...]]:
    """The criterion that is named; where a family alone is, or there is no y, what y suggests; else the default.

    Returns:
        The criterion, and notes on what was taken.

    Raises:
        InvalidData: y holds words where numbers are wanted, or words among numbers.
    """
    refuse_words(criterion, y)
    if criterion is not None or family is not None or y is None:
        return criterion_for(criterion, y, sample_weight)
    targets = check_target(y)
    labels = _labels(targets)
    what = "labels" if labels else "numbers"
    note = (
        f"criterion: neither family nor criterion was named and y holds {what}, so the evidence was taken, with "
        'nothing to tune; family="tk" asks for tessellated kernels and a support vector machine'
    )
    return default_criterion(labels=labels), (note, *(() if labels else _perhaps_labels(targets)))


def criterion_for(spec: Any, y: Any, weight: Any = None) -> tuple[Criterion, tuple[str, ...]]:
    """The criterion of a spec, or the one that y suggests.

    Strings, booleans, two values or at most 20 integers: svc. Other numbers: svr. No y: one-class.
    """
    if spec is not None:
        criterion: Criterion = resolve("criterion", spec)
        return criterion.suited(y is not None and _labels(check_target(y))), ()
    if y is None:
        return resolve("criterion", "one-class"), ("criterion: there is no y, so one-class with nu = 0.5 was taken",)
    labels = check_target(y)
    if _labels(labels):
        return resolve("criterion", "svc"), ("criterion: y holds labels, so svc with C = 1 was taken",)
    if labels.dtype.kind not in "biuf":
        return resolve("criterion", "svr"), ()  # the door says what is wrong with y
    return regression_for(labels.astype(np.float64), weight)


def _labels(y: npt.NDArray[Any]) -> bool:
    """Whether checked targets look like classes: strings, booleans, two values or at most 20 integers.

    A single value that is no whole number is a constant measurement, and no class.
    """
    if y.ndim != 1:
        return False
    values = np.unique(y)
    if len(values) == 1 and y.dtype.kind == "f" and values[0] != np.round(values[0]):
        return False
    return y.dtype.kind in "bUS" or len(values) <= 2 or (y.dtype.kind in "iu" and len(values) <= 20)


def _perhaps_labels(y: npt.NDArray[Any]) -> tuple[str, ...]:
    """A note where numbers that are learned as such may be names of classes: whole ones, each of several rows."""
    if y.ndim != 1 or y.dtype.kind not in "iuf" or not (y == np.round(y)).all():
        return ()
    values = len(np.unique(y))
    if _ROWS_OF_A_CLASS * values > len(y):
        return ()
    note = (
        f"criterion: y holds {values} different whole numbers, each of them {len(y) / values:.0f} times on average, "
        "and they were learned as numbers; if they are names of classes, take "
        'criterion={"name": "evidence", "targets": "labels"}'
    )
    return (note,)


def regression_for(y: FloatArray, weight: Any = None) -> tuple[Criterion, tuple[str, ...]]:
    """svr in the units of y (n,) or (n, c): what is predicted then changes with y's units and with nothing else.

    A sample weight of k counts as k samples; weights that are none are left for the door to refuse.

    Raises:
        InvalidData: y is so large that the door would refuse it; no option of svr is as large.
    """
    size = float(np.abs(y).max(initial=0.0)) or 1.0
    sized(size)
    spread = size * float(_deviation(y / size, weight).mean()) or 1.0
    criterion = SVR(C=_LOSS * spread, epsilon=_TUBE * spread)
    note = (
        f"criterion: y holds numbers of standard deviation {spread:.3g}, so svr with C = {criterion.C:.3g} and "
        f"epsilon = {criterion.epsilon:.3g} was taken"
    )
    return criterion, (note,)


def _deviation(y: FloatArray, weight: Any) -> FloatArray:
    """The standard deviation of each column."""
    given = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=np.float64)
    if given.shape != (len(y),) or not (given.min(initial=0.0) >= 0.0 and 0.0 < given.sum() < np.inf):
        given = np.ones(len(y))
    mean = np.average(y, axis=0, weights=given)
    return np.sqrt(np.average((y - mean) ** 2, axis=0, weights=given))
