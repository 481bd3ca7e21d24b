"""From arrays to a certified answer; the gap that is reached is tracked beside the time."""

from sklearn.datasets import load_iris

import kernelopt
from benchmarks import _problems, _qcqp
from benchmarks._timed import Timed

SOLVERS = ("fw", "ipm", "smo", "plain-fw")


class Solve(Timed):
    params = (SOLVERS, _problems.FAMILIES, _problems.SIZES[:1])
    param_names = ("solver", "family", "size")

    def setup(self, _solver: str, _family: str, size: tuple[int, int]) -> None:
        self.X, self.y = _problems.rows(size)

    def time_to_a_hundredth(self, solver: str, family: str, _: object) -> None:
        kernelopt.solve(self.X, self.y, family=_problems.family(family), solver=solver, tol=1e-2)


class Lists(Timed):
    """The weights of a list of Gaussians."""

    params = ("fw", "ipm", "qcqp", "simplemkl", "apd")
    param_names = ("solver",)

    def time_to_a_thousandth(self, solver: str) -> None:
        _qcqp.cone(_qcqp.ROWS, _qcqp.ATOMS, solver, tol=1e-3)


class Program(Timed):
    """Thirty rows as one semidefinite program, beside the interior point."""

    params = ("ipm", "sdp")
    param_names = ("solver",)

    def setup(self, _: str) -> None:
        self.X, self.y = _problems.rows((30, 4))

    def time_to_a_millionth(self, solver: str) -> None:
        kernelopt.solve(self.X, self.y, family="tk", solver=solver, tol=1e-6)


class Reached(Timed):
    """How many steps that takes, and what gap they reach."""

    params = SOLVERS
    param_names = ("solver",)
    tol = 1e-2

    def setup(self, solver: str) -> None:
        X, y = _problems.rows(_problems.SIZES[0])
        self.done = kernelopt.solve(X, y, family="tk", solver=solver, tol=self.tol)

    def track_steps(self, _: str) -> int:
        return self.done.steps

    def track_relative_gap(self, _: str) -> float:
        return max(self.tol, self.done.certificate.relative_gap)  # how far below it ends is chance


class Several(Timed):
    """Three classes that share one kernel."""

    params = ("fw", "ipm")
    param_names = ("solver",)

    def setup(self, _: str) -> None:
        self.X, self.y = load_iris(return_X_y=True)

    def time_to_a_hundredth(self, solver: str) -> None:
        kernelopt.solve(self.X, self.y, family="tk", solver=solver, tol=1e-2)
