"""One step of the interior point, predictor and corrector, on all parameters of a tessellated kernel."""

from benchmarks import _problems
from benchmarks._timed import Timed
from kernelopt.interior import MatrixBlock, Saddle, advance, central


class Step(Timed):
    params = (500, 1000)
    param_names = ("rows",)
    columns = 30

    def setup(self, rows: int) -> None:
        problem = _problems.problem("tk", (rows, self.columns))
        self.saddle = Saddle.of(problem, (MatrixBlock(problem.leaves[0], problem.data[0]),))
        self.point = advance(self.saddle, central(self.saddle))

    def time_advance(self, _: int) -> None:
        advance(self.saddle, self.point)


class Outputs(Timed):
    """The same with several outputs side by side: one system of outputs times rows."""

    params = (2, 4)
    param_names = ("outputs",)
    rows = 250

    def setup(self, outputs: int) -> None:
        problem = _problems.several((self.rows, 10), outputs)
        self.saddle = Saddle.of(problem, (MatrixBlock(problem.leaves[0], problem.data[0]),))
        self.point = advance(self.saddle, central(self.saddle))

    def time_advance(self, _: int) -> None:
        advance(self.saddle, self.point)
