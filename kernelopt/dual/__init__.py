"""The inner quadratic programme: the best dual variables for a given kernel, with a certified gap.

Solver authors import from this page; `method_for` picks the way that suits how a Gram is held.
Nothing here knows a family, a problem or a solver: a kernel is a Gram, and a criterion is a `DualQP` and its primal.
"""

from collections.abc import Callable

from kernelopt._criteria._dual_qp import Dual
from kernelopt._linalg._gram import Gram, LowRank
from kernelopt._linalg._gram_sum import Sum
from kernelopt._linalg._tall import Rowwise
from kernelopt._linalg._wide import Wide
from kernelopt.dual._by_rows import maximise_by_rows
from kernelopt.dual._decomposition import generic_primal, maximise_wide
from kernelopt.dual._engine import Engine, maximise
from kernelopt.dual._feasibility import repair
from kernelopt.dual._low_rank import maximise_thin
from kernelopt.dual._near_margin import maximise_near
from kernelopt.dual._newton import towards
from kernelopt.dual._table import Table, tabulate

__all__ = [
    "Engine",
    "Table",
    "generic_primal",
    "maximise",
    "maximise_by_rows",
    "maximise_near",
    "maximise_thin",
    "maximise_wide",
    "method_for",
    "repair",
    "tabulate",
    "towards",
]


def method_for(gram: Gram) -> Callable[..., Dual]:
    """The way to maximise that suits how the Gram is held: by blocks, as a sum, as features that are gone
    over, as thin factors, or as a matrix.
    """
    if isinstance(gram, Wide):
        return maximise_wide
    if isinstance(gram, Sum):
        return maximise_near
    if isinstance(gram, Rowwise):
        return maximise_by_rows
    return maximise_thin if isinstance(gram, LowRank) and gram.thin else maximise
