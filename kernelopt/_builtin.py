"""The core's own plugin: found through an entry point, exactly as a stranger's is."""

from kernelopt._chain import Chain
from kernelopt._criteria import L2SVC, SVC, SVR, Alignment, LagrangianSVC, Margin, NuSVC, NuSVR, OneClass, Ridge
from kernelopt._criterion import Criterion
from kernelopt._evidence import Evidence, Reweighted, Scoring
from kernelopt._families import Constant, Delta, Dictionary
from kernelopt._family import KernelFamily
from kernelopt._hookspecs import hookimpl
from kernelopt._solver import Solver
from kernelopt._workingset import WorkingSet

KERNELOPT_CONTRACT = 1


@hookimpl
def kernelopt_families() -> list[type[KernelFamily]]:
    """The families that need no plugin."""
    return [Dictionary, Delta, Constant]


@hookimpl
def kernelopt_solvers() -> list[type[Solver]]:
    """The solvers that need no plugin: wrappers around others."""
    return [WorkingSet, Chain, Scoring, Reweighted]


@hookimpl
def kernelopt_criteria() -> list[type[Criterion]]:
    """The criteria."""
    return [SVC, L2SVC, LagrangianSVC, NuSVC, Margin, SVR, NuSVR, OneClass, Alignment, Ridge, Evidence]
