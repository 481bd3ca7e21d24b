"""Which solver `solver="auto"` takes: the one that costs least on these families, rows and outputs."""

import math
from typing import Any

from kernelopt._base._memory import fits
from kernelopt._criteria._contract import Criterion
from kernelopt._criteria._nu_svr import NuSVR
from kernelopt._criteria._ridge import Ridge
from kernelopt._criteria._svc import SVC
from kernelopt._criteria._svr import SVR
from kernelopt._families._contract import KernelFamily
from kernelopt._families._features import FeatureFamily
from kernelopt._families._finite import FiniteFamily, StoredFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._matrix import MatrixFamily
from kernelopt._families.features._landmarks import Landmarks
from kernelopt._families.features._row_lists import of_rows, width_of
from kernelopt._families.variances._delta import Delta
from kernelopt._plugins._registry import registry

LARGEST_ORDER = 1500
"""Up to this order of P, or of a quadratic form in features, the interior point wins: Frank-Wolfe learns no more than a
few directions a step and output. Worth: `constants.py choose.LARGEST_ORDER`."""
MOST_ROWS = 20000
"""Up to this many rows, where memory holds its arrays, a whole factorisation a step is surer than working sets.
Worth: `constants.py choose.MOST_ROWS`."""
MOST_WHOLE = 3000
"""With more rows than this, working sets take fewer seconds and less memory for support vector machines, of classes and
of numbers: most of their dual variables end at their bounds. Worth: `sparse_rows.py --solver whole` beside
`working-set`."""
FEW_ROWS = 400
"""Up to this many rows, lists of kernels for one output with targets take about as many seconds by the interior point,
and the first call, in which numba compiles, takes a third. Worth: `constants.py choose.FEW_ROWS`."""
FEW_OF_CLASSES = 150
"""The same for several classes, which share the kernel: the interior point takes 0.6 to 1.3 times the seconds of smo.
Worth: `constants.py choose.FEW_OF_CLASSES`."""
_LENGTHS = range(5, 51)
"""So many kernels such a list has: fewer take some ms less by smo, and of more smo's answers have fewer kernels."""
OF_NUMBERS = range(12, 51)
"""Lists of so many kernels, for one number each under svr or nu-svr: mostly the interior point takes a fifth to four
fifths of smo's seconds. Where the tube is as wide as half the deviation of the targets, so that few rows are support
vectors, smo may take less. Worth: `constants.py choose.OF_NUMBERS`."""
OF_SQUARES = _LENGTHS
"""Lists of so many kernels, for one number each under ridge, on up to `MOST_ROWS` rows: all rows are support vectors,
and the interior point mostly takes a quarter to nine tenths of smo's seconds. Worth: `constants.py choose.OF_SQUARES`.
"""
_ARRAYS = 6
"""How many n x n arrays that needs."""
MOST_TOGETHER = 5000
"""Several outputs stand side by side in one system: beyond so many rows over all of them apd is quicker.
Worth: `constants.py choose.MOST_TOGETHER`."""
LOOSE = 5e-3
"""At this tolerance or a looser one a few of Frank-Wolfe's steps may do; where they do not, they cost little.
Worth: `constants.py choose.LOOSE`."""
_WINDOW = 1
"""Over so many of those steps their pace is taken: the interior point follows the first slow one.
Worth: `constants.py choose.window`."""


def automatic(leaves: tuple[Leaf, ...], criterion: Criterion, shape: tuple[int, ...], tol: float) -> Any:
    """The solver's spec: `cheapest`, and where a rough answer will do, a few of Frank-Wolfe's steps before it."""
    name = cheapest(leaves, criterion, shape)
    if name == "ipm" and tol >= LOOSE and _one_matrix_problem(leaves, shape[1]):
        return {"name": "chain", "first": "plain-fw", "then": "ipm", "window": _WINDOW}
    return name


