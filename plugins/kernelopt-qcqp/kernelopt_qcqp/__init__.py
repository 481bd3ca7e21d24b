"""Finite lists of kernels as a second-order cone program."""

from kernelopt.plugin import Solver, hookimpl
from kernelopt_qcqp._qcqp import QCQP

__all__ = ["QCQP", "kernelopt_solvers"]

KERNELOPT_CONTRACT = 1


@hookimpl
def kernelopt_solvers() -> list[type[Solver]]:
    """The solvers that this plugin offers."""
    return [QCQP]
