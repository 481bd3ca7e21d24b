"""What `solve` takes where the user leaves something open, and the note that says so."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from kernelopt._api._build import Scale, make_leaves
from kernelopt._api._training import Training, check_target
from kernelopt._base._errors import Refused
from kernelopt._base._memory import available_bytes
from kernelopt._base._typing import FloatArray
from kernelopt._criteria._contract import ConcaveCriterion, Criterion
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._criteria._svr import SVR
from kernelopt._families._contract import KernelFamily
from kernelopt._families._delta import Delta
from kernelopt._families._features import FeatureFamily
from kernelopt._families._finite import FiniteFamily, StoredFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._matrix import MatrixFamily
from kernelopt._families._penalty import Price
from kernelopt._families.dictionary._dictionary import fixed
from kernelopt._plugins._registry import registry, resolve
from kernelopt._saddle._contract import ConcaveSolver, Solver
from kernelopt._solvers._adapters import refusal, served, serving
from kernelopt._solvers._chain import Chain

DEFAULT_FAMILY = "tk"
LARGEST_ORDER = 400
"""Up to this order of P the interior point wins: a step is dominated by the rows, not by the parameters."""
LARGEST_FEATURES = 1000
"""The same for quadratic forms in features, where Frank-Wolfe learns no more than one direction a step and output."""
MOST_ROWS = 20000
"""Up to this many rows, where memory holds its arrays, a whole factorisation a step is surer than working sets."""
MOST_TOGETHER = 5000
"""Several outputs stand side by side in one system: beyond so many rows over all of them apd is quicker."""
LOOSE = 5e-3
"""At this tolerance or a looser one a few of Frank-Wolfe's steps may do; where they do not, they cost little."""
_ROUNDING = 1e-12
_ARRAYS = 6
"""How many n x n arrays that needs."""

_LOSS, _TUBE = 10.0, 0.1
"""C and epsilon of the regression that is chosen for the user, in standard deviations of y."""


def criterion_for(spec: Any, y: Any, weight: Any = None) -> tuple[Criterion, tuple[str, ...]]:
    """The criterion of a spec, or the one that y suggests.

    Strings, booleans, two values or at most 20 integers: svc. Other numbers: svr. No y: one-class.
    """
    if spec is not None:
        criterion: Criterion = resolve("criterion", spec)
        return criterion.suited(y is not None and _labels(check_target(y))), ()
    if y is None:
        return resolve("criterion", "one-class"), ("criterion: there is no y, so one-class with nu = 0.5 was taken",)
    labels = check_target(y)
    if _labels(labels):
        return resolve("criterion", "svc"), ("criterion: y holds labels, so svc with C = 1 was taken",)
    if labels.dtype.kind not in "biuf":
        return resolve("criterion", "svr"), ()  # the door says what is wrong with y
    return regression_for(labels.astype(np.float64), weight)


def _labels(y: npt.NDArray[Any]) -> bool:
    """Whether checked targets look like classes: strings, booleans, two values or at most 20 integers."""
    if y.ndim != 1:
        return False
    values = np.unique(y)
    return y.dtype.kind in "bUS" or len(values) <= 2 or (y.dtype.kind in "iu" and len(values) <= 20)


def regression_for(y: FloatArray, weight: Any = None) -> tuple[Criterion, tuple[str, ...]]:
    """svr in the units of y (n,) or (n, c): what is predicted then changes with y's units and with nothing else.

    A sample weight of k counts as k samples; weights that are none are left for the door to refuse.
    """
    size = float(np.abs(y).max(initial=0.0)) or 1.0
    spread = size * float(_deviation(y / size, weight).mean()) or 1.0
    criterion = SVR(C=_LOSS * spread, epsilon=_TUBE * spread)
    note = (
        f"criterion: y holds numbers of standard deviation {spread:.3g}, so svr with C = {criterion.C:.3g} and "
        f"epsilon = {criterion.epsilon:.3g} was taken"
    )
    return criterion, (note,)


