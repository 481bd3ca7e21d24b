"""Kernel learning without tuning: `family="auto"` by the evidence, which is what `kernelopt.solve(X, y)` does."""

import kernelopt
from benchmarks import _problems
from benchmarks._timed import Timed


class Auto(Timed):
    """Rows few enough that the Grams of the kernels are held."""

    params: tuple[int, ...] = (200,)
    param_names = ("rows",)
    columns, tol = 10, 1e-3

    def setup(self, rows: int) -> None:
        self.X, self.y = _problems.rows((rows, self.columns))

    def _solved(self) -> kernelopt.Solution:
        return kernelopt.solve(self.X, self.y, family="auto", criterion="evidence", tol=self.tol)

    def time_to_a_thousandth(self, _: int) -> None:
        self._solved()

    def track_steps(self, _: int) -> int:
        return self._solved().steps
