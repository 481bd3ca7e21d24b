"""Kernels that learn which directions matter: `kernelopt.solve(X, y, family="metric")`."""

from kernelopt.plugin import KernelFamily, hookimpl
from kernelopt_metric._column_shares import column_shares
from kernelopt_metric._metric import Metric

KERNELOPT_CONTRACT = 1

__all__ = ["KERNELOPT_CONTRACT", "Metric", "column_shares", "kernelopt_families"]


@hookimpl
def kernelopt_families() -> list[type[KernelFamily]]:
    """The family that this plugin offers."""
    return [Metric]
