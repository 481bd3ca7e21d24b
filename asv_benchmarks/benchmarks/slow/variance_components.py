"""Variance components of several kinships: the estimates alone, and with the test of each.

`variance_components_table.py` has larger ones.
"""

from typing import ClassVar

import kernelopt
from benchmarks._kinships import kinships
from benchmarks._timed import Timed


class Components(Timed):
    """So many rows, and so many kinships."""

    params: ClassVar[list[str]] = ["1000 x 3", "2000 x 5"]
    param_names: ClassVar[list[str]] = ["size"]

    def setup(self, size: str) -> None:
        rows, count = size.split(" x ")
        self.data = kinships(int(rows), int(count))

    def time_estimates(self, _: str) -> None:
        kernelopt.variance_components(*self.data, tests=False)

    def time_with_tests(self, _: str) -> None:
        kernelopt.variance_components(*self.data)

    def track_steps(self, _: str) -> int:
        return kernelopt.variance_components(*self.data, tests=False).steps
