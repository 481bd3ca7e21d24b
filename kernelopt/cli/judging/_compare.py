"""`kernelopt compare`: families, solvers and criteria side by side on the same rows."""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import attrs
import numpy as np
from rich.console import Console, Group
from rich.padding import Padding
from rich.text import Text

from kernelopt._api._family_specs import terms
from kernelopt._base._errors import KerneloptError
from kernelopt._base._status import Status
from kernelopt._criteria._contract import Task
from kernelopt._plugins._registry import resolve
from kernelopt._prediction._errors import measure
from kernelopt._saddle._saddle_objective import objective_of
from kernelopt.cli import _specs
from kernelopt.cli._layout import Column, Grid, Row
from kernelopt.cli.judging import _trials
from kernelopt.cli.reading._rows import Rows
from kernelopt.cli.reading._view_columns import Columns, on_views
from kernelopt.sklearn._beside import Split

_AUTO, _EVIDENCE = "auto", "evidence"


@attrs.frozen
class Candidate:
    """A combination, as it was typed, and the columns of each view by number, if there are views.

    Attributes:
        typed_family: None where no family was typed: then it is the one that suits the criterion.
    """

    typed_family: str | None
    solver: str
    criterion: str
    views: Columns = ()

    @property
    def family(self) -> str:
        """The family that was typed, or the name of the one that `kernelopt.solve` takes with this criterion."""
        if self.typed_family is not None:
            return self.typed_family
        if self.views:
            return "ready list"
        return objective_of(resolve("criterion", _specs.parse_criterion(self.criterion))).default_family()[0]

    @property
    def typed(self) -> dict[str, str]:
        """The words for family, solver and criterion."""
        return {"family": self.family, "solver": self.solver, "criterion": self.criterion}

    @property
    def specs(self) -> dict[str, Any]:
        """What `kernelopt.solve` takes."""
        return {
            "family": on_views(self.views, _specs.parse_family(self.typed_family)),
            "solver": _specs.parse_solver(self.solver),
            "criterion": _specs.parse_criterion(self.criterion),
        }


@attrs.frozen
class Entry:
    """What came out of a combination.

    Attributes:
        candidate: the combination.
        trials: one for each split that was finished.
        reason: why it was refused, or None.
    """

    candidate: Candidate
    trials: tuple[_trials.Trial, ...] = ()
    reason: str | None = None

    @property
    def error(self) -> float:
        """The mean error; infinite where there is none."""
        return float(np.mean([trial.error for trial in self.trials])) if self.trials else np.inf

    @property
    def gap(self) -> float:
        """The largest relative gap."""
        return max(trial.relative_gap for trial in self.trials)

    @property
    def states(self) -> tuple[str, ...]:
        """How the solves ended, each status once."""
        return tuple(dict.fromkeys(trial.status for trial in self.trials))


@attrs.frozen
class Comparison:
    """All combinations that were tried, in their order."""

    task: Task
    entries: tuple[Entry, ...]
    interrupted: bool


def criteria_for(families: Sequence[str], criteria: Sequence[str]) -> list[str]:
    """The criteria that were typed; where none was, the one that `kernelopt.solve` takes: "auto" stands for what the
    targets suggest to families that are named, and for the evidence where none is.
    """
    named = list(criteria) or [_AUTO]
    return named if families else [_EVIDENCE if one == _AUTO else one for one in named]


def candidates(families: Sequence[str], solvers: Sequence[str], criteria: Sequence[str]) -> tuple[Candidate, ...]:
    """Every family with every solver and every criterion; without families, each criterion with the one that suits it.

    Raises:
        UnknownName, BrokenPlugin, InvalidOption: one of them does not exist, whatever the others are.
    """
    left_open: tuple[str | None, ...] = (None,)
    found = tuple(Candidate(*one) for one in product(families or left_open, solvers or [_AUTO], criteria))
    for candidate in found:
        specs = candidate.specs
        if specs["family"] is not None:
            tuple(terms(specs["family"]))
        if specs["solver"] != _AUTO:
            resolve("solver", specs["solver"])
        if specs["criterion"] is not None:
            resolve("criterion", specs["criterion"])
    return found


