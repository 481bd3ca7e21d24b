"""What hyperkernels cost before any oracle is asked: their pivots, and the pivots' Grams."""

import numpy as np
from kernelopt_hyperkernel import Hyperkernel

from benchmarks import _problems
from benchmarks._timed import Timed


class Pivots(Timed):
    params = ((50, 200), ((200, 10), (400, 30)))
    param_names = ("pivots", "size")

    def setup(self, pivots: int, size: tuple[int, int]) -> None:
        self.X = np.ascontiguousarray(_problems.rows(size)[0])
        self.ones = np.ones(len(self.X))
        self.family = Hyperkernel(pivots=pivots)
        self.prepared = self.family.prepare(self.X, self.ones)
        self.data = self.prepared.bind(self.X)

    def time_prepare(self, *_: object) -> None:
        self.family.prepare(self.X, self.ones)

    def time_bind(self, *_: object) -> None:
        self.prepared.bind(self.X)

    def time_values(self, *_: object) -> None:
        self.prepared.values_of(self.data, self.ones[:, None])

    def time_columns(self, *_: object) -> None:
        self.prepared.columns_of(self.data, self.ones[:, None])

    def peakmem_prepare(self, *_: object) -> None:
        self.family.prepare(self.X, self.ones)
