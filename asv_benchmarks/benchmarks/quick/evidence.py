"""Kernel learning without tuning: `family="auto"` by the evidence, which is what `kernelopt.solve(X, y)` does."""

import numpy as np
import pandas as pd

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


class Categories(Timed):
    """Columns of so many categories, of which a row has one each."""

    params = (10, 1000)
    param_names = ("categories",)

    def setup(self, categories: int) -> None:
        rng = np.random.default_rng(0)
        X, y = _problems.rows((1500, 5))
        names = rng.integers(0, categories, (len(X), 3))
        self.X = pd.DataFrame(X).assign(**{f"name {j}": [f"n{k}" for k in names[:, j]] for j in range(3)})
        self.y = y
        self.solution = self._solved()

    def _solved(self) -> kernelopt.Solution:
        return kernelopt.solve(self.X[:1000], self.y[:1000], family="auto", criterion="evidence")

    def time_solve(self, _: int) -> None:
        self._solved()

    def time_predict(self, _: int) -> None:
        self.solution.predict(self.X[1000:])
