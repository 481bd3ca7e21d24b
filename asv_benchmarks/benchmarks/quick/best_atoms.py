"""The oracle at the dual variables of the centre kernel: where most of them are not zero."""

from benchmarks import _problems
from benchmarks._timed import Timed


class BestAtoms(Timed):
    params = ((*_problems.FAMILIES, *_problems.SEARCHED), _problems.SIZES)
    param_names = ("family", "size")

    def setup(self, family: str, size: tuple[int, int]) -> None:
        self.problem = _problems.problem(family, size)
        self.duals = self.problem.respond(self.problem.center()).duals

    def time_ceiling(self, *_: object) -> None:
        self.problem.ceiling(self.duals)
