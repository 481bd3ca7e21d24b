"""Generalised polynomial kernels for kernelopt: `kernelopt.solve(X, y, family="gpk")`."""

from kernelopt.plugin import KernelFamily, hookimpl
from kernelopt_gpk._gpk import GPK

KERNELOPT_CONTRACT = 1

__all__ = ["GPK", "KERNELOPT_CONTRACT", "kernelopt_families"]


@hookimpl
def kernelopt_families() -> list[type[KernelFamily]]:
    """The family that this plugin offers."""
    return [GPK]
