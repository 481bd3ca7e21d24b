"""The same optimum as it is written down: Lanckriet and others (2004), one quadratic constraint an atom, by cvxpy.

minimise over alpha, t      t/2 - sum alpha
subject to                  v'K_a v <= t for every a,   v = y alpha,   0 <= alpha <= C,   y'alpha = 0
"""

import time
from importlib import import_module
from typing import Any

import attrs
import numpy as np

import kernelopt
from kernelopt import SVC, Dictionary
from kernelopt.plugin import Part

from . import _problems

ROWS, ATOMS = 200, 12


@attrs.frozen
class Answer:
    """What one way says, and what it took.

    Attributes:
        value: the optimum; for kernelopt the middle of its bounds.
        seconds: CPU seconds; for cvxpy all that `Problem.solve` takes, for kernelopt all that `solve` takes.
    """

    value: float
    seconds: float


def installed() -> bool:
    """Whether cvxpy can be imported; kernelopt does not need it."""
    try:
        import cvxpy  # noqa: F401
    except ImportError:
        return False
    return True


def gaussians(m: int) -> Dictionary:
    """So many Gaussians, from wide to narrow."""
    return Dictionary([("rbf", {"gamma": float(gamma)}) for gamma in np.geomspace(0.01, 30.0, m)])


def cone(n: int, m: int, solver: str = "qcqp", tol: float = 1e-6) -> Answer:
    """By kernelopt, to a certified relative gap."""
    X, y = _problems.rows((n, 10))
    began = time.process_time()
    done = kernelopt.solve(X, y, family=gaussians(m), solver=solver, criterion=SVC(1.0), tol=tol)
    seconds = time.process_time() - began
    assert done.status.converged
    return Answer(0.5 * (done.certificate.lower + done.certificate.upper), seconds)


def written(n: int, m: int) -> Answer:
    """As it is written down, by cvxpy and Clarabel at its own tolerances (1e-8)."""
    cvxpy: Any = import_module("cvxpy")
    X, labels = _problems.rows((n, 10))
    y = np.where(labels == 1, 1.0, -1.0)
    problem = _problems.bound(gaussians(m), X, y, SVC(1.0))
    leaf, data = problem.leaves[0], problem.data[0]
    atoms: Any = leaf.family.center().atoms
    grams = [leaf.factor * leaf.family.gram(Part(atom[None], np.ones(1)), data).dense() for atom in atoms]
    began = time.process_time()
    alpha, t = cvxpy.Variable(n), cvxpy.Variable()
    v = cvxpy.multiply(y, alpha)
    constraints = [cvxpy.quad_form(v, cvxpy.psd_wrap(K)) <= t for K in grams]
    asked = cvxpy.Problem(
        cvxpy.Minimize(0.5 * t - cvxpy.sum(alpha)), [*constraints, alpha >= 0, alpha <= 1, y @ alpha == 0]
    )
    asked.solve(solver=cvxpy.CLARABEL)
    return Answer(-float(asked.value), time.process_time() - began)
