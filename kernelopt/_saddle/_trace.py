"""A run step by step."""

from typing import TYPE_CHECKING, Any

import attrs

from kernelopt._base._errors import MissingLibrary

if TYPE_CHECKING:
    import pandas as pd

_MOST_LINES = 40
"""A longer table shows its beginning and its end."""


@attrs.frozen
class Record:
    """One step of a run, as progress bars, callbacks and the trace see it.

    Attributes:
        step: 0 is the start.
        seconds: since the run began.
        upper, lower: the best bounds so far.
        relative_gap: theirs.
        atoms: of the current mixture, those that weigh more than a two-thousandth of their family.
        support: support vectors of the current response; of one from the inside of the box, those that it is about to
            have.
        note: what the solver says of the step, and the families of their searches.
    """

    step: int
    seconds: float
    upper: float
    lower: float
    relative_gap: float
    atoms: int
    support: int
    note: str = ""


class Trace(tuple[Record, ...]):
    """The records of a run: a tuple of them that is also a table.

    `trace[-1].upper` is a number of one step, `trace.columns()["upper"]` that number of every step, and `print(trace)`
    shows the table.
    """

    __slots__ = ()

    def columns(self) -> dict[str, list[Any]]:
        """Every field of the records: its values, one for each step."""
        return {field.name: [getattr(record, field.name) for record in self] for field in attrs.fields(Record)}

    def to_pandas(self) -> "pd.DataFrame":
        """A data frame with one row for each step and one column for each field of `Record`.

        Raises:
            MissingLibrary: pandas is not installed.
        """
        try:
            from pandas import DataFrame
        except ImportError:
            raise MissingLibrary(
                "to_pandas needs pandas, which is not installed; install it with: python -m pip install pandas; "
                "columns() does without"
            ) from None
        return DataFrame(self.columns())

    def __str__(self) -> str:
        """The table in words: of a long run the first and the last steps."""
        if not self:
            return "no steps"
        half = _MOST_LINES // 2
        shown = self if len(self) <= _MOST_LINES else (*self[:half], None, *self[-half:])
        rows = [_HEAD, *(_cells(record) for record in shown)]
        widths = [max(len(row[k]) for row in rows) for k in range(len(_HEAD) - 1)]
        lines = ["  ".join([*map(str.rjust, row[:-1], widths), row[-1]]).rstrip() for row in rows]
        return "\n".join(lines)


_HEAD = ("step", "time", "lower", "upper", "relative gap", "atoms", "support vectors", "note")


def _cells(record: Record | None) -> tuple[str, ...]:
    """A line of the table; None is what was left out."""
    if record is None:
        return ("...", *[""] * (len(_HEAD) - 1))
    numbers = (f"{record.seconds:.2f} s", f"{record.lower:.6g}", f"{record.upper:.6g}", f"{record.relative_gap:.1e}")
    return (f"{record.step}", *numbers, f"{record.atoms}", f"{record.support}", record.note)
