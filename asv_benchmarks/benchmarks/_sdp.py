"""The same optimum as one semidefinite program: Colbert and Peet (2020), equation (24), by cvxpy and Clarabel.

    min over P, nu, delta, gamma, t      t
    subject to   [[Y K(P) Y, r], [r', 2 (t - C sum delta)]] >= 0,    r = 1 + nu - delta + gamma y
                 P >= 0,   trace P <= 1,   nu >= 0,   delta >= 0

One matrix inequality of order n + 1, as printed, but for the factor 2: t is the value of the saddle, half the paper's.
"""

import time
import warnings
from importlib import import_module
from typing import Any

import attrs
import numpy as np
from kernelopt_tk import TK
from sklearn.datasets import make_moons
from sklearn.model_selection import ShuffleSplit

import kernelopt
from kernelopt import SVC, datasets
from kernelopt.plugin import FloatArray

from . import _problems

ROWS = (50, 100)
TOL = 1e-6


@attrs.frozen
class Answer:
    """What one method says, and what it took.

    Attributes:
        value: the optimum; for kernelopt the middle of its bounds.
        seconds: CPU seconds; for the program Clarabel's own, without what cvxpy adds.
        whole: CPU seconds with all that cvxpy adds.
        gap: the certified relative gap; 0 for the program by hand, which has no certificate.
        converged: whether the gap is within the tolerance.
    """

    value: float
    seconds: float
    whole: float
    gap: float = 0.0
    converged: bool = True


def installed() -> bool:
    """Whether cvxpy and Clarabel can be imported; neither is needed by kernelopt."""
    try:
        import clarabel  # noqa: F401
        import cvxpy  # noqa: F401
    except ImportError:
        return False
    return True


def rows(n: int | str) -> tuple[FloatArray, Any]:
    """Two moons of n rows, or four fifths of the rows of the data set of this name."""
    if isinstance(n, str):
        data = datasets.load(n)
        train, _ = next(ShuffleSplit(1, test_size=0.2, random_state=0).split(data.X))
        return data.X[train], data.y[train]
    X, y = make_moons(n, noise=0.2, random_state=0)
    return X, y


def saddle(n: int | str, tol: float = TOL) -> Answer:
    """By the interior point, to this certified relative gap."""
    found = _solved(n, "ipm", tol)
    assert found.converged
    return found


def semidefinite(n: int | str, tol: float = TOL) -> Answer:
    """By kernelopt's own semidefinite program, to this certified relative gap, or as near as the program comes."""
    return _solved(n, {"name": "sdp", "most": len(rows(n)[0]) + 1}, tol)


def of_few_rows(n: int | str, tol: float, band: int, seconds: float | None) -> Answer:
    """By semidefinite programs of the rows near the margin, at least `band` of them, the others held on their bounds;
    certified on all rows.
    """
    return _solved(n, {"name": "working-set", "solver": "sdp", "band": band}, tol, seconds)


def _solved(n: int | str, solver: Any, tol: float, seconds: float | None = None) -> Answer:
    X, y = rows(n)
    began = time.process_time()
    done = kernelopt.solve(X, y, family=TK(), solver=solver, criterion=SVC(1.0), tol=tol, max_seconds=seconds)
    took, told = time.process_time() - began, done.certificate
    return Answer(0.5 * (told.lower + told.upper), took, took, told.relative_gap, done.status.converged)


def program(n: int) -> Answer:
    """By the semidefinite program, at Clarabel's own tolerances (1e-8)."""
    cp: Any = import_module("cvxpy")
    X, labels = rows(n)
    first = time.process_time()
    y = np.where(labels == 1, 1.0, -1.0)
    problem = _problems.bound(TK(), X, y, SVC(1.0))
    maps = _linear_map(problem)
    q = round(np.sqrt(maps.shape[1]))
    P = cp.Variable((q, q), PSD=True)
    t, gamma, nu, delta = cp.Variable(), cp.Variable(), cp.Variable(n, nonneg=True), cp.Variable(n, nonneg=True)
    G = cp.multiply(np.outer(y, y), cp.reshape(maps @ cp.vec(P, order="C"), (n, n), order="C"))
    r = cp.reshape(1.0 + nu - delta + gamma * y, (n, 1), order="C")
    corner = cp.reshape(2.0 * (t - 1.0 * cp.sum(delta)), (1, 1), order="C")
    asked = cp.Problem(cp.Minimize(t), [cp.bmat([[G, r], [r.T, corner]]) >> 0, cp.trace(P) <= 1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # "inaccurate" is said of the last digits; the values are compared
        data, chain, inverse = asked.get_problem_data(cp.CLARABEL, solver_opts={})
        began = time.process_time()
        raw = chain.solve_via_data(asked, data)
        seconds = time.process_time() - began
        asked.unpack_results(raw, chain, inverse)
    return Answer(float(asked.value), seconds, time.process_time() - first)


def _linear_map(problem: Any) -> FloatArray:
    """T (n n, q q) with vec K(P) = T vec P."""
    leaf, data = problem.leaves[0], problem.data[0]
    q, columns = leaf.family.order, []
    for a in range(q):
        for b in range(q):
            E = np.zeros((q, q))
            E[a, b] += 0.5
            E[b, a] += 0.5
            columns.append(leaf.factor * leaf.family.gram_of(E, data).dense().ravel())
    return np.column_stack(columns)
