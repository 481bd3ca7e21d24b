"""Slow methods that share nothing with the core's: what its answers are compared with, on a dozen samples."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.optimize import linprog, minimize

from kernelopt.dual import repair
from kernelopt.plugin import DualQP, FloatArray

_LINES = 60
"""How many lines below a convex function are looked at for its minimum: for a linear programme a few are enough."""


def embedding(qp: DualQP) -> FloatArray:
    """E as a matrix, shape (n, N)."""
    E = np.zeros((qp.n, qp.size))
    E[qp.sample, np.arange(qp.size)] = qp.sign
    return E


def equalities(qp: DualQP) -> tuple[FloatArray, FloatArray]:
    """The equality constraints A a = t of a dual set: A (number of equalities, N), t."""
    A = np.zeros((len(qp.target), qp.size))
    for g in range(len(qp.target)):
        member = qp.group == g
        A[g, member] = qp.coefficient[member]
    return A, qp.target


def naive_maximum(qp: DualQP, K: FloatArray, f: FloatArray, start: FloatArray) -> float:
    """The maximum of h(a) - 1/2 v'Kv - v'f, v = E a, over the dual set.

    Args:
        qp: the dual set; bounded where the objective is not strictly concave.
        K: shape (n, n), zero for the primal objective's maximum.
        f: shape (n,).
        start: any feasible a, shape (N,).
    """
    alpha = naive_best(qp, K, f, start)
    v = qp.embed(alpha)
    return qp.h(alpha) - 0.5 * float(v @ K @ v) - float(v @ f)


def naive_best(qp: DualQP, K: FloatArray, f: FloatArray, start: FloatArray) -> FloatArray:
    """Dual variables (N,) that attain `naive_maximum`: a linear programme, or SLSQP."""
    E = embedding(qp)
    H = E.T @ K @ E + np.diag(qp.curvature) + qp.bias_cost * np.outer(qp.sign, qp.sign)
    slope = qp.linear - E.T @ f
    A, target = equalities(qp)
    box = np.column_stack([qp.lower, qp.upper])
    if not H.any():
        # Scaled: the method takes slopes below 1e-7 for zero.
        cost = -slope / (np.abs(slope).max() or 1.0)
        found = linprog(cost, A_eq=A if len(A) else None, b_eq=target if len(A) else None, bounds=box)
        return np.asarray(found.x)
    return _ascend(lambda a: 0.5 * a @ H @ a - slope @ a, lambda a: H @ a - slope, start, box, A, target)


def naive_lagrangian(qp: DualQP, quad: float, f: FloatArray) -> float:
    """Q/2 + max over alpha in A of [h(alpha) - (E alpha)'f], with f = K v (n,) and Q = v'K v."""
    start = repair(qp, np.zeros(qp.size))
    return 0.5 * quad + naive_maximum(qp, np.zeros((qp.n, qp.n)), f, start)


def naive_multiple(qp: DualQP, quad: float, f: FloatArray) -> float:
    """The minimum of `naive_lagrangian` at t v over 0 <= t <= 1.

    It is t^2 Q/2 and the highest of the lines h(alpha) - t (E alpha)'f, one for each alpha in A. The best t for a line
    on either side of the minimum gives the next line, until the two lines are as high as the maximum there.
    """
    start = repair(qp, np.zeros(qp.size))

    def highest(t: float) -> tuple[float, float]:
        alpha = naive_best(qp, np.zeros((qp.n, qp.n)), t * f, start)
        return qp.h(alpha), -float(qp.embed(alpha) @ f)

    left, right = highest(0.0), highest(1.0)
    if left[1] >= 0.0:
        return left[0]
    best = min(left[0], 0.5 * quad + sum(right))
    if quad + right[1] <= 0.0:
        return best
    for _ in range(_LINES):
        meet = (left[0] - right[0]) / ((right[1] - left[1]) or 1.0)
        t = float(np.median([-left[1] / quad, meet, -right[1] / quad]))
        below = 0.5 * t * t * quad + max(h + t * slope for h, slope in (left, right))
        h, slope = highest(t)
        best = min(best, 0.5 * t * t * quad + h + t * slope)
        if best <= below + 1e-12 * (abs(below) + quad):
            break
        left, right = ((h, slope), right) if t * quad + slope < 0.0 else (left, (h, slope))
    return best


def naive_saddle(qp: DualQP, grams: Sequence[FloatArray], start: FloatArray) -> FloatArray:
    """The dual variables of a saddle over finitely many kernels: max h(a) - t with t >= 1/2 v'K_j v, by SLSQP.

    Args:
        qp: the dual set of the one output.
        grams: the kernels' Gram matrices, each (n, n).
        start: any feasible a, shape (N,).
    """
    E = embedding(qp)
    forms = np.stack([E.T @ K @ E for K in grams])
    H = np.diag(qp.curvature) + qp.bias_cost * np.outer(qp.sign, qp.sign)
    A, target = equalities(qp)
    box = np.vstack([np.column_stack([qp.lower, qp.upper]), [0.0, np.inf]])

    def below(x: FloatArray) -> FloatArray:
        return np.asarray(x[-1] - 0.5 * np.einsum("jab,a,b->j", forms, x[:-1], x[:-1]))

    def below_slope(x: FloatArray) -> FloatArray:
        return np.column_stack([-forms @ x[:-1], np.ones(len(forms))])

    point = _ascend(
        lambda x: 0.5 * x[:-1] @ H @ x[:-1] - qp.linear @ x[:-1] + x[-1],
        lambda x: np.append(H @ x[:-1] - qp.linear, 1.0),
        np.append(start, -np.min(below(np.append(start, 0.0)))),
        box,
        np.pad(A, ((0, 0), (0, 1))),
        target,
        {"type": "ineq", "fun": below, "jac": below_slope},
    )
    return point[:-1]


def _ascend(
    loss: Callable[[FloatArray], Any],
    slope: Callable[[FloatArray], FloatArray],
    start: FloatArray,
    box: FloatArray,
    A: FloatArray,
    target: FloatArray,
    *cuts: dict[str, Any],
) -> FloatArray:
    """The minimiser of a convex loss in a box, under A x = target and convex cuts."""
    equal = [{"type": "eq", "fun": lambda x: A @ x - target, "jac": lambda x: A}] if len(A) else []  # noqa: ARG005
    options = {"ftol": 1e-13, "maxiter": 2000}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SLSQP warns where rounding carries it a little over a bound
        found = minimize(
            loss, start, jac=slope, bounds=box, constraints=[*equal, *cuts], method="SLSQP", options=options
        )
    point: FloatArray = np.clip(found.x, box[:, 0], box[:, 1])
    return point
