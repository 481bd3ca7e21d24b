"""The inner problem: the best dual variables for a kernel, from nothing and from a neighbour's."""

import kernelopt

from . import _problems


class Respond:
    params = (_problems.SIZES, (1.0, 100.0))
    param_names = ("size", "C")

    def setup(self, size: tuple[int, int], C: float) -> None:
        self.problem = _problems.problem("tk", size, C)
        self.center = self.problem.center()
        self.warm = self.problem.respond(self.center)

    def time_cold(self, *_: object) -> None:
        self.problem.respond(self.center)

    def time_warm(self, *_: object) -> None:
        self.problem.respond(self.center, self.warm)


class Hard:
    """At the learned kernel: P has low rank there, and the Gram matrix is nearly singular."""

    params = (_problems.SIZES[:1], (1.0, 100.0))
    param_names = ("size", "C")

    def setup(self, size: tuple[int, int], C: float) -> None:
        X, y = _problems.rows(size)
        self.problem = _problems.problem("tk", size, C)
        self.learned = kernelopt.solve(X, y, family="tk", solver="ipm", criterion=kernelopt.SVC(C), tol=1e-4).mixture
        self.problem.respond(self.learned)

    def time_learned_kernel(self, *_: object) -> None:
        self.problem.respond(self.learned)

    def track_relative_gap(self, *_: object) -> float:
        response = self.problem.respond(self.learned)
        lower = sum(dual.h - 0.5 * dual.quad for dual in response.duals)
        return (response.upper - lower) / abs(response.upper)
