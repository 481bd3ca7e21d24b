"""From arrays to a certified answer; the gap that is reached is tracked beside the time."""

import numpy as np
from sklearn.datasets import load_iris

import kernelopt

from . import _problems, _qcqp

SOLVERS = ("fw", "ipm", "smo", "plain-fw")


class Solve:
    params = (SOLVERS, _problems.FAMILIES, _problems.SIZES[:1])
    param_names = ("solver", "family", "size")
    timeout = 300

    def setup(self, _solver: str, _family: str, size: tuple[int, int]) -> None:
        self.X, self.y = _problems.rows(size)

    def time_to_a_hundredth(self, solver: str, family: str, _: object) -> None:
        kernelopt.solve(self.X, self.y, family=_problems.family(family), solver=solver, tol=1e-2)


class Lists:
    """The weights of a list of Gaussians."""

    params = ("fw", "ipm", "qcqp", "simplemkl", "apd")
    param_names = ("solver",)
    timeout = 300

    def time_to_a_thousandth(self, solver: str) -> None:
        _qcqp.cone(_qcqp.ROWS, _qcqp.ATOMS, solver, tol=1e-3)


class Program:
    """Thirty rows as one semidefinite program, beside the interior point."""

    params = ("ipm", "sdp")
    param_names = ("solver",)

    def setup(self, _: str) -> None:
        self.X, self.y = _problems.rows((30, 4))

    def time_to_a_millionth(self, solver: str) -> None:
        kernelopt.solve(self.X, self.y, family="tk", solver=solver, tol=1e-6)


class Listed:
    """A long list of kernels, most of which get no weight."""

    params = ("smo", "ipm", "fw")
    param_names = ("solver",)
    kernels = 24
    timeout = 300

    def setup(self, _: str) -> None:
        self.X, self.y = _problems.rows(_problems.SIZES[1])
        gammas = [10.0**e for e in np.linspace(-3.0, 2.0, self.kernels)]
        self.family = kernelopt.Dictionary([("rbf", {"gamma": gamma}) for gamma in gammas], normalize="trace")

    def time_to_a_thousandth(self, solver: str) -> None:
        kernelopt.solve(self.X, self.y, family=self.family, solver=solver, criterion=kernelopt.SVC(10.0), tol=1e-3)


class Degenerate:
    """A double top eigenvalue: where plain Frank-Wolfe is left a gap that shrinks as 1/k."""

    params = ("plain-fw", "apd", "plain-fw+apd", "fw")
    param_names = ("solver",)
    timeout = 300

    def setup(self, _: str) -> None:
        self.X, self.y, self.family = _problems.rough()

    def _solved(self, solver: str) -> kernelopt.Solution:
        options = {"criterion": {"name": "svc", "C": 100}, "tol": 1e-4, "max_steps": 100}
        return kernelopt.solve(self.X, self.y, family=self.family, solver=solver, **options)

    def time_to_a_ten_thousandth(self, solver: str) -> None:
        self._solved(solver)

    def track_relative_gap(self, solver: str) -> float:
        return self._solved(solver).certificate.relative_gap


class Searched:
    """Cosines of learned frequencies and the identity: exchanges with local adaptation."""

    params = ("fw", "ipm")
    param_names = ("solver",)
    timeout = 300

    def setup(self, _: str) -> None:
        self.X, self.y = _problems.rows(_problems.SIZES[0])

    def time_to_a_hundredth(self, solver: str) -> None:
        union = [_problems.family("cosine"), kernelopt.Delta()]
        kernelopt.solve(self.X, self.y, family=union, solver=solver, criterion="margin", tol=1e-2)


class Additive:
    """A kernel on every column: as many couplings as columns, in one column each."""

    params = ("fw", "ipm")
    param_names = ("solver",)

    def setup(self, _: str) -> None:
        self.X, self.y = _problems.rows((400, 30))

    def time_to_a_thousandth(self, solver: str) -> None:
        kernelopt.solve(self.X, self.y, family=kernelopt.each("tk"), solver=solver)


class Polynomials:
    """Quadratic forms in features: nothing n x n is formed."""

    params = (1000, 10000)
    param_names = ("rows",)

    def setup(self, rows: int) -> None:
        self.X, self.y = _problems.rows((rows, 6))

    def time_to_a_thousandth(self, _: int) -> None:
        kernelopt.solve(self.X, self.y, family="gpk", solver="ipm")


class Reached:
    """How many steps that takes, and what gap they reach."""

    params = SOLVERS
    param_names = ("solver",)

    def setup(self, solver: str) -> None:
        X, y = _problems.rows(_problems.SIZES[0])
        self.done = kernelopt.solve(X, y, family="tk", solver=solver, tol=1e-2)

    def track_steps(self, _: str) -> int:
        return self.done.steps

    def track_relative_gap(self, _: str) -> float:
        return self.done.certificate.relative_gap


class Several:
    """Three classes that share one kernel."""

    params = ("fw", "ipm")
    param_names = ("solver",)

    def setup(self, _: str) -> None:
        self.X, self.y = load_iris(return_X_y=True)

    def time_to_a_hundredth(self, solver: str) -> None:
        kernelopt.solve(self.X, self.y, family="tk", solver=solver, tol=1e-2)


class ManyRows:
    """The working set, on more rows than it moves."""

    rows, band = 2000, 1000

    def setup(self) -> None:
        self.X, self.y = _problems.rows((self.rows, 4))

    def time_to_a_tenth(self) -> None:
        solver = {"name": "working-set", "band": self.band}
        kernelopt.solve(self.X, self.y, family="tk", solver=solver, tol=1e-1)
