"""A run step by step."""

from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from kernelopt._base._errors import MissingLibrary
from kernelopt._base._html import Cell, grid
from kernelopt._base._svg import course
from kernelopt._base._typing import FloatArray

if TYPE_CHECKING:
    import pandas as pd

_MOST_LINES = 40
"""A longer table shows its beginning and its end."""


@attrs.frozen
class Record:
    """One step of a run, as callbacks get it and the trace keeps it.

    Attributes:
        step: the number of the step; 0 is the start.
        seconds: the time since the run began, without the compilation by numba.
        upper, lower: the best bounds so far.
        relative_gap: the relative gap of these bounds.
        atoms: how many atoms of the current mixture weigh more than a two-thousandth of their family.
        support: how many support vectors the current machine has. An interior point, whose dual variables are never
            exactly at a bound, counts those that will be away from zero in the end.
        note: what the solver says about the step, and the families about their searches.
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
        """A mapping from each field of `Record` to its values, one for each step."""
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

    @property
    def picture(self) -> str:
        """A picture of the bounds step by step for HTML; "" if the run has fewer than two records."""
        if len(self) < 2:
            return ""
        upper, lower, gaps = (finite(self, name) for name in ("upper", "lower", "relative_gap"))
        limits = limits_of(upper, lower, gaps)
        return "" if limits is None else course(upper, lower, limits, "upper and lower bound, step by step")

    def __repr__(self) -> str:
        if not self:
            return "<Trace: no steps>"
        return f"<Trace: {len(self)} records, relative gap {self[0].relative_gap:.1e} to {self[-1].relative_gap:.1e}>"

    def _repr_html_(self) -> str:
        rows = [[Cell(word) for word in _cells(record)] for record in self._shown(_MOST_LINES // 4)]
        return grid("Trace", _HEAD, rows, [self.picture])

    def _shown(self, most: int) -> tuple[Record | None, ...]:
        """The records of a short table; None for those that it leaves out."""
        return tuple(self) if len(self) <= most else (*self[: most // 2], None, *self[-(most // 2) :])

    def __str__(self) -> str:
        """The table in words: of a long run the first and the last steps."""
        if not self:
            return "no steps"
        rows = [_HEAD, *(_cells(record) for record in self._shown(_MOST_LINES))]
        widths = [max(len(row[k]) for row in rows) for k in range(len(_HEAD) - 1)]
        lines = ["  ".join([*map(str.rjust, row[:-1], widths), row[-1]]).rstrip() for row in rows]
        return "\n".join(lines)


def finite(trace: tuple[Record, ...], name: str) -> FloatArray:
    """One field of all records, shape (k,); NaN where it is infinite: for pictures."""
    values = np.array([getattr(record, name) for record in trace], dtype=np.float64)
    return np.where(np.isfinite(values), values, np.nan)


def limits_of(
    upper: FloatArray, lower: FloatArray, gaps: FloatArray, baseline: float | None = None
) -> tuple[float, float] | None:
    """Room in a picture for the upper bounds (k,), and for the lower ones from the first that is near; None for none.

    Args:
        upper: the one bound.
        lower: the other.
        gaps: relative, of each step.
        baseline: another number that is to be in the picture.
    """
    known = [] if baseline is None else [baseline]
    values = np.concatenate([upper, lower[gaps <= 1.0], known, lower[-1:]])
    values = values[np.isfinite(values)]
    if not values.size:
        return None
    room = 0.06 * (float(np.ptp(values)) or abs(float(values[0])) or 1.0)
    return float(values.min()) - room, float(values.max()) + room


_HEAD = ("step", "time", "lower", "upper", "relative gap", "atoms", "support vectors", "note")


def _cells(record: Record | None) -> tuple[str, ...]:
    """A line of the table; None is what was left out."""
    if record is None:
        return ("...", *[""] * (len(_HEAD) - 1))
    numbers = (f"{record.seconds:.2f} s", f"{record.lower:.6g}", f"{record.upper:.6g}", f"{record.relative_gap:.1e}")
    return (f"{record.step}", *numbers, f"{record.atoms}", f"{record.support}", record.note)
