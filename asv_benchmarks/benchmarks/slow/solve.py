"""From arrays to a certified answer: long lists, searches, many columns, many rows."""

from typing import Any

import numpy as np

import kernelopt
from benchmarks import _problems
from benchmarks._timed import Timed


class Listed(Timed):
    """A long list of kernels, most of which get no weight."""

    params = ("smo", "ipm", "fw")
    param_names = ("solver",)
    kernels = 24

    def setup(self, _: str) -> None:
        self.X, self.y = _problems.rows(_problems.SIZES[1])
        gammas = [10.0**e for e in np.linspace(-3.0, 2.0, self.kernels)]
        self.family = kernelopt.Dictionary([("rbf", {"gamma": gamma}) for gamma in gammas], normalize="trace")

    def time_to_a_thousandth(self, solver: str) -> None:
        kernelopt.solve(self.X, self.y, family=self.family, solver=solver, criterion=kernelopt.SVC(10.0), tol=1e-3)


class Degenerate(Timed):
    """A double top eigenvalue: where plain Frank-Wolfe is left a gap that shrinks as 1/k."""

    params = ("plain-fw", "apd", "plain-fw+apd", "fw")
    param_names = ("solver",)
    tol = 1e-4

    def setup(self, _: str) -> None:
        self.X, self.y, self.family = _problems.rough()

    def _solved(self, solver: str) -> kernelopt.Solution:
        options: dict[str, Any] = {"criterion": {"name": "svc", "C": 100}, "tol": self.tol, "max_steps": 100}
        return kernelopt.solve(self.X, self.y, family=self.family, solver=solver, **options)

    def time_to_a_ten_thousandth(self, solver: str) -> None:
        self._solved(solver)

    def track_relative_gap(self, solver: str) -> float:
        return max(self.tol, self._solved(solver).certificate.relative_gap)  # how far below it ends is chance


class Searched(Timed):
    """Cosines of learned frequencies and the identity: exchanges with local adaptation."""

    params = ("fw", "ipm")
    param_names = ("solver",)

    def setup(self, _: str) -> None:
        self.X, self.y = _problems.rows(_problems.SIZES[0])

    def time_to_a_hundredth(self, solver: str) -> None:
        union = [_problems.family("cosine"), kernelopt.Delta()]
        kernelopt.solve(self.X, self.y, family=union, solver=solver, criterion="margin", tol=1e-2)


class Additive(Timed):
    """A kernel on every column: as many couplings as columns, in one column each."""

    params = ("fw", "ipm")
    param_names = ("solver",)

    def setup(self, _: str) -> None:
        self.X, self.y = _problems.rows((400, 30))

    def time_to_a_thousandth(self, solver: str) -> None:
        kernelopt.solve(self.X, self.y, family=kernelopt.each("tk"), solver=solver)


class Polynomials(Timed):
    """Quadratic forms in features: nothing n x n is formed."""

    params = (1000, 10000)
    param_names = ("rows",)

    def setup(self, rows: int) -> None:
        self.X, self.y = _problems.rows((rows, 6))

    def time_to_a_thousandth(self, _: int) -> None:
        kernelopt.solve(self.X, self.y, family="gpk", solver="ipm")


class ManyRows(Timed):
    """The working set, on more rows than it moves."""

    rows, band = 2000, 1000

    def setup(self) -> None:
        self.X, self.y = _problems.rows((self.rows, 4))

    def time_to_a_tenth(self) -> None:
        solver = {"name": "working-set", "band": self.band}
        kernelopt.solve(self.X, self.y, family="tk", solver=solver, tol=1e-1)
