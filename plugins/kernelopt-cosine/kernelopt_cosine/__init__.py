"""Mixtures of cosines for kernelopt: `kernelopt.solve(X, y, family="cosine")`."""

from kernelopt.plugin import KernelFamily, hookimpl
from kernelopt_cosine._cosine import Cosine

KERNELOPT_CONTRACT = 1

__all__ = ["KERNELOPT_CONTRACT", "Cosine", "kernelopt_families"]


@hookimpl
def kernelopt_families() -> list[type[KernelFamily]]:
    """The family that this plugin offers."""
    return [Cosine]
