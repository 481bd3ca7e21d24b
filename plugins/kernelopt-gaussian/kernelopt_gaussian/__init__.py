"""Gaussian kernels of every width for kernelopt: `kernelopt.solve(X, y, family="gaussian")`."""

from kernelopt.plugin import KernelFamily, hookimpl
from kernelopt_gaussian._gaussian import Gaussian

KERNELOPT_CONTRACT = 1

__all__ = ["KERNELOPT_CONTRACT", "Gaussian", "kernelopt_families"]


@hookimpl
def kernelopt_families() -> list[type[KernelFamily]]:
    """The family that this plugin offers."""
    return [Gaussian]
