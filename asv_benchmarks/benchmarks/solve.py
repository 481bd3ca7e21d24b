"""From arrays to a certified answer; the gap that is reached is tracked beside the time."""

import kernelopt

from . import _problems


class Solve:
    params = (("fw", "ipm", "plain-fw"), _problems.FAMILIES, _problems.SIZES[:1])
    param_names = ("solver", "family", "size")
    timeout = 300

    def setup(self, solver: str, family: str, size: tuple[int, int]) -> None:
        self.X, self.y = _problems.rows(size)
        self.run(solver, family)

    def run(self, solver: str, family: str) -> kernelopt.Solution:
        return kernelopt.solve(self.X, self.y, family=_problems.family(family), solver=solver, tol=1e-2)

    def time_to_a_hundredth(self, solver: str, family: str, _: object) -> None:
        self.run(solver, family)

    def track_steps(self, solver: str, family: str, _: object) -> int:
        return self.run(solver, family).steps

    def track_relative_gap(self, solver: str, family: str, _: object) -> float:
        return self.run(solver, family).certificate.relative_gap
