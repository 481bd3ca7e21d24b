"""The structured interior point: the certified optimum in some twenty steps."""

from kernelopt.plugin import Solver, hookimpl
from kernelopt_ipm._ipm import InteriorPoint

__all__ = ["InteriorPoint", "kernelopt_solvers"]

KERNELOPT_CONTRACT = 1


@hookimpl
def kernelopt_solvers() -> list[type[Solver]]:
    """The solvers that this plugin offers."""
    return [InteriorPoint]
