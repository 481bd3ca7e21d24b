"""The saddle as a semidefinite program, with the inner maximum by its dual.

    minimise    R(K) + sum over outputs of  s + upper'delta - lower'nu + target'gamma + 1/2 sum rest^2 / curvature
    subject to  s >= 1/2 z'(K + bias_cost 11')^-1 z,    delta, nu >= 0,
                rest = linear - E'z + nu - delta - A'gamma,    rest = 0 where there is no curvature

The first is a matrix inequality, [[K, z], [z', 2 s]] >= 0, or what features make of it. For svc this is Colbert and
Peet (2020), equation (24), and Lanckriet, Cristianini, Bartlett, El Ghaoui and Jordan (2004), theorem 17. The
multipliers of `rest` are alpha.
"""

from typing import Any

import attrs
import numpy as np
from scipy import sparse

from kernelopt.plugin import DualQP, FloatArray
from kernelopt_sdp._parameter_variables import Share


@attrs.frozen(eq=False)
class Side:
    """One output's share of the program.

    Attributes:
        qp: the dual problem, in the program's units.
        value: what it adds to the objective, an expression.
        constraints: of it; the last one is that the uncurved part of `rest` is 0.
        rest: an expression of shape (N,).
    """

    qp: DualQP
    value: Any
    constraints: list[Any]
    rest: Any

    @classmethod
    def of(cls, cvxpy: Any, qp: DualQP, shares: list[Share]) -> "Side":
        """The share of an output, from the leaves' shares of z."""
        n, N = qp.n, qp.size
        z, s = sum(share.image for share in shares), sum(share.cost for share in shares)
        if qp.bias_cost:
            bias = cvxpy.Variable()
            z, s = z + bias * np.ones(n), s + 0.5 / qp.bias_cost * cvxpy.square(bias)
        above, below = np.isfinite(qp.upper), np.isfinite(qp.lower)
        delta, nu = (cvxpy.Variable(int(one.sum()), nonneg=True) for one in (above, below))
        gamma = cvxpy.Variable(len(qp.target)) if len(qp.target) else np.zeros(0)
        E = sparse.csr_matrix((qp.sign, (qp.sample, np.arange(N))), shape=(n, N))
        eye = sparse.eye_array(N, format="csr")
        rest = qp.linear - E.T @ z + eye[:, below] @ nu - eye[:, above] @ delta - _groups(qp).T @ gamma
        value = s + qp.upper[above] @ delta - qp.lower[below] @ nu + qp.target @ gamma
        curved = qp.curvature > 0.0
        if curved.any():
            value += 0.5 * cvxpy.sum_squares(cvxpy.multiply(1.0 / np.sqrt(qp.curvature[curved]), rest[curved]))
        constraints = [constraint for share in shares for constraint in share.constraints]
        return cls(qp, value, constraints if curved.all() else [*constraints, rest[~curved] == 0], rest)

    def alpha(self) -> FloatArray:
        """The dual variables of the answer, shape (N,)."""
        curved = self.qp.curvature > 0.0
        alpha = np.zeros(self.qp.size)
        alpha[curved] = self.rest.value[curved] / self.qp.curvature[curved]
        if not curved.all():
            alpha[~curved] = self.constraints[-1].dual_value
        return alpha


def _groups(qp: DualQP) -> sparse.csr_matrix:
    """A (g, N) of the equalities A alpha = target."""
    member = np.flatnonzero(qp.group >= 0)
    return sparse.csr_matrix((qp.coefficient[member], (qp.group[member], member)), shape=(len(qp.target), qp.size))
