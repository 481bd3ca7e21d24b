"""Sequential minimal optimisation over many kernels at once, by Moreau-Yosida regularisation."""

from kernelopt.plugin import Solver, hookimpl
from kernelopt_smo._continuation import Continuation
from kernelopt_smo._optimality import Judged, Optimality, optimality
from kernelopt_smo._regularised import Regularised, regularised
from kernelopt_smo._smo import MoreauYosidaSMO

__all__ = [
    "Continuation",
    "Judged",
    "MoreauYosidaSMO",
    "Optimality",
    "Regularised",
    "kernelopt_solvers",
    "optimality",
    "regularised",
]

KERNELOPT_CONTRACT = 1


@hookimpl
def kernelopt_solvers() -> list[type[Solver]]:
    """The solvers that this plugin offers."""
    return [MoreauYosidaSMO]
