"""Hyperkernels for kernelopt: `kernelopt.solve(X, y, family="hyperkernel", solver="ipm")`."""

from kernelopt.plugin import KernelFamily, hookimpl
from kernelopt_hyperkernel._bases import GaussianBase
from kernelopt_hyperkernel._differences import Differences
from kernelopt_hyperkernel._hyperkernel import Hyperkernel
from kernelopt_hyperkernel._series import Series

KERNELOPT_CONTRACT = 1

__all__ = ["KERNELOPT_CONTRACT", "Differences", "GaussianBase", "Hyperkernel", "Series", "kernelopt_families"]


@hookimpl
def kernelopt_families() -> list[type[KernelFamily]]:
    """The family that this plugin offers."""
    return [Hyperkernel]
