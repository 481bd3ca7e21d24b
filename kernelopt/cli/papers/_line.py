"""What the user wants of a table, and a line of the printed table."""

from collections.abc import Sequence

import attrs

from kernelopt.cli.papers._definition import Method, Rows
from kernelopt.cli.papers._measure import Outcome

EMPTY = ("not run", "over time", "refused")
"""How the note begins on a line that may have no number."""


@attrs.frozen
class Asked:
    """What the user wants of a table.

    Attributes:
        splits: how many at most.
        minutes: for each line of the table, by the clock.
        seed: of everything random.
        places: so many of the axis at most; None: all.
    """

    splits: int
    minutes: float
    seed: int = 0
    places: int | None = None


@attrs.frozen
class Line:
    """A line of the printed table.

    Attributes:
        rows, method: of the table.
        place: the number of the place on the axis.
        outcomes: one for each split that was finished.
        rivals: of the RBF SVM on the same splits.
        wanted: the number of splits that were asked for, or that there are.
        done: the number of splits that were finished.
        notes: what the reader should know.
    """

    rows: Rows
    method: Method
    place: int = 0
    outcomes: tuple[Outcome, ...] = ()
    rivals: tuple[Outcome, ...] = ()
    wanted: int = 0
    done: int = 0
    notes: tuple[str, ...] = ()

    @property
    def why_empty(self) -> str | None:
        """Why there is no number, in a word or two, or None; the reason of a set without data stands once."""
        if self.done or not self.wanted:
            return None if self.done else EMPTY[0]
        return next((word for word in EMPTY for note in self.notes if note.startswith(f"{word}:")), None)

    @classmethod
    def averaged(cls, places: Sequence["Line"]) -> "Line":
        """One line of all places of an axis, whose outcomes are the means of the places."""
        found = tuple(Outcome.mean(one.outcomes) for one in places if one.outcomes)
        rivals = tuple(Outcome.mean(one.rivals) for one in places if one.rivals)
        notes = tuple(dict.fromkeys(note for one in places for note in one.notes))
        fewest = min(len(one.outcomes) for one in places)
        notes = (*notes, f"the mean over {len(found)} settings")
        return cls(places[0].rows, places[0].method, 0, found, rivals, places[0].wanted, fewest, notes)
