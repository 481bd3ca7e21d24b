"""The best mixture of a few dual points: a lower bound that none of them proves alone."""

import numpy as np
from scipy.optimize import minimize

from kernelopt._base._typing import FloatArray
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._mixture import Part
from kernelopt._saddle._problem import Problem

Alphas = tuple[FloatArray, ...]


def mixed(master: Problem, points: tuple[Alphas, ...]) -> Alphas:
    """sum_j lambda_j alpha_j with the largest h - 1/2 max_a v'K_a v over the atoms in play, lambda in the simplex.

    Where a kernel has few features its alpha is not unique, and a master that answers one kernel at a time returns any
    of them; what bounds all kernels is a mixture, as in Kelley's cutting planes.

    Args:
        master: a problem of finite lists.
        points: some dual variables, one array for each output.
    """
    share = _shares(_forms(master, points), _linear(master, points), _bend(master, points))
    return tuple(np.tensordot(share, np.stack(one), 1) for one in zip(*points, strict=True))


def _shares(forms: FloatArray, linear: FloatArray, bend: FloatArray) -> FloatArray:
    """The lambda of least t/2 + lambda'B lambda/2 - l'lambda with lambda'F_a lambda <= t for every atom, shape (k,)."""
    k = len(linear)
    even = np.full(k, 1.0 / k)
    size = max(float(forms.max()), float(np.abs(linear).max()), 1e-300)
    F, lin, B = forms / size, linear / size, bend / size
    room = {
        "type": "ineq",
        "fun": lambda x: x[k] - np.einsum("i,aij,j->a", x[:k], F, x[:k]),
        "jac": lambda x: np.column_stack([-2.0 * (F @ x[:k]), np.ones(len(F))]),
    }
    whole = {"type": "eq", "fun": lambda x: x[:k].sum() - 1.0, "jac": lambda _: np.append(np.ones(k), 0.0)}
    found = minimize(
        lambda x: float(0.5 * x[k] + 0.5 * x[:k] @ B @ x[:k] - lin @ x[:k]),
        np.append(even, np.einsum("i,aij,j->a", even, F, even).max()),
        jac=lambda x: np.append(B @ x[:k] - lin, 0.5),
        method="SLSQP",
        bounds=[(0.0, 1.0)] * k + [(None, None)],
        constraints=[room, whole],
        options={"maxiter": 200, "ftol": 1e-14},
    )
    share = np.maximum(found.x[:k], 0.0)
    return share / share.sum() if np.isfinite(share).all() and share.sum() > 0.0 else even


def _forms(master: Problem, points: tuple[Alphas, ...]) -> FloatArray:
    """sum_c v_i'K_a v_j of the points i, j for every atom a in play, shape (m, k, k)."""
    k = len(points)
    columns = [np.column_stack([qp.embed(p[c]) for p in points]) for c, qp in enumerate(master.outputs)]
    V, one = np.column_stack(columns), np.ones(1)
    forms = []
    for leaf, data in zip(master.leaves, master.data, strict=True):
        assert isinstance(leaf.family, FiniteFamily)
        for atom in leaf.family.dictionary().atoms:
            image = leaf.factor * leaf.family.apply(Part(atom[None], one), data, V)
            forms.append(sum(v.T @ image[:, c * k : (c + 1) * k] for c, v in enumerate(columns)))
    return np.stack(forms)


def _linear(master: Problem, points: tuple[Alphas, ...]) -> FloatArray:
    """The linear part of h at each point, shape (k,)."""
    pairs = zip(master.outputs, zip(*points, strict=True), strict=True)
    total: FloatArray = np.sum([np.stack(alphas) @ qp.linear for qp, alphas in pairs], axis=0)
    return total


def _bend(master: Problem, points: tuple[Alphas, ...]) -> FloatArray:
    """The quadratic part of h between points, shape (k, k)."""
    total = np.zeros((len(points),) * 2)
    for qp, alphas in zip(master.outputs, zip(*points, strict=True), strict=True):
        A = np.stack(alphas)
        sums = A @ qp.sign
        total += (A * qp.curvature) @ A.T + qp.bias_cost * np.outer(sums, sums)
    return total
