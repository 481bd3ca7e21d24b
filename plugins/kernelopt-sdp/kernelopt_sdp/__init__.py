"""Kernel learning as one semidefinite program, for small problems and for comparison."""

from kernelopt.plugin import Solver, hookimpl
from kernelopt_sdp._nearest_kernel import Nearest, nearest_kernel
from kernelopt_sdp._sdp import SDP

__all__ = ["SDP", "Nearest", "kernelopt_solvers", "nearest_kernel"]

KERNELOPT_CONTRACT = 1


@hookimpl
def kernelopt_solvers() -> list[type[Solver]]:
    """The solvers that this plugin offers."""
    return [SDP]
