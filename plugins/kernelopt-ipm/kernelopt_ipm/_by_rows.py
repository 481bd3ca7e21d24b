"""The interior point where lists of features are on so many rows that these are gone over in blocks."""

import attrs
import numpy as np

from kernelopt.interior import RowStage, advanced_by_rows, begun_by_rows, proved_by_rows
from kernelopt.plugin import Budget, Problem, State


@attrs.frozen(eq=False)
class RowState(State):
    """A point of the central path with the sums over all rows, or an answer with some of the variables."""

    stage: RowStage = attrs.field(kw_only=True)


def begun(problem: Problem, budget: Budget) -> RowState:
    """In the middle, or near the answer for some of very many rows."""
    stage = begun_by_rows(problem, budget)
    return RowState(0, *proved_by_rows(problem, stage), stage=stage)


def stepped(problem: Problem, state: RowState, budget: Budget) -> RowState:
    """The next state: some passes over the rows."""
    try:
        stage = advanced_by_rows(state.stage, budget.cancelled)
    except np.linalg.LinAlgError as stuck:
        return attrs.evolve(state, step=state.step + 1, stalled=True, note=str(stuck))
    return RowState(state.step + 1, *proved_by_rows(problem, stage), note=stage.note, stage=stage)
