"""What a machine predicts at rows, as far as this is believed there, and how sure it is."""

import math
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import InvalidOption
from kernelopt._base._finite import finite_at
from kernelopt._base._typing import FloatArray
from kernelopt._linalg._gram import ROW_BLOCK
from kernelopt._prediction._posterior import Posterior
from kernelopt._prediction._predictor import Predictor
from kernelopt._prediction._told import Told, blocks, told_of, untold

_AT_ONCE = 64 * ROW_BLOCK
"""New rows whose deviations are computed at once. A guard: each time the Gram of the training rows may be factored,
which takes a twentieth of the time that so many new rows take, or less."""


def predicted(
    machine: Predictor, posterior: Posterior | None, Z: Any, return_std: bool
) -> npt.NDArray[Any] | tuple[npt.NDArray[Any], FloatArray]:
    """Labels or values of rows Z, and on request the standard deviations of new targets in the same shape.

    Raises:
        InvalidOption: a deviation is asked for, and there is none.
    """
    rows = machine.kernel.rows(Z)
    values = believed(machine, posterior, rows, machine.decision_function(rows))
    return (values, deviations(machine, sure(posterior), rows, values.shape)) if return_std else values


def believed(machine: Predictor, posterior: Posterior | None, rows: FloatArray, values: FloatArray) -> npt.NDArray[Any]:
    """Labels of checked rows (n, d) with these decisions, or their values as far as these are believed there."""
    found = machine.labelled(values)
    if posterior is None or posterior.scope is None:
        return found
    unknown = partial(posterior.unknown, machine)
    return posterior.scope.held(machine.kernel, machine.intercept, unknown, rows, found)


def deviations(
    machine: Predictor, posterior: Posterior, rows: FloatArray, shape: tuple[int, ...], told: Told = untold
) -> FloatArray:
    """The standard deviations of new targets at checked rows (n, d), in the shape of the values there.

    Args:
        machine: what predicts.
        posterior: how sure it is.
        rows: checked.
        shape: (n,), or (n, c) of several targets.
        told: gets the number of rows of each block that is done.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # judged by the values
        parts = (told_of(posterior.deviation(machine, block), told) for block in blocks(rows, _AT_ONCE))
        found = finite_at(np.concatenate(list(parts)), rows, "the standard deviation")
    found = math.sqrt(posterior.doubt * posterior.spread) * (
        found if found.ndim > 1 else found.reshape(-1, *[1] * (len(shape) - 1))
    )
    return np.broadcast_to(found if posterior.unit is None else found * posterior.unit, shape)


def sure(posterior: Posterior | None, asked: str = "return_std") -> Posterior:
    """How sure a machine is.

    Args:
        posterior: what is known of it.
        asked: what a user asked for, for the message.

    Raises:
        InvalidOption: nobody knows.
    """
    if posterior is None:
        raise InvalidOption(
            f"{asked}: only a regression with the evidence has standard deviations; take "
            'criterion={"name": "evidence", "targets": "numbers"}, for which few integers are numbers too'
        )
    return posterior
