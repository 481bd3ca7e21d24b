"""How well rows that were held out are predicted, beside other machines: the numbers of a report, in words."""

import math
from collections.abc import Iterator

import attrs
import numpy as np

from kernelopt._base._plain_numbers import counted, plain
from kernelopt._criteria._contract import Task
from kernelopt.sklearn._beside import OURS, Losses, Part, scores_of
from kernelopt.sklearn._verdict import caution


@attrs.frozen
class Score:
    """A machine's line of the table.

    Attributes:
        machine: what it is.
        cells: its numbers, in the order of `titles`.
        ours: whether it is the learned one.
    """

    machine: str
    cells: tuple[str, ...]
    ours: bool


@attrs.frozen(eq=False)
class Scores:
    """All machines on the same rows.

    Attributes:
        part: what was measured.
        task: classification or regression.
    """

    part: Part
    task: Task

    @property
    def titles(self) -> tuple[str, ...]:
        """Of the columns of the table."""
        return ("right", "log-loss") if self.task == "classification" else ("RMSE", "R2")

    @property
    def lines(self) -> tuple[Score, ...]:
        """The learned machine, its rivals, and what always gives one answer."""
        return tuple(Score(name, tuple(self._cells(losses)), name == OURS) for name, losses in self.part.losses.items())

    def _cells(self, losses: Losses | None) -> Iterator[str]:
        told = scores_of(self.task, losses, self.part.spread)
        if losses is None:
            yield from ("-", "-")
        elif self.task == "classification":
            yield f"{told['accuracy']:.1%} ± {_doubt_of_share(losses):.1%}"
            yield _number(told["log_loss"], ".3f")
        else:
            rmse = told["rmse"] or 0.0
            yield f"{plain(rmse)} ± {plain(_doubt(losses) / (2.0 * (rmse or 1.0)), 2)}"
            yield _number(told["r2"], ".3f")

    @property
    def caution(self) -> str | None:
        """That chance alone may explain the score of the learned machine, as `kernelopt solve` says it; else None."""
        words = caution(self.task, [self.part])
        return None if words is None else f"Caution: {words}."

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was measured, for who reads no table."""
        told = {name: scores_of(self.task, losses, self.part.spread) for name, losses in self.part.losses.items()}
        ours, *rivals, one = self.part.losses
        say = _right if self.task == "classification" else _off
        known = [name for name in rivals if self.part.losses[name] is not None]
        best = min(known, key=lambda name: float(np.mean(self._errors(name)))) if known else None
        beside = () if best is None else (f"The best of the other machines ({best}) {say(told[best])}.",)
        rows = counted(self.part.held, "row")
        return (
            f"The machine was tested on {rows} from which it had not learned, and {say(told[ours])}.",
            *beside,
            f"The simplest prediction ({one}) {say(told[one])}.",
            *(() if self.caution is None else (self.caution,)),
        )

    def _errors(self, name: str) -> np.ndarray:
        losses = self.part.losses[name]
        assert losses is not None
        return losses.errors


def _right(told: dict[str, float | None]) -> str:
    return f"predicted {told['accuracy']:.1%} of them right"


def _off(told: dict[str, float | None]) -> str:
    explained = told["r2"] or 0.0
    more = f", and explains {explained:.0%} of their variance" if explained >= 0.005 else ""
    return f"was off by {plain(told['rmse'] or 0.0)} (root mean square){more}"


def _number(value: float | None, form: str) -> str:
    if value is None:
        return "-"
    text = format(value, form)
    return text.removeprefix("-") if float(text) == 0.0 else text


def _doubt_of_share(losses: Losses) -> float:
    """The standard error of a share of m rows, of (wrong + 1) / (m + 2): few rows without an error prove little."""
    m = len(losses.errors)
    share = (float(losses.errors.sum()) + 1.0) / (m + 2.0)
    return math.sqrt(share * (1.0 - share) / m)


def _doubt(losses: Losses) -> float:
    """The standard error of the mean loss, as if the rows were independent."""
    return float(np.std(losses.errors)) / math.sqrt(len(losses.errors))
