"""Kernel learning without tuning, with more rows."""

import numpy as np

import kernelopt
from benchmarks._timed import Timed
from benchmarks.quick import evidence


class Auto(evidence.Auto):
    """Rows so many that the Grams of the kernels are looked at in passing."""

    params = (800, 2000)


class Features(Timed):
    """Random cosines on many rows: nothing n x n is formed."""

    rows, atoms = 10000, 100

    def setup(self) -> None:
        rng = np.random.default_rng(0)
        self.X = rng.normal(size=(self.rows, 4))
        self.y = np.sin(2.0 * self.X[:, 0]) + self.X[:, 1] * self.X[:, 2] + 0.3 * rng.normal(size=self.rows)

    def time_to_a_thousandth(self) -> None:
        kernelopt.solve(self.X, self.y, family=kernelopt.sampled("cosine", self.atoms), criterion="evidence")
