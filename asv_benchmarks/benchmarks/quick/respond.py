"""The inner problem: the best dual variables for a kernel, from nothing and from a neighbour's."""

import numpy as np

import kernelopt
from benchmarks import _problems
from benchmarks._timed import Timed
from kernelopt.plugin import Dense, Mixture, Part


class Respond(Timed):
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


class Hard(Timed):
    """At the learned kernel: P has low rank there, and the Gram matrix is nearly singular."""

    params = (_problems.SIZES[:1], (1.0, 100.0))
    param_names = ("size", "C")
    accuracy = _problems.ACCURACY

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
        return max(self.accuracy, (response.upper - lower) / abs(response.upper))  # how far below it ends is chance


class ThinFactors(Timed):
    """Fifty cosines on three thousand rows, as factors and multiplied out."""

    params = ("factors", "matrix")
    param_names = ("held_as",)
    size = (3000, 10)
    cosines = 50

    def setup(self, held_as: str) -> None:
        self.problem = _problems.problem("cosine", self.size)
        atoms = np.random.default_rng(0).normal(size=(self.cosines, self.size[1]))
        self.mixture = Mixture((Part(atoms, np.full(self.cosines, 1.0 / self.cosines)),))
        gram = self.problem.gram(self.mixture)
        self.gram = gram if held_as == "factors" else Dense(gram.dense())
        self.warm = self.problem.respond_gram(self.mixture, self.gram)

    def time_cold(self, _: str) -> None:
        self.problem.respond_gram(self.mixture, self.gram)

    def time_warm(self, _: str) -> None:
        self.problem.respond_gram(self.mixture, self.gram, self.warm)
