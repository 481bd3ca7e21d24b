"""The core's own plugin: found through an entry point, exactly as a stranger's is."""

from kernelopt._criteria._alignment import Alignment
from kernelopt._criteria._contract import Criterion
from kernelopt._criteria._l2_svc import L2SVC
from kernelopt._criteria._lagrangian_svc import LagrangianSVC
from kernelopt._criteria._margin import Margin
from kernelopt._criteria._nu_svc import NuSVC
from kernelopt._criteria._nu_svr import NuSVR
from kernelopt._criteria._one_class import OneClass
from kernelopt._criteria._ridge import Ridge
from kernelopt._criteria._svc import SVC
from kernelopt._criteria._svr import SVR
from kernelopt._evidence._criterion import Evidence
from kernelopt._evidence._reweighted import Reweighted
from kernelopt._evidence._scoring import Scoring
from kernelopt._families._contract import KernelFamily
from kernelopt._families.dictionary._dictionary import Dictionary
from kernelopt._families.variances._constant import Constant
from kernelopt._families.variances._delta import Delta
from kernelopt._families.variances._group import Group
from kernelopt._plugins._hookspecs import hookimpl
from kernelopt._saddle._contract import Solver
from kernelopt._solvers._chain import Chain
from kernelopt._solvers._working_set import WorkingSet

KERNELOPT_CONTRACT = 1


@hookimpl
def kernelopt_families() -> list[type[KernelFamily]]:
    """The families that need no plugin."""
    return [Dictionary, Delta, Constant, Group]


@hookimpl
def kernelopt_solvers() -> list[type[Solver]]:
    """The solvers that need no plugin: wrappers around others."""
    return [WorkingSet, Chain, Scoring, Reweighted]


@hookimpl
def kernelopt_criteria() -> list[type[Criterion]]:
    """The criteria."""
    return [SVC, L2SVC, LagrangianSVC, NuSVC, Margin, SVR, NuSVR, OneClass, Alignment, Ridge, Evidence]
