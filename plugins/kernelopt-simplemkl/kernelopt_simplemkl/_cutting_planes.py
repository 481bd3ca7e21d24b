"""Planes under the value, one from each dual point, and where the largest of them is lowest."""

from collections.abc import Sequence
from typing import Self, TypeAlias

import attrs
import numpy as np
from scipy.optimize import linprog

from kernelopt.plugin import DualPoint, FloatArray, Problem, Response
from kernelopt_simplemkl._weights import gradient, mixture_of, price_gradient

Alphas: TypeAlias = tuple[FloatArray, ...]
"""Dual variables, one array for each output."""


def alphas_of(response: Response) -> Alphas:
    """The dual variables of each output."""
    return tuple(dual.alpha for dual in response.duals)


@attrs.frozen(eq=False)
class Plane:
    """What one dual point says of every kernel: J(w) >= base + slopes'w.

    Attributes:
        alphas: the dual point.
        base: its h(alpha), and the price's tangent at w = 0.
        slopes: -1/2 v'K_a v, and the slopes of the price's tangent, shape (M,).
    """

    alphas: Alphas
    base: float
    slopes: FloatArray

    @classmethod
    def under(cls, problem: Problem, w: FloatArray, duals: Sequence[DualPoint]) -> Self:
        """That of a feasible dual point, with the prices' tangent at w (M,)."""
        tangent = problem.penalty(mixture_of(problem, w)) - float(price_gradient(problem, w) @ w)
        slopes = gradient(problem, w, np.column_stack([dual.v for dual in duals]))
        return cls(tuple(dual.alpha for dual in duals), sum(dual.h for dual in duals) + tangent, slopes)

    def at(self, w: FloatArray) -> float:
        """Its height at w (M,)."""
        return self.base + float(self.slopes @ w)


def lowest(planes: Sequence[Plane], total: float) -> tuple[FloatArray, FloatArray] | None:
    """Where the largest plane is lowest, w (M,) with this sum, and the planes' multipliers (k,), which sum to 1.

        minimise z    subject to  base_j + slopes_j'w <= z for all j,  w >= 0,  sum w = total

    Kelley (1960). The multipliers mix the dual points into one that proves no less than z. None where the programme
    fails.
    """
    base, slopes = np.array([plane.base for plane in planes]), np.stack([plane.slopes for plane in planes])
    size = max(float(np.abs(base).max()), float(np.abs(slopes).max()) * total, 1e-300)
    k, M = slopes.shape
    found = linprog(
        np.append(np.zeros(M), 1.0),
        A_ub=np.column_stack([slopes * (total / size), -np.ones(k)]),
        b_ub=-base / size,
        A_eq=np.append(np.ones(M), 0.0)[None],
        b_eq=np.ones(1),
        bounds=[(0.0, None)] * M + [(None, None)],
    )
    if not found.success:
        return None
    w, shares = np.maximum(found.x[:M], 0.0), np.maximum(-found.ineqlin.marginals, 0.0)
    return total * w / w.sum(), shares / shares.sum()


def blended(planes: Sequence[Plane], shares: FloatArray) -> Alphas:
    """The planes' dual points mixed in these shares (k,): feasible, because the dual set is convex."""
    columns = zip(*(plane.alphas for plane in planes), strict=True)
    return tuple(np.tensordot(shares, np.stack(one), 1) for one in columns)
