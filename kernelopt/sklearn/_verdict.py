"""Whether a learned machine predicts held-out rows better than one answer for all of them: the one owner of a caution.

Each row has a difference of the two errors (of squared differences, where numbers are learned). The mean of these
differences must be more than two of its standard errors, as if the rows were independent, which rows of several folds
are but nearly.
"""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._criteria._contract import Task
from kernelopt.sklearn._beside import OURS, Losses, Part, scores_of

DOUBT = 2.0
"""So many standard errors a difference needs not to be put down to chance."""
TITLES: Mapping[str, str] = MappingProxyType(
    {"accuracy": "accuracy", "log_loss": "log-loss", "r2": "R2", "rmse": "RMSE", "mse": "MSE"}
)
"""What scores are called."""


def no_better(parts: Sequence[Part]) -> bool:
    """Whether the learned machine's errors are no smaller than those of the one answer, beyond chance."""
    return bool(parts) and not _beyond_chance([one.errors - ours.errors for ours, one in _pairs(parts)])


def tells_more(parts: Sequence[Part]) -> bool:
    """Whether the learned machine's probabilities are better than the shares of the classes, in the same way."""
    saved = [
        one.surprises - ours.surprises
        for ours, one in _pairs(parts)
        if one.surprises is not None and ours.surprises is not None
    ]
    return bool(saved) and _beyond_chance(saved)


def caution(task: Task, parts: Sequence[Part]) -> str | None:
    """That the learned machine is no better than one answer for all rows, where that is so; else None."""
    if not no_better(parts):
        return None
    key, answer = "accuracy" if task == "classification" else "rmse", _answer(parts)
    ours, one = (
        spoken(key, [scores_of(task, part.losses[name], part.spread)[key] for part in parts]) for name in (OURS, answer)
    )
    more = "; its probabilities are better than the shares of the classes" if tells_more(parts) else ""
    return (
        f"on held-out rows the learned kernel is not significantly better than the answer {answer!r} "
        f"({TITLES[key]} {ours} against {one}){more}"
    )


def spoken(key: str, values: Sequence[float | None]) -> str:
    """The mean of a score and, of several, the standard deviation."""
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return "-"
    shown = [float(np.mean(known)), *([float(np.std(known, ddof=1))] if len(known) > 1 else [])]
    form = {"accuracy": ".1%", "rmse": ".4g", "mse": ".4g"}.get(key, ".3f")
    return " ± ".join(format(value, form) for value in shown)


def _answer(parts: Sequence[Part]) -> str:
    """The name of the one answer."""
    return list(parts[0].losses)[-1]


def _pairs(parts: Sequence[Part]) -> list[tuple[Losses, Losses]]:
    """The learned machine and the one answer, where neither failed."""
    both = [(part.losses[OURS], part.losses[_answer(parts)]) for part in parts]
    return [(ours, one) for ours, one in both if ours and one]


def _beyond_chance(saved: Sequence[FloatArray]) -> bool:
    """Whether the mean of what was saved, row by row, is above 0 by more than chance explains."""
    values = np.concatenate(saved)
    return bool(values.mean() > DOUBT * values.std() / math.sqrt(len(values)))