Watch = Callable[[Candidate, int], dict[str, Any]]
"""Told of each solve before it begins; gives further options for it."""


def compare(
    rows: Rows, task: Task, tried: Sequence[Candidate], parts: Sequence[Split], watch: Watch, **options: Any
) -> Comparison:
    """Solve every combination on every split; an interruption keeps what there is."""
    entries: list[Entry] = []
    for candidate in tried:
        entry, interrupted = _entry(rows, task, candidate, parts, watch, options)
        entries.append(entry)
        if interrupted:
            return Comparison(task, tuple(entries), interrupted=True)
    return Comparison(task, tuple(entries), interrupted=False)


def _entry(
    rows: Rows,
    task: Task,
    candidate: Candidate,
    parts: Sequence[Split],
    watch: Watch,
    options: dict[str, Any],
) -> tuple[Entry, bool]:
    """What came out of one combination, and whether it was interrupted."""
    specs = candidate.specs
    found: list[_trials.Trial] = []
    try:
        for k, part in enumerate(parts):
            found.append(_trials.trial(rows, part, task, **specs, **options, **watch(candidate, k)))
            if found[-1].interrupted:
                return Entry(candidate, tuple(found)), True
    except KerneloptError as error:
        return Entry(candidate, reason=str(error)), False
    except KeyboardInterrupt:
        return Entry(candidate, tuple(found)), True
    return Entry(candidate, tuple(found)), False


def as_mapping(comparison: Comparison) -> dict[str, Any]:
    """The comparison for a program."""
    entries = [
        {**entry.candidate.typed, "trials": [attrs.asdict(one) for one in entry.trials], "reason": entry.reason}
        for entry in comparison.entries
    ]
    return {"measure": measure(comparison.task), "entries": entries, "interrupted": comparison.interrupted}


def show(comparison: Comparison, title: str) -> None:
    """Print the table on stdout, and below it why combinations were refused."""
    several = len({entry.candidate.criterion for entry in comparison.entries}) > 1
    names = ("family", "solver", *(["criterion"] if several else []))
    numbers = ("gap", measure(comparison.task), "time", "SV")
    columns = (
        *(Column(name, names=True) for name in names),
        *(Column(name, number=True) for name in numbers),
        Column("status"),
    )
    best = min((entry.error for entry in comparison.entries), default=np.inf)
    rows = []
    for entry in comparison.entries:
        bold = bool(entry.trials) and entry.error == best
        cells = (*(Text(getattr(entry.candidate, name)) for name in names), *_cells(entry, comparison.task))
        rows.append(Row(cells, "bold" if bold else ""))
    refused = dict.fromkeys(entry.reason for entry in comparison.entries if entry.reason is not None)
    reasons = (Padding(Text(reason), (0, 0, 0, 2)) for reason in refused)
    Console().print(Group(Text(title), Grid(columns, tuple(rows)), *reasons))


def _cells(entry: Entry, task: Task) -> list[Text]:
    if not entry.trials:
        return [*[Text("-")] * 4, Text("not solved" if entry.reason is None else "refused", style="yellow")]
    certified = all(trial.exact for trial in entry.trials)
    good = all(Status[state].converged for state in entry.states)
    return [
        Text(f"{entry.gap:.1e}" + ("" if certified else " est.")),
        Text(_trials.in_words(task, [trial.error for trial in entry.trials])),
        Text(f"{np.mean([trial.seconds for trial in entry.trials]):.2f} s"),
        Text(f"{np.mean([trial.support for trial in entry.trials]):.0f}"),
        Text(", ".join(entry.states), style="green" if good else "yellow"),
    ]