def cheapest(leaves: tuple[Leaf, ...], criterion: Criterion, shape: tuple[int, ...]) -> str:
    """ipm for lists of features on many rows, which it goes over in blocks; smo for lists of kernels in memory, but for
    some of few rows or for numbers; ipm where every family has few parameters, by working sets where there are many
    rows, fewer of them for the hinge loss and the tube, whose dual variables end at their bounds; fw for all others.

    Several outputs stand side by side in the interior point's system: their rows count together.

    Args:
        leaves: the families.
        criterion: what is learned.
        shape: (n, c), the number of rows and that of outputs.
    """
    n, several = shape[0], shape[1] > 1
    if of_rows(leaves, n) and 2 * sum(width_of(leaf) for leaf in leaves) < n and "ipm" in registry().names("solver"):
        return "ipm"
    if _listed(leaves, n) and "smo" in registry().names("solver") and not _quick(leaves, criterion, shape):
        return "smo"
    few = all(_has_few_parameters(leaf.family) for leaf in leaves)
    if not few or "ipm" not in registry().names("solver"):
        return "fw"
    rows = n * shape[1]
    if several and rows > MOST_TOGETHER:
        return "apd" if "apd" in registry().names("solver") else "fw"
    if not several and 2 * sum(_features(leaf.family) for leaf in leaves) < rows:
        return "ipm"
    if isinstance(criterion, SVC | SVR) and not several and rows > MOST_WHOLE:
        return "working-set"
    if rows <= MOST_ROWS and fits(8 * _ARRAYS * rows * rows):
        return "ipm"
    return "working-set" if all(criterion.bounded) and not several else "fw"


def _one_matrix_problem(leaves: tuple[Leaf, ...], outputs: int) -> bool:
    """Whether an atom of a matrix family may be nearly the whole answer, and plain Frank-Wolfe is there to try."""
    matrices = all(isinstance(leaf.family, MatrixFamily) and leaf.penalty is None for leaf in leaves)
    return matrices and outputs == 1 and "plain-fw" in registry().names("solver")


def _listed(leaves: tuple[Leaf, ...], n: int) -> bool:
    """Whether these are lists of kernels without a price, their Grams in memory, with room for blocks of them."""
    lists = [leaf.family for leaf in leaves if isinstance(leaf.family, FiniteFamily) and leaf.penalty is None]
    if len(lists) < len(leaves) or not any(isinstance(family, StoredFamily) for family in lists):
        return False
    return fits(2 * 8 * sum(len(family.dictionary()) for family in lists) * n * n)


def _quick(leaves: tuple[Leaf, ...], criterion: Criterion, shape: tuple[int, ...]) -> bool:
    """Whether the interior point takes about as few seconds for these lists, or fewer: of few rows, with targets, and
    where there are several, these are classes; or of numbers with a tube, and more kernels; or of numbers under ridge.
    """
    n, outputs = shape
    few = criterion.task != "novelty" and n <= FEW_ROWS
    if outputs > 1:
        few = criterion.task == "classification" and n <= FEW_OF_CLASSES
    kernels = sum(len(leaf.family.dictionary()) for leaf in leaves if isinstance(leaf.family, FiniteFamily))
    tube = isinstance(criterion, SVR | NuSVR) and outputs == 1 and n <= MOST_WHOLE and kernels in OF_NUMBERS
    squares = isinstance(criterion, Ridge) and outputs == 1 and n <= MOST_ROWS and kernels in OF_SQUARES
    return (tube or squares or (few and kernels in _LENGTHS)) and "ipm" in registry().names("solver")


def _has_few_parameters(family: KernelFamily) -> bool:
    """Whether an interior point on all of its parameters wins over what collects atoms."""
    if isinstance(family, MatrixFamily):
        return family.order <= LARGEST_ORDER
    return isinstance(family, FiniteFamily)


def _features(family: KernelFamily) -> float:
    """How many columns its Grams have as factors, where that is known without any rows; else infinite."""
    if isinstance(family, FeatureFamily | Landmarks):
        return family.order
    return 0.0 if isinstance(family, Delta) else math.inf
