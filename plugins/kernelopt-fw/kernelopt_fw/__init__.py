"""Frank-Wolfe solvers: the kernel moves towards the oracle's best atoms."""

from kernelopt.plugin import Solver, hookimpl
from kernelopt_fw._fully_corrective import FrankWolfe
from kernelopt_fw._line_search import PlainFrankWolfe

__all__ = ["FrankWolfe", "PlainFrankWolfe", "kernelopt_solvers"]

KERNELOPT_CONTRACT = 1


@hookimpl
def kernelopt_solvers() -> list[type[Solver]]:
    """The solvers that this plugin offers."""
    return [FrankWolfe, PlainFrankWolfe]