def _deviation(y: FloatArray, weight: Any) -> FloatArray:
    """The standard deviation of each column."""
    given = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=np.float64)
    if given.shape != (len(y),) or not (given.min(initial=0.0) >= 0.0 and 0.0 < given.sum() < np.inf):
        given = np.ones(len(y))
    mean = np.average(y, axis=0, weights=given)
    return np.sqrt(np.average((y - mean) ** 2, axis=0, weights=given))


def family_for(spec: Any, criterion: Criterion) -> tuple[Any, tuple[str, ...]]:
    """The family's spec, or the default: tessellated kernels; for the evidence its list, for novelty a fixed Gaussian.

    Without targets the minimum over kernels runs to the most constant one: it certifies, and learns nothing.
    """
    if spec is not None:
        return spec, ()
    if criterion.task == "novelty":
        return fixed("rbf"), ("family: without targets no kernel is learned, a Gaussian with gamma = 1/d was taken",)
    if isinstance(criterion, ConcaveCriterion):
        return "auto", ('family: nothing was said, so the list "auto" was taken',)
    return DEFAULT_FAMILY, ()


def leaves_for(
    spec: Any, training: Training, scale: Scale, criterion: Criterion
) -> tuple[tuple[Leaf, ...], tuple[str, ...]]:
    """The leaves of a family's spec, as the criterion needs them, with notes on what it added."""
    leaves = make_leaves(spec, training, scale)
    if isinstance(criterion, ConcaveCriterion):
        return criterion.union(leaves, training.X.shape[1])
    return leaves, ()


def solver_for(
    spec: Any, leaves: tuple[Leaf, ...], criterion: Criterion, outputs: tuple[DualQP, ...], tol: float = 0.0
) -> tuple[Solver, tuple[str, ...]]:
    """The solver of a spec, lifted by an exchange where it works on finite lists only; `auto` asks for the tolerance.

    Raises:
        Refused: it cannot serve these leaves with this criterion, with the reason.
    """
    posed(leaves, criterion, outputs)
    automatic = isinstance(spec, str) and spec == "auto"
    concave = isinstance(criterion, ConcaveCriterion)
    name = "scoring" if automatic and concave else _automatic(leaves, outputs) if automatic else spec
    if automatic and name == "ipm" and tol >= LOOSE and _one_matrix_problem(leaves, outputs):
        name = {"name": "chain", "first": "plain-fw", "then": "ipm", "window": 1, "rate": 0.4}
    solver: Solver = resolve("solver", name)
    if concave and not isinstance(solver, ConcaveSolver):
        from kernelopt._evidence._reweighted import Reweighted

        solver = Reweighted(solver)
    notes = (f"solver: auto took {_words(solver)}",) if automatic else ()
    able = serving(solver, leaves, criterion)
    if able is not None:
        return able, (*notes, *served(able))
    names = " + ".join(leaf.family.name for leaf in leaves)
    raise Refused(f"{solver.name} cannot solve {names} with {criterion.name}: {refusal(solver, leaves, criterion)}")


def posed(leaves: tuple[Leaf, ...], criterion: Criterion, outputs: tuple[DualQP, ...]) -> None:
    """Refuse a problem that has no optimum, or none that could be certified, whatever the solver."""
    reason = criterion.refuses(tuple(leaf.family for leaf in leaves))
    if reason is None and isinstance(criterion, ConcaveCriterion):
        reason = _paid(leaves)
    elif reason is None and all(leaf.total is None for leaf in leaves):
        reason = _no_cone(leaves, outputs)
    if reason is not None:
        names = " + ".join(leaf.family.name for leaf in leaves)
        raise Refused(f"{criterion.name} has no answer for {names}: {reason}")


