"""What a family costs before any oracle is asked."""

import numpy as np

from benchmarks import _problems
from benchmarks._timed import Timed


class Gram(Timed):
    params = (_problems.FAMILIES, _problems.SIZES)
    param_names = ("family", "size")

    def setup(self, family: str, size: tuple[int, int]) -> None:
        self.problem = _problems.problem(family, size)
        self.center = self.problem.center()
        self.leaf = self.problem.leaves[0]
        self.X = np.ascontiguousarray(_problems.rows(size)[0])
        self.problem.gram(self.center)

    def time_bind(self, *_: object) -> None:
        self.leaf.family.bind(self.X)

    def time_gram(self, *_: object) -> None:
        self.problem.gram(self.center)
