"""How the oracle's best atoms move with the dual variables, to second order."""

import math
from typing import Self

import attrs
import numpy as np
import scipy.linalg

from kernelopt.plugin import Bend, CurvedFamily, Data, FloatArray

_SHIFTS = (1e-6, 1e-4, 1e-2, 1.0, 100.0)
"""What is added to a Hessian that is not negative definite, in units of its mean diagonal."""


@attrs.frozen(eq=False)
class Tangents:
    """Local maxima a of v'K_a v at one v0, and how they move with v.

    To second order, with D = d(K_a v0)/da and H the Hessian of v0'K_a v0 in a, negative definite,

        max over a' near a of v'K_a' v = v'K_a v + 1/2 g'(-H)^-1 g,    g = 2 D'v - D'v0,    a' = a + (-H)^-1 g,

    and D'v0 = 0 at a maximum: the kernel K_a + 2 D (-H)^-1 D' has what the best atom near a has.

    Attributes:
        atoms: a, shape (k, p).
        roots: L with L L' = (-H)^-1, each (p, p).
        columns: 2^1/2 D L, each (n, p).
        starts: D'v0, shape (k, p).
        values: v0'K_a v0, shape (k,).
    """

    atoms: FloatArray
    roots: tuple[FloatArray, ...]
    columns: tuple[FloatArray, ...]
    starts: FloatArray
    values: FloatArray

    @classmethod
    def at(cls, family: CurvedFamily, data: Data, atoms: FloatArray, values: FloatArray, v: FloatArray) -> Self:
        """The tangents at v0 = v (n,) of its local maxima (k, p) with their values (k,)."""
        roots, columns, starts = [], [], np.zeros_like(atoms)
        for k, atom in enumerate(atoms):
            bend = family.bend(atom, data, v)
            root = _root(bend)
            roots.append(root)
            columns.append(math.sqrt(2.0) * (bend.turn @ root))
            starts[k] = v @ bend.turn
        return cls(atoms, tuple(roots), tuple(columns), starts, values)

    def damped(self, damping: float) -> tuple[FloatArray, ...]:
        """The columns for a v that shall stay nearer to v0, where damping > 1."""
        return tuple(math.sqrt(damping) * F for F in self.columns)

    def moved(self, v: FloatArray) -> FloatArray:
        """Where the maxima are at v (n,), shape (k, p); no further than their values say."""
        moved = self.atoms.copy()
        parts = zip(self.roots, self.columns, self.starts, self.values, strict=True)
        for k, (root, F, start, value) in enumerate(parts):
            step = math.sqrt(2.0) * (F.T @ v) - root.T @ start
            gain = 0.5 * float(step @ step)
            moved[k] += (math.sqrt(value / gain) if gain > value else 1.0) * (root @ step)
        return moved


def _root(bend: Bend) -> FloatArray:
    """L with L L' = (-H)^-1, of an H that is made negative definite with the least shift that does it."""
    H = -0.5 * (bend.hessian + bend.hessian.T)
    unit = max(float(np.abs(np.diagonal(H)).mean()), 1e-300) * np.eye(len(H))
    for shift in _SHIFTS:
        factor, failed = scipy.linalg.lapack.dpotrf(H + shift * unit, lower=1)
        if not failed:
            break
    inverse: FloatArray = scipy.linalg.lapack.dtrtri(factor, lower=1)[0]
    return np.tril(inverse).T
