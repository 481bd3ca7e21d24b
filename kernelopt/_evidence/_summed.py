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
"""Of a sum of squares: so much is added to it, for what rounding leaves of another may be negative."""
_NEGLIGIBLE = 1e-30
"""Of the largest sum of squares: a smaller one counts as this, so that a feature which is 0 in all rows has a root."""


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
    R = _root(sums.inner, np.diagonal(sums.inner))
    along = solve_triangular(R, sums.along, trans=1, check_finite=False)
    return R, np.vstack([along, _root(sums.squares - along.T @ along, np.diagonal(sums.squares))])


def _root(matrix: FloatArray, squares: FloatArray) -> FloatArray:
    """R, upper, with R'R = the matrix, but for what rounding leaves of sums of this size (k,).

    Each row and column is divided by the root of its sum first: the features of targets in small units are small beside
    that of the level, and what is lost beside the largest sum would be all of theirs.
    """
    size = np.sqrt(np.maximum(squares, _NEGLIGIBLE * squares.max(initial=0.0)))
    size[size == 0.0] = 1.0
    alike = matrix / size[:, None] / size
    alike[np.diag_indices(len(alike))] += len(alike) * _ROUNDING
    return np.asarray(cholesky(alike, check_finite=False, overwrite_a=True) * size)


def _seen(leaf: Leaf, stood: FloatArray, place: slice, owner: np.ndarray) -> tuple[Leaf, Data]:
    """A leaf as a list of features, which are at hand; the leaf's factor is in them."""
    assert isinstance(leaf.family, FiniteFamily)
    atoms = leaf.family.dictionary().atoms
    family = ActiveColumns(leaf.family, atoms)
    return attrs.evolve(leaf, family=family, factor=1.0), Factors(stood[:, place], owner, np.zeros(len(atoms)))
