"""The weights of a finite list of kernels by reduced gradients."""

from kernelopt.plugin import Solver, hookimpl
from kernelopt_simplemkl._simplemkl import SimpleMKL

__all__ = ["SimpleMKL", "kernelopt_solvers"]

KERNELOPT_CONTRACT = 1


@hookimpl
def kernelopt_solvers() -> list[type[Solver]]:
    """The solvers that this plugin offers."""
    return [SimpleMKL]
