"""Who follows a run: observers, whoever keeps its best answer, a clock, and the gate by which Ctrl-C comes."""

from collections.abc import Callable

import attrs

from kernelopt._base._interrupts import Gate
from kernelopt._base._working_time import working
from kernelopt._saddle._response import Response
from kernelopt._saddle._trace import Record

Observer = Callable[[Record], object]
"""Gets every record; whoever returns True stops the run."""
Keep = Callable[[Response, bool], object]
"""Gets the best answer after each step, and once more at the end: then with True."""


def _forgotten(response: Response, final: bool) -> None:
    """Keep nothing."""


@attrs.frozen(eq=False)
class Watch:
    """Who follows a run; by default nobody does, and it begins now.

    Attributes:
        observers: get every record.
        keep: gets the best answer so far.
        began: when the user's call began, on the clock of `working`.
        interrupted: whether somebody asked to stop before the run.
        gate: where Ctrl-C is let in.
    """

    observers: tuple[Observer, ...] = ()
    keep: Keep = _forgotten
    began: float = attrs.field(factory=working)
    interrupted: bool = False
    gate: Gate = attrs.field(factory=Gate)
