"""The climb of a metric: all of its numbers move, or the lengths of its directions, or its width alone."""

import math
from typing import Literal, TypeAlias

import numpy as np
from scipy.optimize import minimize

from kernelopt.plugin import FloatArray
from kernelopt_metric._layout import Layout
from kernelopt_metric._metric_objective import Landscape

Free: TypeAlias = Literal["numbers", "lengths", "width"]

_FEW = 32
_ROWS_A_NUMBER = 10
"""A metric moves in all of its numbers where they are few, or rows that count so many times as many: else a climb of
hundreds of numbers ends at metrics of noise, which many atoms have to mend."""
_FARTHEST = 4.0
"""A length changes by this power of e at most in one climb: farther away it is a matter of the next one."""
_GAIN = 1e-4
_STEPS = 50
"""A climb of lengths ends where a step gains a smaller share, or after so many: the solver's next step climbs on from
there, and to no higher place than the directions allow."""


def free_numbers(layout: Layout, rows: int) -> Free:
    """What of a metric moves on so many rows that count."""
    return "numbers" if layout.size <= max(_FEW, rows // _ROWS_A_NUMBER) else "lengths"


def climbed(landscape: Landscape, atom: FloatArray, free: Free) -> FloatArray:
    """An atom (p,) moved uphill on the logarithm of its value; itself where it has none."""
    layout = landscape.layout
    groups = layout.directions if free == "lengths" else np.zeros(layout.size, dtype=np.intp)

    def there(x: FloatArray) -> FloatArray:
        return x if free == "numbers" else atom * np.exp(x)[groups]

    def loss(x: FloatArray) -> tuple[float, FloatArray]:
        moved = there(x)
        value, gradient = landscape.gradient(moved)
        if not value > 0.0:
            return math.inf, np.zeros_like(x)
        slope = gradient if free == "numbers" else np.bincount(groups, weights=gradient * moved)
        return -math.log(value), -slope / value

    start = atom if free == "numbers" else np.zeros(groups.max() + 1)
    if not math.isfinite(loss(start)[0]):
        return atom
    far = None if free == "numbers" else [(-_FARTHEST, _FARTHEST)] * len(start)
    rough = {"ftol": _GAIN, "maxiter": _STEPS} if free == "lengths" else {}
    return there(np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B", bounds=far, options=rough).x))
