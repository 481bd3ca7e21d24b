"""Columns of a table that cannot be learned from: all of them in one sentence, with what to do."""

from collections.abc import Sequence

import attrs

from kernelopt._base._errors import InvalidData
from kernelopt._base._plain_numbers import counted

_MOST_FAULTS = 8
"""So many columns that cannot be learned from are told of in a sentence."""


@attrs.frozen
class Fault:
    """Why a column cannot be learned from.

    Attributes:
        column: its name, or its number.
        fault: what it holds, as in "holds durations".
        advice: what to do about it.
        shown: the cell that the fault names, where it names one.
    """

    column: str
    fault: str
    advice: str
    shown: str = ""

    def at(self, line: int) -> "Fault":
        """The same with the line of the cell that it names."""
        return attrs.evolve(self, fault=f"{self.fault} (line {line})")


def missing_target(source: str, place: str, name: str, others: int, *, part: bool = False) -> InvalidData:
    """The error that targets are missing.

    Args:
        source: the file.
        place: of the first row that lacks its target, such as "line 3".
        name: of the target.
        others: how many more rows were seen to lack theirs.
        part: whether these are the rows of a part of the file.
    """
    if not others:
        return InvalidData(f"{source}, {place}: the target {name!r} is missing; drop the row")
    more = f"{'at least ' if part else ''}{counted(others, 'more row')}"
    return InvalidData(
        f"{source}, {place}: the target {name!r} is missing, as in {more}; drop these rows, for example with "
        f"table.dropna(subset=[{name!r}]) of pandas"
    )


def refusal(name: str, faults: Sequence[Fault], *, named: bool = True) -> InvalidData:
    """The error that names all columns that cannot be learned from, with what to do.

    Args:
        name: of the table.
        faults: at least one.
        named: whether the columns have names, and not numbers alone.
    """
    columns = tuple(fault.column for fault in faults)
    called = [repr(column) if named else column for column in columns]
    if len(faults) == 1:
        return InvalidData(
            f"{name}: column {called[0]} {faults[0].fault}; {faults[0].advice}", columns if named else ()
        )
    advised: dict[str, list[str]] = {}
    for one, fault in zip(called[:_MOST_FAULTS], faults, strict=False):
        advised.setdefault(fault.advice, []).append(f"{one} {fault.fault}")
    told = "; ".join(f"{', '.join(some)}: {advice}" for advice, some in advised.items())
    more = f"; and {len(faults) - _MOST_FAULTS} more" if len(faults) > _MOST_FAULTS else ""
    return InvalidData(f"{name}: {len(faults)} columns cannot be learned from: {told}{more}", columns if named else ())