def _paid(leaves: tuple[Leaf, ...]) -> str | None:
    """Why there is no least objective where some kernel costs less than nothing and weights are free, or None."""
    for leaf in leaves:
        if isinstance(leaf.penalty, Price) and leaf.penalty.least < -_ROUNDING * float(np.abs(leaf.penalty.c).max()):
            return f"at its price a kernel of {leaf.family.name} pays the more the larger it is; take prices >= 0"
    return None


def _no_cone(leaves: tuple[Leaf, ...], outputs: tuple[DualQP, ...]) -> str | None:
    """Why there is no optimum over kernels of any size, or None."""
    for leaf in leaves:
        if leaf.penalty is None:
            return f"{leaf.family.name} has no price, so its weights need a total"
        if leaf.penalty.homogeneous and any(qp.target.any() for qp in outputs):
            return (
                "it fixes the size of its dual variables, so over kernels of any size at a price in proportion to it "
                "the optimum is 0 or none; give the weights a total, or take a squared penalty"
            )
    return None


def _automatic(leaves: tuple[Leaf, ...], outputs: tuple[DualQP, ...]) -> str:
    """smo for lists of kernels in memory; ipm where every family has few parameters, by working sets where there are
    many rows; fw for all others.

    Several outputs stand side by side in the interior point's system: their rows count together.
    """
    if _listed(leaves, outputs[0].n) and "smo" in registry().names("solver"):
        return "smo"
    few = all(_has_few_parameters(leaf.family) for leaf in leaves)
    if not few or "ipm" not in registry().names("solver"):
        return "fw"
    rows = sum(qp.n for qp in outputs)
    if len(outputs) > 1 and rows > MOST_TOGETHER:
        return "apd" if "apd" in registry().names("solver") else "fw"
    if len(outputs) == 1 and 2 * sum(_features(leaf.family) for leaf in leaves) < rows:
        return "ipm"
    have = available_bytes()
    if rows <= MOST_ROWS and (have is None or 8 * _ARRAYS * rows * rows <= have):
        return "ipm"
    unbounded = any((np.isinf(qp.upper - qp.lower) & (qp.curvature == 0.0)).any() for qp in outputs)
    return "fw" if unbounded or len(outputs) > 1 else "working-set"


def _one_matrix_problem(leaves: tuple[Leaf, ...], outputs: tuple[DualQP, ...]) -> bool:
    """Whether an atom of a matrix family may be nearly the whole answer, and plain Frank-Wolfe is there to try."""
    matrices = all(isinstance(leaf.family, MatrixFamily) and leaf.penalty is None for leaf in leaves)
    return matrices and len(outputs) == 1 and "plain-fw" in registry().names("solver")


def _words(solver: Solver) -> str:
    """What a user types for it, but for its options."""
    return f"{_words(solver.first)}+{_words(solver.then)}" if isinstance(solver, Chain) else solver.name


def _listed(leaves: tuple[Leaf, ...], n: int) -> bool:
    """Whether these are lists of kernels without a price, their Grams in memory, with room for blocks of them."""
    lists = [leaf.family for leaf in leaves if isinstance(leaf.family, FiniteFamily) and leaf.penalty is None]
    if len(lists) < len(leaves) or not any(isinstance(family, StoredFamily) for family in lists):
        return False
    have, atoms = available_bytes(), sum(len(family.dictionary()) for family in lists)
    return have is None or 2 * 8 * atoms * n * n <= have


def _has_few_parameters(family: KernelFamily) -> bool:
    """Whether an interior point on all of its parameters wins over what collects atoms."""
    if isinstance(family, MatrixFamily):
        return family.order <= (LARGEST_FEATURES if isinstance(family, FeatureFamily) else LARGEST_ORDER)
    return isinstance(family, FiniteFamily)


def _features(family: KernelFamily) -> float:
    """How many columns its Grams have as factors, where that is known without any rows; else infinite."""
    return family.order if isinstance(family, FeatureFamily) else 0.0 if isinstance(family, Delta) else math.inf
