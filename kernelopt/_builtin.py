"""The core's own plugin: found through an entry point, exactly as a stranger's is."""

from kernelopt._criteria import SVC
from kernelopt._criterion import Criterion
from kernelopt._families import Delta, Dictionary
from kernelopt._family import KernelFamily
from kernelopt._hookspecs import hookimpl

KERNELOPT_CONTRACT = 1


@hookimpl
def kernelopt_families() -> list[type[KernelFamily]]:
    """The families that need no plugin."""
    return [Dictionary, Delta]


@hookimpl
def kernelopt_criteria() -> list[type[Criterion]]:
    """The criteria."""
    return [SVC]
