"""How long what follows the choice of landmarks will take, where time is short."""

import math
import time

import attrs

from kernelopt._api._validate import Request
from kernelopt._base._budget import Budget
from kernelopt._base._interrupts import Gate
from kernelopt._evidence._criterion import Evidence
from kernelopt._families.features._feature_rows import most_held
from kernelopt._linalg._factor_time import TRIED, seconds_of_a_factor

_SUMMED, _BY_ODDS = (1.6, 2.0), (2.5, 6.0)
"""A row takes so many times as long as in the choice of landmarks, which is O(r^2): for its features and its share in
the sums, and with the mode of classes besides; the first of both where features are held, the second where each pass
computes them anew. Guards: where it takes longer, fewer rows are summed up."""
_SOLVED = 80.0
"""What all rows say of r landmarks, and what predicts, take as long as so many Cholesky factorisations of order r: a
guard, for of four tables of 5000 rows it was 63 to 83, the sums included."""


@attrs.frozen(eq=False)
class Pace:
    """What the choice of landmarks says of the time that follows it, which grows with their number as the choice does.

    Attributes:
        began: when the choice began.
        candidates: from how many rows.
        passed: how many rows' time the passes over all rows will take, while their features are held.
        prepared: how many rows are prepared in these passes, as the candidates were before the first landmark: trees of
            a kernel, for example, find the leaf of each row. That takes as long for few landmarks as for many.
        budget: of all.
        cube: the seconds of the weights for each landmark to the power 3.
        anew: as `passed`, where each pass computes the features anew.
        held: of how many landmarks the features are held at most.
    """

    began: float
    candidates: int
    passed: float
    budget: Budget
    cube: float = 0.0
    prepared: float = 0.0
    anew: float = 0.0
    held: float = math.inf

    @classmethod
    def of(cls, request: Request, gate: Gate, criterion: Evidence, candidates: int) -> "Pace":
        training = request.training
        by_odds = training.classes is not None and criterion.by_odds(training.y.shape[1])
        n, held = request.n, request.rows is None and request.settings.device is None
        passed, anew = (times * n for times in (_BY_ODDS if by_odds else _SUMMED))
        cube = 0.0 if request.deadline is None else _SOLVED * seconds_of_a_factor(TRIED) / TRIED**3
        budget = Budget(request.deadline, lambda: gate.asked)
        most = most_held(n) if held else 0
        return cls(time.monotonic(), candidates, passed, budget, cube, max(_SUMMED) * n, anew, most)

    def ahead(self, r: int) -> float:
        """The seconds that the weights will take with r landmarks."""
        return self.cube * r**3

    def stop(self, r: int, prepared: float = 0.0) -> bool:
        """Whether with more than r landmarks there would be no time for all that follows, where the candidates were
        prepared for so many seconds.
        """
        once = prepared * self.prepared / self.candidates
        passed = self.passed if r <= self.held else self.anew
        return not self.budget.allows(once + self._for(passed, prepared) + self.ahead(r))

    def whole(self, r: int, n: int, prepared: float = 0.0) -> bool:
        """Whether there is time for the kernel between all n rows, and as long again for its machine, by that between
        the candidates and r landmarks, where the former were prepared for so many seconds.
        """
        return self.budget.allows(prepared * n / self.candidates + self._for(n * n / r, prepared))

    def _for(self, rows: float, prepared: float) -> float:
        """The seconds that so many rows would have taken until now, once they were prepared."""
        return (time.monotonic() - self.began - prepared) * rows / self.candidates
