"""Kernel learning as one semidefinite program, for small problems and for comparison."""

from kernelopt.plugin import KernelFamily, Solver, hookimpl
from kernelopt_sdp._nearest_kernel import Nearest, nearest_kernel
from kernelopt_sdp._sdp import SDP
from kernelopt_sdp._signed import Signed

__all__ = ["SDP", "Nearest", "Signed", "kernelopt_families", "kernelopt_solvers", "nearest_kernel"]

KERNELOPT_CONTRACT = 1


@hookimpl
def kernelopt_solvers() -> list[type[Solver]]:
    """The solvers that this plugin offers."""
    return [SDP]


@hookimpl
def kernelopt_families() -> list[type[KernelFamily]]:
    """The family that this plugin offers."""
    return [Signed]
