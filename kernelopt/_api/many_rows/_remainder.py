"""What the landmarks' machine of all rows says, as a sum of the whole kernel over landmarks: the whole kernel then
learns the remainder of the targets from some of the rows.
"""

import attrs
import numpy as np
from scipy.linalg import solve_triangular

from kernelopt._api.many_rows._rough import Rough
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families.features._landmarks import Landmarks
from kernelopt._linalg._gram import ROW_BLOCK

_ALIKE = 1e-6
"""Of the deviation of what is said: a difference of this size is rounding."""


@attrs.frozen(eq=False)
class Known:
    """What is known of the targets before the whole kernel learns.

    Attributes:
        values: at the rows that it learns from, shape (n, c).
        places: the numbers of landmarks among all training rows, shape (r,).
        V: the values are k(x, landmarks) V + level, shape (r, c).
        level: shape (c,).
    """

    values: FloatArray
    places: IntArray
    V: FloatArray
    level: FloatArray


def nothing(rough: Rough) -> Known:
    """Where no landmarks say anything beforehand."""
    n, c = rough.rows.y.shape
    return Known(np.zeros((n, c)), np.zeros(0, dtype=np.intp), np.zeros((0, c)), np.zeros(c))


def known(rough: Rough, coefficients: FloatArray) -> Known | None:
    """What features with these coefficients (r, c) say, where it is a sum of the whole kernel over landmarks but for a
    constant: where one list of landmarks stands for all of the kernel but its level. Else None.

    A feature is phi(x) = L^-1 k(Z, x), so that phi(x)'u = k(x, Z) L^-T u.
    """
    begun, rows = rough.begun, rough.rows
    lists = zip(rough.fit.map.leaves, rough.fit.map.places, strict=True)
    spans = [(leaf, place) for leaf, place in lists if isinstance(leaf.family, Landmarks)]
    if len(spans) != 1:
        return None
    ((leaf, place),) = spans
    assert isinstance(leaf.family, Landmarks)
    (one,) = leaf.family.kernels
    V = solve_triangular(one.lower, coefficients[place], lower=True, trans=1, check_finite=False)
    V /= np.sqrt(leaf.factor)
    landmarks = rough.request.training.X[begun.landmarks]
    X, values = rows.features.X, rows.features.image(coefficients)
    blocks = (slice(i, i + ROW_BLOCK) for i in range(0, len(X), ROW_BLOCK))
    apart = np.concatenate([values[block] - rough.kernel.between(X[block], landmarks) @ V for block in blocks])
    if not (apart.std(axis=0) <= _ALIKE * values.std(axis=0)).all():
        return None
    return Known(values, begun.landmarks, V, apart.mean(axis=0))
