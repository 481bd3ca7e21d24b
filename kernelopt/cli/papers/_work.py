"""The work of one line of a table: what the file has is taken from there, what it lacks is measured and appended."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import attrs
import numpy as np

import kernelopt
from kernelopt._base._errors import KerneloptError
from kernelopt._criteria._contract import Task
from kernelopt.cli.papers import _choice, _measure
from kernelopt.cli.papers._data import Data, some, task_of
from kernelopt.cli.papers._definition import EACH, Method, Protocol, Rows, Table
from kernelopt.cli.papers._ledger import Ledger, digest
from kernelopt.cli.papers._line import Asked, Line
from kernelopt.cli.papers._measure import Answer, Outcome
from kernelopt.cli.papers._options import options_of
from kernelopt.sklearn._beside import Split

Tell = Callable[[str], None]
"""Told what is under way."""
RANDOM = "random splits"
"""The note of a set without splits of its own where the paper took such."""


class _OutOfTime(Exception):
    """The time of a line of the table is over."""


@attrs.frozen(eq=False)
class Work:
    """What one line of the table needs; `before` is the line whose answers a followed run goes on from."""

    table: Table
    rows: Rows
    method: Method
    data: Data
    whole: Sequence[Split]
    ledger: Ledger
    asked: Asked
    tell: Tell
    place: int
    before: "Work | None"
    begun: list[int] = attrs.field(factory=list)
    answers: dict[int, Answer] = attrs.field(factory=dict)
    deadline: float = attrs.field(init=False)

    @deadline.default
    def _ends(self) -> float:
        return time.monotonic() + 60.0 * self.asked.minutes

    @property
    def at(self) -> dict[str, Any]:
        """The value of the axis, by its option."""
        return {} if self.table.axis is None else {self.table.axis.option: self.table.places[self.place]}

    @property
    def parts(self) -> list[Split]:
        """The splits, cut where the axis is the number of training rows."""
        return [some(part, self.at.get("rows")) for part in self.whole]

    @property
    def protocol(self) -> Protocol:
        return self.table.protocol

    @property
    def task(self) -> Task:
        return task_of(self.method.criterion)

    @property
    def name(self) -> str:
        """Of the settings that what is measured depends on."""
        how = [self.protocol.folds, self.protocol.on, *([self.protocol.rows] if self.protocol.rows else [])]
        chosen = how if self.method.grid else None
        followed = [self.table.places[: self.place]] if self.table.followed else []
        return digest([self._drawn, self.at, said(self.method), chosen, *followed])

    @property
    def _drawn(self) -> list[Any]:
        splits = [self.protocol.own, self.protocol.test, said(self.rows)]
        return [kernelopt.__version__, self.asked.seed, self.data.X.shape, splits]

    def line(self) -> Line:
        """All splits, as far as the time goes."""
        outcomes: list[Outcome] = []
        notes = [RANDOM] if self.protocol.own and not self.data.own else []
        try:
            outcomes.extend(self._outcome(k) for k in range(len(self.parts)))  # what there is stays
        except _OutOfTime:
            allowed = _words(self.asked.minutes)
            notes.append(f"over time: {allowed} sufficed for {len(outcomes)} of {len(self.parts)} splits")
        except KerneloptError as error:
            notes.append(f"refused: {error}")
        rivals = [self._rival(k) for k in range(len(outcomes))] if self.table.quality else []
        notes.extend(self._unfinished(outcomes))
        notes.extend(self._choices_in_haste())
        found = tuple(outcomes), tuple(rivals)
        return Line(self.rows, self.method, self.place, *found, len(self.parts), len(outcomes), tuple(notes))

    def _unfinished(self, outcomes: Sequence[Outcome]) -> list[str]:
        """How many splits did not reach the tolerance, and whether for want of time; the steps of an axis are few."""
        notes = []
        cut = [held for held in self._solves[: len(outcomes)] if held is not None and _outcome_of(held).cut]
        if cut:
            notes.append(f"over time: {len(cut)} of {len(outcomes)} ended after {_time(cut)}, before the tolerance")
        others = sum(not one.converged for one in outcomes) - len(cut)
        if others and "max_steps" not in self.at and self.method.max_steps is None:
            notes.append(f"{others} of {len(outcomes)} not converged")
        return notes

    def _outcome(self, k: int) -> Outcome:
        held = self.ledger.find(self.name, "solve", k)
        if held is not None and not self._worth_more_time(held):
            return _outcome_of(held)
        values = {**self.at, **self._chosen(k)}
        options = self._options(self.parts[k], values)
        if not self.begun:
            _measure.warmed(self.data, self.parts[k], options)
            self.begun.append(k)
        self._told(f"split {k + 1} of {len(self.parts)}")
        outcome = self._measured(k, {**options, "max_seconds": self._left()})
        self._append("solve", self.name, k, attrs.asdict(outcome))
        return outcome

    def _measured(self, k: int, options: Mapping[str, Any]) -> Outcome:
        """What a solve of split k measures; it goes on from the place before, if that was solved in this process."""
        if not self.table.followed:
            return _measure.outcome(self.task, self.data, self.parts[k], options)
        earlier = None if self.before is None else self.before.answers.get(k)
        self.answers[k] = _measure.gone_on(self.task, self.data, self.parts[k], options, earlier)
        return self.answers[k].outcome

    def _worth_more_time(self, held: Mapping[str, Any]) -> bool:
        """Whether the time was over then, and there is more now."""
        return _outcome_of(held).cut and bool(held["minutes"] < self.asked.minutes)

    def _rival(self, k: int) -> Outcome:
        name = digest([self._drawn, self.at.get("rows"), "rbf"])
        held = self.ledger.find(name, "rbf", k)
        if held is not None:
            return _outcome_of(held)
        self._told(f"RBF SVM, split {k + 1} of {len(self.parts)}")
        outcome = _measure.rival(self.task, self.data, self.parts[k], self.asked.seed)
        self._append("rbf", name, k, attrs.asdict(outcome))
        return outcome

    def _chosen(self, k: int) -> _choice.Values:
        """The values of the grid for split k."""
        if not self.method.grid:
            return {}
        if self.protocol.on == EACH:
            return self._choice(k)
        return _choice.median(
            self.method.grid, [self._choice(j) for j in range(min(int(self.protocol.on), len(self.parts)))]
        )

    def _choice(self, k: int) -> _choice.Values:
        held = self.ledger.find(self.name, "choice", k)
        if held is not None:
            return dict(held["values"])
        self._told(f"{', '.join(self.method.grid)} chosen on split {k + 1}")
        train = self.parts[k][0][: self.protocol.rows]
        parts = _choice.folds(self.data, train, self.task, self.protocol.folds, self.asked.seed)
        values = _choice.best(self.method.grid, list(enumerate(parts)), partial(self._lost, k))
        self._append("choice", self.name, k, None, values=values)
        return values

    def _lost(self, k: int, fold: tuple[int, Split], values: Mapping[str, Any]) -> float:
        """What is lost with these values on a fold of split k; kept, so that a choice that takes long goes on."""
        number, part = fold
        kind = _kind(values, number)
        held = self.ledger.find(self.name, kind, k)
        if held is not None:
            return float(held["lost"])
        options = self._options(part, {**self.at, **values})
        loss = _measure.loss(self.task, self.data, part, {**options, "max_seconds": self._left() / self._to_do})
        self._append(kind, self.name, k, None, lost=loss.value, cut=loss.cut)
        return loss.value

    @property
    def _folds(self) -> list[Mapping[str, Any] | None]:
        """What the file has of the solves that choose, one for each value of the grid, fold and split."""
        splits = len(self.parts) if self.protocol.on == EACH else min(int(self.protocol.on), len(self.parts))
        kinds = [_kind(one, fold) for one in _choice.tried(self.method.grid) for fold in range(self.protocol.folds)]
        return [self.ledger.find(self.name, kind, k) for k in range(splits) for kind in kinds]

    @property
    def _solves(self) -> list[Mapping[str, Any] | None]:
        """What the file has of the splits."""
        return [self.ledger.find(self.name, "solve", k) for k in range(len(self.parts))]

    @property
    def _to_do(self) -> int:
        """How many solves share what is left of the time: those that choose, and one for each split."""
        return max([*self._folds, *self._solves].count(None), 1)

    def _choices_in_haste(self) -> list[str]:
        """How many of the solves that choose ended with their share of the time."""
        notes = []
        held = [one for one in self._folds if one is not None] if self.method.grid else []
        cut = [one for one in held if one.get("cut")]
        if cut:
            notes.append(f"{len(cut)} of the {len(held)} solves that choose ended with their share of {_time(cut)}")
        return notes

    def _options(self, part: Split, values: Mapping[str, Any]) -> dict[str, Any]:
        y = self.data.y[part[0]]
        units = {"n": float(len(y)), "sd": float(np.std(y, ddof=1)) if self.task == "regression" else 1.0}
        return {**options_of(self.method, values, units, self.data.X.shape[1]), "seed": self.asked.seed}

    def _left(self) -> float:
        left = self.deadline - time.monotonic()
        if left <= 0.0:
            raise _OutOfTime
        return left

    def _told(self, what: str) -> None:
        self.tell(f"{self.rows.name}, {self.method.name}: {what}")

    def _append(self, kind: str, settings: str, split: int, outcome: Any, **more: Any) -> None:
        told = {"table": self.table.key, "set": self.rows.name, "method": self.method.name, "place": self.at}
        what = {"settings": settings, "kind": kind, "split": split, "outcome": outcome}
        self.ledger.append({**told, **what, "minutes": self.asked.minutes, **more})


def _time(held: Sequence[Mapping[str, Any]]) -> str:
    """The time of the line when these solves ended with it; the longest, if they had different ones."""
    return _words(max(one["minutes"] for one in held))


def _words(minutes: float) -> str:
    return "1 minute" if minutes == 1.0 else f"{minutes:g} minutes"


def _kind(values: Mapping[str, Any], fold: int) -> str:
    """What the file calls the loss with these values of a grid on a fold."""
    return f"loss {json.dumps(values)}, fold {fold}"


def said(value: Method | Rows) -> dict[str, Any]:
    """What a file says that changes what is measured; entries that it leaves out do not count."""
    left_out = ("name", "reason", "paper", "methods")
    return {key: one for key, one in attrs.asdict(value).items() if key not in left_out and one not in (None, (), {})}


def _outcome_of(line: Mapping[str, Any]) -> Outcome:
    return Outcome(**line["outcome"])
