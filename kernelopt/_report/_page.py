"""Everything that a page tells, found before a word of it is written."""

from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._plain_numbers import counted
from kernelopt._base.tables._tables import Table, stacked
from kernelopt._criteria._contract import Task
from kernelopt._model._directions import directions
from kernelopt._model._model import Model
from kernelopt._model._solution import Solution
from kernelopt._prediction._directions import Directions
from kernelopt._report._data import Column, columns_of, target_of
from kernelopt._report._pictures import Picture, drawing, picture_of
from kernelopt._report._scores import Scores
from kernelopt._report._words import Member, glossary_of, meaning_of, members_of
from kernelopt.plot import (
    AtomsDisplay,
    BoundsDisplay,
    CalibrationDisplay,
    DirectionsDisplay,
    Display,
    ResidualsDisplay,
    WeightsDisplay,
)
from kernelopt.sklearn._beside import measured
from kernelopt.sklearn._rivals import rivals

MOST_COLUMNS = 30
"""So many columns of the data are shown; more of them open where somebody presses."""
_MOST_BARS = 16
_MOST_DRAWN = 2000
"""So many new rows at most are drawn."""
_LITTLE = ", but this means little while the predictions may be no better than one answer for all rows"


@attrs.frozen(eq=False)
class Subject:
    """What a page is about.

    Attributes:
        machine: what was learned.
        table: the rows that it learned from, or some of them.
        y: their targets; None for novelty detection.
        names: of the columns.
        target: what the targets are called.
        title: the headline.
        new: rows that were held out, with their targets; None where there are none.
        rows: how many were learned from.
        seed: of what is random.
    """

    machine: Solution | Model
    table: Table
    y: npt.NDArray[Any] | None
    names: tuple[str, ...]
    target: str
    title: str
    new: tuple[Table, npt.NDArray[Any]] | None
    rows: int
    seed: int

    @property
    def task(self) -> Task:
        return self.machine.criterion.task


@attrs.frozen(eq=False)
class Page:
    """What the template puts into words, in its order.

    Attributes:
        subject: what it is about.
        columns: the data.
        target: the targets in words, "" for none.
        scores: what was measured on rows that were held out, or None.
        belief: a picture of how far the machine can be believed, or None.
        directions: which columns matter, or None where nobody can tell.
        shares: a picture of that, or None.
        members: the kernel in words.
        kernel: a picture of it.
        course: a picture of the bounds, or None where the run is not known.
        meaning: the certificate in sentences.
    """

    subject: Subject
    columns: tuple[Column, ...]
    target: str
    scores: Scores | None
    belief: Picture | None
    directions: Directions | None
    shares: Picture | None
    members: tuple[Member, ...]
    kernel: Picture
    course: Picture | None
    meaning: tuple[str, ...]

    @classmethod
    def of(cls, subject: Subject) -> "Page":
        """Look at everything."""
        machine = subject.machine
        return cls(
            subject,
            columns_of(subject.table, subject.names),
            "" if subject.y is None else target_of(subject.y, classes=machine.classes is not None),
            _scores(subject),
            _belief(subject),
            _directions(subject),
            _shares(subject),
            members_of(machine.kernel),
            _kernel(subject),
            _course(subject),
            meaning_of(machine.certificate, machine.status),
        )

    @property
    def apart(self) -> str:
        """How many rows measured and how many were learned from, in a sentence."""
        if self.scores is None:
            return ""
        held, learned = self.scores.part.held, self.scores.part.learned
        were = "was" if held == 1 else "were"
        return (
            f"{counted(held, 'row')} {were} kept apart, and the machine learned from {counted(learned, 'other row')}."
        )

    @property
    def learned(self) -> str:
        """From how many rows was learned, in a sentence."""
        return f"{counted(self.subject.rows, 'row')} {'was' if self.subject.rows == 1 else 'were'} learned from."

    @property
    def glossary(self) -> tuple[tuple[str, str], ...]:
        """Words of the kernel with their meanings."""
        return glossary_of(self.members)

    @property
    def doubt(self) -> str | None:
        """A caution where the predictions may be no better than one answer for all rows, or None."""
        return None if self.scores is None else self.scores.caution

    @property
    def shown(self) -> tuple[Column, ...]:
        """The columns that are shown at once."""
        return self.columns[:MOST_COLUMNS]

    @property
    def gaps(self) -> bool:
        """Whether anything is missing."""
        return any(column.missing for column in self.columns)

    @property
    def folded(self) -> tuple[Column, ...]:
        """The others."""
        return self.columns[MOST_COLUMNS:]

    @property
    def lead(self) -> tuple[str, ...]:
        """The page in some sentences."""
        return tuple(_lead(self))


