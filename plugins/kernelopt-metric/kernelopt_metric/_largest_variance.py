"""How large the variance of a metric's kernel in feature space can be: a bound in closed form but for one number."""

import math

import numpy as np
from scipy.optimize import minimize_scalar

from kernelopt.plugin import FloatArray
from kernelopt_metric._radial_shapes import Shape, least_likeness


def largest_variance(covariance: FloatArray, rank: int, shape: Shape, eta: float) -> float:
    """A bound on exp(-eta |M|^2) (1 - sum_ij s_i s_j phi(u_ij)) over all M of this rank.

    phi is convex in u, so that the sum is at least phi(sum_ij s_i s_j u_ij) = phi(2 tr(C M)), and tr(C M) is at most
    |M| times the norm c of the leading eigenvalues of the covariance C. What is left is a maximum over |M|:

        max over m >= 0 of exp(-eta m^2) (1 - phi(2 c m)),     1 in the limit where eta = 0

    Args:
        covariance: C of the rescaled rows with their shares s, shape (d, d).
        rank: of M at most.
        shape: of the kernel.
        eta: >= 0.
    """
    leading = np.maximum(np.linalg.eigvalsh(covariance)[::-1][:rank], 0.0)
    c = float(np.linalg.norm(leading))
    if c == 0.0 or eta == 0.0:
        return float(c > 0.0)

    def loss(logarithm: float) -> float:
        m = math.exp(logarithm)
        return -math.exp(-eta * m * m) * (1.0 - least_likeness(shape, 2.0 * c * m))

    # One peak: 1 - phi has a concave logarithm in log m, and so has the damping.
    top = -0.5 * math.log(eta) + 1.0
    low = min(-math.log(2.0 * c), top) - 20.0
    found = minimize_scalar(loss, bounds=(low, top), method="bounded", options={"xatol": 1e-6})
    return -float(found.fun) * (1.0 + 1e-9)
