"""The most memory that a whole run takes, the interpreter and its libraries included."""

import kernelopt
from benchmarks import _problems
from benchmarks._timed import Timed


class Memory(Timed):
    params = (("fw", "ipm"), (400, 1600))
    param_names = ("solver", "rows")
    columns = 10
    steps = 3

    def setup(self, _: str, rows: int) -> None:
        self.X, self.y = _problems.rows((rows, self.columns))

    def peakmem_solve(self, solver: str, _: int) -> None:
        kernelopt.solve(self.X, self.y, family="tk", solver=solver, tol=1e-6, max_steps=self.steps)
