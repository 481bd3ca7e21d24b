"""Tessellated kernels for kernelopt: `kernelopt.solve(X, y, family="tk")`."""

from kernelopt.plugin import KernelFamily, hookimpl
from kernelopt_tk._tk import TK

KERNELOPT_CONTRACT = 1

__all__ = ["KERNELOPT_CONTRACT", "TK", "kernelopt_families"]


@hookimpl
def kernelopt_families() -> list[type[KernelFamily]]:
    """The family that this plugin offers."""
    return [TK]
