"""How well new rows are predicted: rows that are held out, or folds, beside the rivals of `_rivals`.

The machine that is kept has learned from all rows, so that none is left to measure it with. Another machine learns
the same problem from a part of the rows, and is asked about the others.
"""

import math

import attrs
import numpy as np

from kernelopt._criteria._contract import Task
from kernelopt.cli.judging._check_plan import Plan
from kernelopt.sklearn import _verdict
from kernelopt.sklearn._beside import OURS, Part, scores_of


@attrs.frozen(eq=False)
class Check:
    """What was measured.

    Attributes:
        task: classification or regression, or novelty, where nothing can be measured.
        plan: which rows were held out.
        parts: those that were finished.
        interrupted: whether Ctrl-C ended it.
        reason: why it was not finished, or None.
        seconds: that it took.
    """

    task: Task
    plan: Plan
    parts: tuple[Part, ...] = ()
    interrupted: bool = False
    reason: str | None = None
    seconds: float = 0.0

    @property
    def names(self) -> tuple[str, ...]:
        """The machines, the learned one first and the one answer last."""
        return tuple(self.parts[0].losses) if self.parts else ()

    def scores(self, name: str) -> list[dict[str, float | None]]:
        """What to tell of a machine, part by part: accuracy and log-loss, or R2 and mean squared error with its root.

        None stands for what there is not: without probabilities, with one row, and where a rival failed.
        """
        return [scores_of(self.task, part.losses[name], part.spread) for part in self.parts]

    @property
    def errors(self) -> list[float]:
        """Of the learned machine in each part: the share of wrong labels, or the root mean squared error."""
        means = [float(np.mean(losses.errors)) for part in self.parts if (losses := part.losses[OURS]) is not None]
        return means if self.task == "classification" else [math.sqrt(mean) for mean in means]

    @property
    def no_better(self) -> bool:
        """Whether the learned machine's errors are no smaller than those of the one answer, beyond chance."""
        return _verdict.no_better(self.parts)
