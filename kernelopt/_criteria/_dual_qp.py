"""One output's dual problem, and its answer to a kernel."""

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray


@attrs.frozen(eq=False)
class DualQP:
    """The dual set A, the concave h and the linear map E of one output, as arrays over N variables.

        maximise    h(a) - 1/2 v'Kv,     v = E a
        h(a)      = linear'a - 1/2 sum curvature a^2 - 1/2 bias_cost (1'v)^2
        subject to  lower <= a <= upper,
                    sum over {i : group_i = g} of coefficient_i a_i = target_g       for each g
        (E a)_s   = sum over {i : sample_i = s} of sign_i a_i

    N = n where every sample has one dual variable, 2n where it has two (regression). The equality constraints
    (two at most) have disjoint supports and coefficients +1 or -1; a variable in none of them has group -1.

    Attributes:
        n: number of samples.
        linear, curvature, lower, upper, coefficient, sign: shape (N,); curvature >= 0, bounds may be infinite.
        sample, group: shape (N,), integers.
        target: shape (number of equalities,).
        bias_cost: >= 0; the penalty on the bias in the primal, 1 in the Lagrangian SVM.
    """

    n: int
    linear: FloatArray
    curvature: FloatArray
    lower: FloatArray
    upper: FloatArray
    sample: IntArray
    sign: FloatArray
    group: IntArray
    coefficient: FloatArray
    target: FloatArray
    bias_cost: float = 0.0

    @property
    def size(self) -> int:
        """N, the number of dual variables."""
        return int(self.linear.shape[0])

    def embed(self, alpha: FloatArray) -> FloatArray:
        """V = E alpha, shape (n,)."""
        signed = self.sign * alpha
        if self.size == self.n:
            v = np.empty(self.n)
            v[self.sample] = signed
            return v
        v = np.zeros(self.n)
        np.add.at(v, self.sample, signed)
        return v

    def h(self, alpha: FloatArray) -> float:
        """h(alpha)."""
        value = float(self.linear @ alpha) - 0.5 * float(self.curvature @ (alpha * alpha))
        if self.bias_cost:
            value -= 0.5 * self.bias_cost * float(self.sign @ alpha) ** 2
        return value

    def gradient(self, alpha: FloatArray) -> FloatArray:
        """The gradient of h at alpha, shape (N,)."""
        slope = self.linear - self.curvature * alpha
        if self.bias_cost:
            slope -= self.bias_cost * float(self.sign @ alpha) * self.sign
        return slope

    def violation(self, alpha: FloatArray) -> float:
        """The largest violation of a bound or an equality, in units of alpha; 0 for a feasible alpha."""
        worst = float(max(np.max(self.lower - alpha, initial=0.0), np.max(alpha - self.upper, initial=0.0)))
        for g, target in enumerate(self.target):
            member = self.group == g
            worst = max(worst, abs(float(self.coefficient[member] @ alpha[member]) - float(target)))
        return worst


@attrs.frozen(eq=False)
class DualPoint:
    """One output's feasible dual variables: all that a lower bound needs.

    Attributes:
        alpha: dual variables, shape (N,), feasible.
        v: E alpha, shape (n,), zero off the support vectors; the expansion coefficients of the decision function.
        h: h(alpha).
    """

    alpha: FloatArray
    v: FloatArray
    h: float


@attrs.frozen(eq=False)
class Dual(DualPoint):
    """One output's answer to a kernel: feasible dual variables, and what they prove at it.

    Attributes:
        quad: v'Kv at the kernel that was answered.
        multipliers: of the equality constraints; the bias, and rho or epsilon where the criterion has one.
        upper: primal objective at (K, v, multipliers): an upper bound on this output's share, exact alpha or not.
        converged: whether the inner tolerance was met; if not, the bounds are wider but still true.
        squares: sum_i v_i^2 K_ii: with h the size of what cancels in a value near 0.
    """

    quad: float
    multipliers: FloatArray
    upper: float
    converged: bool = True
    squares: float = 0.0

    @property
    def objective(self) -> float:
        """h - 1/2 v'Kv: the inner dual objective, a lower bound on the inner optimum for this one kernel."""
        return self.h - 0.5 * self.quad
