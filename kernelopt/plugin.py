"""Everything that a plugin's author needs: the contracts, their values, and the hook marker.

A plugin is a module with an entry point in the group `kernelopt`, a constant `KERNELOPT_CONTRACT = 1` and one of the
hooks `kernelopt_families`, `kernelopt_criteria`, `kernelopt_solvers`, each of which returns a list of classes.
"""

from kernelopt._base._budget import Budget
from kernelopt._base._errors import (
    BrokenPlugin,
    InvalidData,
    InvalidOption,
    KerneloptError,
    KerneloptWarning,
    NotEnoughMemory,
    OutsideBounds,
    Refused,
    UnknownName,
)
from kernelopt._base._memory import require
from kernelopt._base._options import instance, one_of, positive, positive_or, within
from kernelopt._base._typing import BoolArray, Data, FloatArray, IntArray
from kernelopt._criteria._contract import Criterion, Primal, Task
from kernelopt._criteria._dual_qp import Dual, DualPoint, DualQP
from kernelopt._criteria._kkt import held_variables, near_margin, settled
from kernelopt._evidence._contract import ConcaveCriterion
from kernelopt._families._composite_penalty import Tilted, untilted
from kernelopt._families._contract import ExplicitFamily, Gradient, KernelFamily, LinearFamily, SmoothFamily
from kernelopt._families._coupling import Coupling, TensorCoupling, WeightCoupling
from kernelopt._families._features import FeatureFamily, Features
from kernelopt._families._finite import FiniteFamily, PenalizedFamily, StoredFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._matrix import MatrixFamily
from kernelopt._families._mixture import BestAtoms, Mixture, Part, Query, join
from kernelopt._families._monomials import exponents, monomial_names, monomials
from kernelopt._families._penalty import Norm, Penalty, Price, Square
from kernelopt._linalg._gram import Dense, Gram, LowRank
from kernelopt._linalg._woodbury import Resolvent
from kernelopt._plugins._hookspecs import CONTRACT, hookimpl
from kernelopt._saddle._contract import ConcaveSolver, Solver, State
from kernelopt._saddle._lower_bound import Ceiling
from kernelopt._saddle._problem import Problem, Response
from kernelopt._solvers._dual_mixture import mixed
from kernelopt._solvers._in_out import in_out
from kernelopt._solvers._local_descent import adaptable, adapted, merged

__all__ = [
    "CONTRACT",
    "BestAtoms",
    "BoolArray",
    "BrokenPlugin",
    "Budget",
    "Ceiling",
    "ConcaveCriterion",
    "ConcaveSolver",
    "Coupling",
    "Criterion",
    "Data",
    "Dense",
    "Dual",
    "DualPoint",
    "DualQP",
    "ExplicitFamily",
    "FeatureFamily",
    "Features",
    "FiniteFamily",
    "FloatArray",
    "Gradient",
    "Gram",
    "IntArray",
    "InvalidData",
    "InvalidOption",
    "KernelFamily",
    "KerneloptError",
    "KerneloptWarning",
    "Leaf",
    "LinearFamily",
    "LowRank",
    "MatrixFamily",
    "Mixture",
    "Norm",
    "NotEnoughMemory",
    "OutsideBounds",
    "Part",
    "PenalizedFamily",
    "Penalty",
    "Price",
    "Primal",
    "Problem",
    "Query",
    "Refused",
    "Resolvent",
    "Response",
    "SmoothFamily",
    "Solver",
    "Square",
    "State",
    "StoredFamily",
    "Task",
    "TensorCoupling",
    "Tilted",
    "UnknownName",
    "WeightCoupling",
    "adaptable",
    "adapted",
    "exponents",
    "held_variables",
    "hookimpl",
    "in_out",
    "instance",
    "join",
    "merged",
    "mixed",
    "monomial_names",
    "monomials",
    "near_margin",
    "one_of",
    "positive",
    "positive_or",
    "require",
    "settled",
    "untilted",
    "within",
]
