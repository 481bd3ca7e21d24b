"""The first step of a solve: what a user passes becomes checked values, or one clear error."""

import math
import time
from typing import Any

import attrs

from kernelopt._api._criterion_choice import criterion_for
from kernelopt._api._scale import Scale, check_scale
from kernelopt._api._training import Training, admit
from kernelopt._base._errors import InvalidData, InvalidOption
from kernelopt._criteria._contract import Criterion
from kernelopt._io._bundled import bundled
from kernelopt._saddle._objective import Objective, objective_of


@attrs.frozen(eq=False)
class Request:
    """What is asked for, checked.

    Attributes:
        training: the rows, the encoded targets and the weights.
        criterion: what is learned, the user's or the one that y suggests.
        scale: what is 1 for each family on the training rows.
        tol, atol, max_steps: as in `solve`.
        began: when the run began, on `time.monotonic()`'s clock.
        deadline: on the same clock, or None.
        seed: of everything random.
        notes: what the user should know of the data and the criterion.
    """

    training: Training
    criterion: Criterion
    scale: Scale
    tol: float
    atol: float | None
    max_steps: int | None
    began: float
    deadline: float | None
    seed: int
    notes: tuple[str, ...]

    @property
    def objective(self) -> Objective:
        """What is minimised over kernels."""
        return objective_of(self.criterion)


def validated(
    X: Any,
    y: Any,
    criterion: Any,
    *,
    scale: Any = "auto",
    sample_weight: Any = None,
    class_weight: Any = None,
    tol: Any = 1e-3,
    atol: Any = None,
    max_steps: Any = None,
    max_seconds: Any = None,
    seed: int = 0,
) -> Request:
    """Everything that can be known to be wrong before a family and a solver are looked at is checked here.

    Raises:
        InvalidData, InvalidOption, UnknownName, BrokenPlugin: as in `solve`.
    """
    began = time.monotonic()
    _check_numbers(tol, atol, max_steps, max_seconds)
    scale = check_scale(scale)
    X, y, bundled_note = _given_or_bundled(X, y)
    suited, note = criterion_for(criterion, y, sample_weight)
    training = admit(X, y, suited, sample_weight, class_weight)
    return Request(
        training=training,
        criterion=suited,
        scale=scale,
        tol=tol,
        atol=atol,
        max_steps=max_steps,
        began=began,
        deadline=None if max_seconds is None else began + max_seconds,
        seed=seed,
        notes=(*bundled_note, *training.notes, *note),
    )


def _check_numbers(tol: Any, atol: Any, max_steps: Any, max_seconds: Any) -> None:
    if not (_number(tol) and 0.0 < tol < 1.0):
        raise InvalidOption(f"tol must be a number between 0 and 1, got {tol!r}; 1e-3 is usual")
    if atol is not None and not (_number(atol) and atol >= 0.0):
        raise InvalidOption(f"atol must be None or a number >= 0, got {atol!r}")
    if max_steps is not None and not (isinstance(max_steps, int) and max_steps >= 0):
        raise InvalidOption(f"max_steps must be None or an integer >= 0, got {max_steps!r}")
    if max_seconds is not None and not (_number(max_seconds) and max_seconds > 0.0):
        raise InvalidOption(f"max_seconds must be None or a positive number, got {max_seconds!r}")


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)


def _given_or_bundled(X: Any, y: Any) -> tuple[Any, Any, tuple[str, ...]]:
    """The data, or scikit-learn's breast cancer set where neither X nor y is given."""
    if X is not None:
        return X, y, ()
    if y is not None:
        raise InvalidData("y is given without X; pass both, or neither to solve the bundled data")
    data = bundled()
    return data.X, data.y, (f"data: {data.title}, as no X and y were given",)
