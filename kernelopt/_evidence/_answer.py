"""The answer of the evidence at a kernel, which a factorisation gives."""

import numpy as np

from kernelopt._criteria._dual_qp import Dual
from kernelopt._evidence._counting import rows_of, volume
from kernelopt._evidence._factorisation import Factored
from kernelopt._evidence._tangent_criterion import quadratic
from kernelopt._evidence.lists._list_likelihood import targets_of
from kernelopt._families._mixture import Mixture
from kernelopt._linalg._gram import Gram
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response


def answered(problem: Problem, mixture: Mixture, gram: Gram, factor: Factored) -> Response:
    """The answer to a Gram that is factored, with what is left of the targets solved for once more."""
    V = factor.solve(targets_of(problem))
    duals = []
    for v, qp in zip(V.T, problem.outputs, strict=True):
        v = v + factor.solve(qp.linear - gram.apply(v) - qp.curvature * v)
        f = gram.apply(v)
        upper = quadratic(factor, qp, v, f) + volume(factor.log_determinant, rows_of(problem))
        squares = float((v * v) @ gram.diag())
        duals.append(Dual(v, v.copy(), qp.h(v), float(v @ f), np.zeros(0), upper, squares=squares))
    return Response(mixture, tuple(duals), problem.penalty(mixture) + sum(dual.upper for dual in duals))
