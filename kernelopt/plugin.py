"""Everything that a plugin's author needs: the contracts, their values, and the hook marker.

A plugin is a module with an entry point in the group `kernelopt`, a constant `KERNELOPT_CONTRACT = 1` and one of the
hooks `kernelopt_families`, `kernelopt_criteria`, `kernelopt_solvers`, each of which returns a list of classes.
"""

from kernelopt._adapt import adaptable, adapted, merged
from kernelopt._ceiling import Ceiling
from kernelopt._coupling import Coupling, TensorCoupling, WeightCoupling
from kernelopt._criterion import ConcaveCriterion, Criterion, Primal, Task
from kernelopt._dual import Dual, DualPoint, DualQP
from kernelopt._errors import (
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
from kernelopt._family import ExplicitFamily, Gradient, KernelFamily, LinearFamily, SmoothFamily
from kernelopt._features import FeatureFamily, Features
from kernelopt._finite import FiniteFamily, PenalizedFamily, StoredFamily
from kernelopt._gram import Dense, Gram, LowRank
from kernelopt._hookspecs import CONTRACT, hookimpl
from kernelopt._inout import in_out
from kernelopt._leaf import Leaf
from kernelopt._matrix import MatrixFamily
from kernelopt._memory import require
from kernelopt._mixing import mixed
from kernelopt._mixture import BestAtoms, Mixture, Part, Query, join
from kernelopt._monomials import exponents, monomial_names, monomials
from kernelopt._options import instance, one_of, positive, positive_or, within
from kernelopt._penalty import Norm, Penalty, Price, Square
from kernelopt._prices import Tilted, untilted
from kernelopt._problem import Problem, Response
from kernelopt._resolvent import Resolvent
from kernelopt._solver import Budget, ConcaveSolver, Solver, State
from kernelopt._stationarity import held_variables, near_margin, settled
from kernelopt._typing import BoolArray, Data, FloatArray, IntArray

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
