"""The interior point where lists of features are on so many rows that these are gone over in blocks."""

import attrs
import numpy as np

from kernelopt.interior import RowSystem, advance_by_rows, begun_by_rows, proved_by_rows
from kernelopt.plugin import Problem, State


@attrs.frozen(eq=False)
class RowState(State):
    """A point of the central path, with the sums over all rows."""

    system: RowSystem = attrs.field(kw_only=True)


def begun(problem: Problem) -> RowState:
    """In the middle."""
    system = begun_by_rows(problem)
    return RowState(0, *proved_by_rows(problem, system), system=system)


def stepped(problem: Problem, state: RowState) -> RowState:
    """The next state: four passes over the rows."""
    try:
        system = advance_by_rows(state.system)
    except np.linalg.LinAlgError as stuck:
        return attrs.evolve(state, step=state.step + 1, stalled=True, note=str(stuck))
    mu = system.point.mu(system.hull.qp)
    return RowState(state.step + 1, *proved_by_rows(problem, system), note=f"mu {mu:.1e}", system=system)
