"""Prediction of many new rows by a learned kernel."""

import numpy as np

import kernelopt
from benchmarks import _problems
from benchmarks._timed import Timed

NEW_ROWS = 10_000


class Predict(Timed):
    params = (_problems.FAMILIES, _problems.SIZES[:1])
    param_names = ("family", "size")

    def setup(self, family: str, size: tuple[int, int]) -> None:
        X, y = _problems.rows(size)
        self.solution = kernelopt.solve(X, y, family=_problems.family(family), solver="fw", tol=1e-1, max_steps=20)
        self.Z = np.random.default_rng(0).uniform(0.0, 1.0, (NEW_ROWS, size[1]))

    def time_decision_function(self, *_: object) -> None:
        self.solution.decision_function(self.Z)
