"""Atoms of a matrix family that stand a little turned around those that matter."""

import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._matrix import MatrixFamily
from kernelopt._families._mixture import Part

_LEADING = 4
"""So many directions of P are turned, besides the oracle's best. Worth: `constants.py turned.leading`."""
_MOST = 32
"""Towards so many others at most, the heaviest first, so that lists of high order do not grow beyond measure; fewer cut
off too little. Worth: `constants.py turned.most`."""
_ROUNDING = 1e-8
"""A smaller angle, or what is left of a unit vector, is rounding: the square is lost beside 1."""


def turns(leaf: Leaf) -> bool:
    """Whether a leaf is a quadratic form in features, for which turned atoms cost little.

    Its v'Kv is the square of as few numbers for each output as p has, so that most directions cost nothing and the
    list leaves the dual variables room; without features every direction has its own cost, and the oracle's suffice.
    """
    return isinstance(leaf.family, MatrixFamily) and isinstance(leaf.family, ExplicitFamily)


def turned(part: Part, new: FloatArray) -> FloatArray:
    """The oracle's best direction and the leading ones of P, each turned both ways towards all others in play.

        cos(angle) p +- sin(angle) f,      the angle is that of the oracle's best direction with the range of P

    A list of pp' spans P, but at its optimum the dual variables may be any of many where single atoms leave room: the
    oracle cuts off one direction at a time, and there are as many as P has. With the turned atoms in the list, its
    optimum is one on a neighbourhood of P in the cone; and the angle shrinks as the list's optimum comes near P's.
    Lists of such atoms around the last optimum, again and again, are those of Ahmadi and Hall (2017).

    Args:
        part: the kernel, with its weights; the directions of it (m, q).
        new: the oracle's directions, the best one first, shape (k, q).

    Returns:
        unit vectors, shape (m', q).
    """
    _, size, E = np.linalg.svd(np.sqrt(part.weights)[:, None] * part.atoms, full_matrices=False)
    E = E[size > _ROUNDING * size.max(initial=0.0)]
    off = new[0] - E.T @ (E @ new[0])
    angle = float(np.arcsin(np.clip(np.linalg.norm(off), _ROUNDING, 1.0)))
    around = np.vstack([E, new])[:_MOST]
    return np.vstack([_around(lead, around, angle) for lead in (new[0], *E[:_LEADING])])


def _around(lead: FloatArray, others: FloatArray, angle: float) -> FloatArray:
    """The lead turned both ways by an angle towards each direction of an orthonormal basis of the others, less it."""
    rest = others - np.outer(others @ lead, lead)
    _, size, basis = np.linalg.svd(rest, full_matrices=False)
    basis = basis[size > _ROUNDING]
    ends = np.vstack([basis, -basis])
    both = np.cos(angle) * lead + np.sin(angle) * ends
    unit: FloatArray = both / np.linalg.norm(both, axis=1)[:, None]
    return unit
