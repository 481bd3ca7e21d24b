"""What a working set knows between two steps."""

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._saddle._contract import State
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response
from kernelopt._saddle._row_subset import (
    Chosen,
)


@attrs.frozen(eq=False)
class WorkingState(State):
    """The samples in play, as a problem of their own, and the inner solver's state on it.

    Attributes:
        chosen: the samples in play, and which of their variables move.
        inner_problem: the problem on them.
        inner: the inner solver's state.
        upper: the best upper bound so far, over all samples.
        lower: the best lower bound so far.
        band: samples that move at least; twice as many after a set that did not halve the gap.
        mark: the gap at the last review.
        best: the answer of all samples with the least upper bound so far, and its function on them, shape (n, c).
        rounds: how many sets there were; 0 while a random sample stands for all, which proves nothing yet.
    """

    chosen: Chosen = attrs.field(kw_only=True)
    inner_problem: Problem = attrs.field(kw_only=True)
    inner: State = attrs.field(kw_only=True)
    upper: float = attrs.field(kw_only=True)
    lower: float = attrs.field(kw_only=True)
    rounds: int = attrs.field(kw_only=True, default=0)
    band: int = attrs.field(kw_only=True, default=0)
    mark: float = attrs.field(kw_only=True, default=np.inf)
    best: tuple[Response, FloatArray] | None = attrs.field(kw_only=True, default=None)

    @property
    def unfinished(self) -> Response | None:
        """The inner solver's answer between two reviews, where it is one for all samples: they all are in the set."""
        whole = self.rounds > 0 and self.chosen.moving == sum(len(dual.alpha) for dual in self.response.duals)
        return self.inner.response if whole else None
