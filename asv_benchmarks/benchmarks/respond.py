"""The inner problem: the best dual variables for a kernel, from nothing and from a neighbour's."""

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
