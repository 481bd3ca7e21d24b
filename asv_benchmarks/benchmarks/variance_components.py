"""Variance components of several kinships: the estimates alone, and with the test of each."""

import kernelopt

from ._kinships import kinships


class Components:
    """The second size takes 2 GB for its kinships."""

    params = ((1000, 3), (5000, 10))
    param_names = ("rows_and_kinships",)
    timeout = 600

    def setup(self, size: tuple[int, int]) -> None:
        self.data = kinships(*size)

    def time_estimates(self, _: tuple[int, int]) -> None:
        kernelopt.variance_components(*self.data, tests=False)

    def time_with_tests(self, _: tuple[int, int]) -> None:
        kernelopt.variance_components(*self.data)

    def track_steps(self, _: tuple[int, int]) -> int:
        return kernelopt.variance_components(*self.data, tests=False).steps
