"""The most memory that a whole run takes, the interpreter and its libraries included."""

import numpy as np
import pandas as pd

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


class MemoryOfCategories(Timed):
    """Two columns of so many different words."""

    params = (10, 2000)
    param_names = ("words",)
    rows = 3000

    def setup(self, words: int) -> None:
        X, self.y = _problems.rows((self.rows, 4))
        names = np.random.default_rng(0).integers(0, words, (self.rows, 2))
        self.X = pd.DataFrame(X).assign(**{f"name {j}": [f"n{k}" for k in names[:, j]] for j in range(2)})

    def peakmem_solve(self, _: int) -> None:
        kernelopt.solve(self.X, self.y, max_steps=3)
