"""The evidence of many rows on explicit lists, as that of as many rows as there are features.

With Phi = Q R, Q of orthonormal columns, and Z = Y - Q Q'Y, the evidence of n rows of features Phi, targets Y and noise
tau is that of the r rows R with targets Q'Y, of c more without features whose targets have Z'Z between them, and of
n - r - c rows of noise alone. So it is a problem like all others, with the same optimum and the same certificate.
"""

import attrs
import numpy as np
from scipy.linalg import cholesky, solve_triangular

from kernelopt._base._typing import Data, FloatArray
from kernelopt._evidence._criterion import Evidence
from kernelopt._families._atom_subset import ActiveColumns
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families.features._feature_lists import Factors
from kernelopt._families.features._feature_rows import FeatureMap
from kernelopt._families.features._feature_sums import Sums
from kernelopt._families.variances._delta import Counts, Delta
from kernelopt._saddle._problem import Problem

_ROUNDING = 1e-15
"""Of the largest sum: so much is added to each square, for what rounding leaves of a sum of squares may be negative."""


def summed_problem(
    leaves: tuple[Leaf, ...], features: FeatureMap, sums: Sums, criterion: Evidence, noise: float
) -> Problem:
    """The problem of r + c rows.

    Args:
        leaves: those of the features, and the identity on samples.
        features: of all other leaves, in their order.
        sums: over all rows.
        criterion: the evidence.
        noise: the least noise of a row that counts once.
    """
    R, targets = rotated(sums)
    rows, (r, c) = len(targets), sums.along.shape
    stood = np.vstack([R, np.zeros((c, r))])
    counts = Counts(np.ones(rows), sums.rows - rows)
    listed, bound = [], []
    others = iter(zip(features.places, features.owner, strict=True))
    for leaf in leaves:
        one, data = (leaf, counts) if isinstance(leaf.family, Delta) else _seen(leaf, stood, *next(others))
        listed.append(one)
        bound.append(data)
    return Problem(tuple(listed), tuple(bound), criterion, criterion.duals(targets, np.full(rows, noise)))


def rotated(sums: Sums) -> tuple[FloatArray, FloatArray]:
    """R (r, r), upper, and the targets (r + c, c): Q'Y, and below it the root of Z'Z."""
    R = _root(sums.inner)
    along = solve_triangular(R, sums.along, trans=1, check_finite=False)
    return R, np.vstack([along, _root(sums.squares - along.T @ along)])


def _root(matrix: FloatArray) -> FloatArray:
    """R, upper, with R'R = the matrix, but for rounding."""
    raised = matrix.copy()
    raised[np.diag_indices(len(matrix))] += len(matrix) * _ROUNDING * float(np.diagonal(matrix).max(initial=0.0))
    return np.asarray(cholesky(raised, check_finite=False))


def _seen(leaf: Leaf, stood: FloatArray, place: slice, owner: np.ndarray) -> tuple[Leaf, Data]:
    """A leaf as a list of features, which are at hand; the leaf's factor is in them."""
    assert isinstance(leaf.family, FiniteFamily)
    atoms = leaf.family.dictionary().atoms
    family = ActiveColumns(leaf.family, atoms)
    return attrs.evolve(leaf, family=family, factor=1.0), Factors(stood[:, place], owner, np.zeros(len(atoms)))