def _lead(page: Page) -> Iterator[str]:
    subject = page.subject
    rows, columns = counted(subject.rows, "row"), counted(len(subject.names), "column")
    classes = subject.machine.classes
    if subject.task == "novelty":
        yield f"A machine learned from {rows} of {columns} what usual rows are like, to tell those that are not."
    elif classes is not None:
        kinds = ", ".join(str(one) for one in classes.tolist()[:8])
        yield f"A machine learned from {rows} to tell {subject.target} ({kinds}) from {columns}."
    else:
        yield f"A machine learned from {rows} to predict {subject.target} from {columns}."
    if page.scores is not None:
        yield from page.scores.sentences
    elif subject.task != "novelty":
        yield "No rows were held out, so nobody knows how well it predicts new ones."
    if page.directions is not None and len(page.directions.strengths):
        shares, names = page.directions.shares, page.directions.names
        top = np.argsort(-shares, kind="stable")[:3]
        words = ", ".join(f"{names[j]} ({shares[j]:.0%})" for j in top if shares[j] >= 0.005)
        yield f"Its predictions depend the most on {words}{'' if page.doubt is None else _LITTLE}."


def _scores(subject: Subject) -> Scores | None:
    """Of targets that are one for each row."""
    if subject.new is None or subject.y is None or subject.y.ndim > 1:
        return None
    table, y = subject.new
    both = stacked([subject.table, table])
    targets = np.concatenate([subject.y, y])
    n = len(subject.table)
    split = np.arange(n), np.arange(n, len(both))
    others = rivals(both, targets, subject.task, subject.seed)
    part = measured(subject.machine, both, targets, split, subject.task, others)
    return Scores(attrs.evolve(part, learned=subject.rows), subject.task)


def _belief(subject: Subject) -> Picture | None:
    """How far the machine can be believed, where it says how sure it is, or predicts numbers."""
    machine = subject.machine
    if subject.new is None or subject.task == "novelty":
        return None
    table, y = subject.new
    with drawing() as ax:
        if subject.task == "classification":
            if machine.odds is None:
                return None
            display: Display = CalibrationDisplay.from_solution(machine, table, y, ax=ax)
            return picture_of(display, "observed frequencies against predicted probabilities")
        some = np.unique(np.linspace(0, len(table) - 1, min(len(table), _MOST_DRAWN)).astype(np.intp))
        display = ResidualsDisplay.from_solution(machine, table[some], y[some], target=subject.target, ax=ax)
        return picture_of(display, "residuals of the rows that were held out, against what was predicted")


def _directions(subject: Subject) -> Directions | None:
    if subject.machine.kernel.sparse:
        return None
    return directions(subject.machine.named(subject.names), subject.table)


def _shares(subject: Subject) -> Picture | None:
    if subject.machine.kernel.sparse:
        return None
    with drawing() as ax:
        display: Display = DirectionsDisplay.from_solution(
            subject.machine, subject.table, names=subject.names, most=_MOST_BARS, ax=ax
        )
    return picture_of(display, "the share of each column in what is predicted, and the leading directions")


def _kernel(subject: Subject) -> Picture:
    machine = subject.machine
    names = None if machine.kernel.sparse else subject.names
    alone = sum(part.mass > 0.0 for part in machine.kernel.mixture.parts) == 1
    with drawing() as ax:
        display: Display = (
            AtomsDisplay.from_solution(machine, names=names, most=_MOST_BARS, ax=ax)
            if alone
            else WeightsDisplay.from_solution(machine, atoms=True, names=names, most=_MOST_BARS, ax=ax)
        )
    return picture_of(display, "the weights of the learned kernel")


def _course(subject: Subject) -> Picture | None:
    if not isinstance(subject.machine, Solution) or len(subject.machine.trace) < 2:
        return None
    with drawing() as ax:
        display = BoundsDisplay.from_solution(subject.machine, ax=ax)
    return picture_of(display, "the two bounds, step by step")
