"""An accelerated primal-dual method on the kernel's parameters and the dual variables."""

from kernelopt.plugin import Solver, hookimpl
from kernelopt_apd._apd import AcceleratedPrimalDual

__all__ = ["AcceleratedPrimalDual", "kernelopt_solvers"]

KERNELOPT_CONTRACT = 1


@hookimpl
def kernelopt_solvers() -> list[type[Solver]]:
    """The solvers that this plugin offers."""
    return [AcceleratedPrimalDual]
