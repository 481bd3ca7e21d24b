"""Everything that a plugin's author imports, grouped by what the author writes.

A plugin is a module with an entry point in the group `kernelopt`, a constant `KERNELOPT_CONTRACT = 1` and one of the
hooks `kernelopt_families`, `kernelopt_criteria`, `kernelopt_solvers`, `kernelopt_rows`, each of which returns a list of
classes.

    a family        KernelFamily, Part, Query, BestAtoms, Dense, hookimpl       six names, and nothing else is needed
    a criterion     Criterion, DualQP, Primal, hookimpl
    a solver        Solver, State, Problem, Response, Mixture, Budget, hookimpl

and, for rows of another kind, or workers elsewhere, RowSource, RowBlocks, Piece, Given, Passes, Outline.

The other names are special cases that save work (a `FiniteFamily` has its oracle already), values, and helpers;
`__all__` below lists them in these groups, and docs/contracts.md says what each owes.
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
from kernelopt._base._weights import check_weights
from kernelopt._base.tables._input import check_target
from kernelopt._base.tables._tables import table_of
from kernelopt._criteria._contract import Criterion, Primal, Task
from kernelopt._criteria._dual_qp import Dual, DualPoint, DualQP
from kernelopt._criteria._kkt import held_variables, near_margin, settled
from kernelopt._evidence._contract import ConcaveCriterion
from kernelopt._families._contract import KernelFamily, LinearFamily
from kernelopt._families._coupling import Coupling, TensorCoupling, WeightCoupling
from kernelopt._families._description import largest_shares
from kernelopt._families._expansion import Expansion, Indicators
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._families._features import FeatureFamily, Features
from kernelopt._families._finite import FiniteFamily, PenalizedFamily, StoredFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._matrix import MatrixFamily
from kernelopt._families._mixture import BestAtoms, Mixture, Part, Query, join
from kernelopt._families._monomials import exponents, monomial_names, monomials, reading_order
from kernelopt._families._smooth import Bend, CurvedFamily, Gradient, SmoothFamily
from kernelopt._families.penalties._composite_penalty import Tilted, untilted
from kernelopt._families.penalties._penalty import Norm, Penalty, Price, Square
from kernelopt._linalg._decay import decayed
from kernelopt._linalg._gram import Dense, Gram, LowRank
from kernelopt._linalg._woodbury import Resolvent
from kernelopt._plugins._hookspecs import CONTRACT, hookimpl
from kernelopt._rows._contract import Given, Passes, Piece, RowBlocks, Total, Work
from kernelopt._rows._source import Outline, RowSource
from kernelopt._saddle._contract import ConcaveSolver, Solver, State
from kernelopt._saddle._lower_bound import Ceiling
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response
from kernelopt._solvers._dual_mixture import mixed
from kernelopt._solvers._in_out import in_out
from kernelopt._solvers._local_descent import adaptable, adapted, merged

__all__ = [  # noqa: RUF022, by what one writes
    # every plugin
    "hookimpl",
    "CONTRACT",
    # a family: with `hookimpl` these six names are enough
    "KernelFamily",
    "Part",
    "Query",
    "BestAtoms",
    "Dense",
    # a family of a special kind, which has its oracle, or learns more quickly
    "FiniteFamily",
    "StoredFamily",
    "MatrixFamily",
    "FeatureFamily",
    "Features",
    "ExplicitFamily",
    "SmoothFamily",
    "Gradient",
    "CurvedFamily",
    "Bend",
    "LinearFamily",
    "Coupling",
    "WeightCoupling",
    "TensorCoupling",
    # what a family gets of categories and missing values
    "Expansion",
    "Indicators",
    # a family whose kernels cost something
    "PenalizedFamily",
    "Penalty",
    "Price",
    "Square",
    "Norm",
    "Tilted",
    "untilted",
    # a criterion: with `hookimpl` these three are enough
    "Criterion",
    "DualQP",
    "Primal",
    "Task",
    "ConcaveCriterion",
    # a solver: with `hookimpl` these six are enough
    "Solver",
    "State",
    "Problem",
    "Response",
    "Mixture",
    "Budget",
    "ConcaveSolver",
    # rows of another kind, and where they are worked on
    "RowSource",
    "RowBlocks",
    "Piece",
    "Given",
    "Passes",
    "Total",
    "Work",
    "Outline",
    "table_of",
    "check_target",
    "check_weights",
    # values that a solver meets
    "Leaf",
    "Ceiling",
    "Dual",
    "DualPoint",
    "Gram",
    "LowRank",
    "Resolvent",
    # helpers for solvers
    "adaptable",
    "adapted",
    "merged",
    "in_out",
    "mixed",
    "settled",
    "held_variables",
    "near_margin",
    "join",
    # options, checked where an object is made
    "positive",
    "positive_or",
    "within",
    "one_of",
    "instance",
    "largest_shares",
    # helpers for families of functions of a distance or of polynomials, for words, and for memory
    "decayed",
    "exponents",
    "monomials",
    "reading_order",
    "monomial_names",
    "require",
    # errors to raise
    "InvalidOption",
    "InvalidData",
    "Refused",
    "UnknownName",
    "NotEnoughMemory",
    "BrokenPlugin",
    "KerneloptError",
    "OutsideBounds",
    "KerneloptWarning",
    # types
    "FloatArray",
    "IntArray",
    "BoolArray",
    "Data",
]
