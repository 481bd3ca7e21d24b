"""Two laws of the log-determinant of a sum of kernels, of which the spectrum of each kernel alone is all they know.

Eigenvectors that have nothing to do with each other: the kernels are free, and log det (I + sum_a r_a K_a) is

    sum_a log det (omega_a I + r_a K_a) - (m - 1) r log u,   omega_a = u - delta_a,   u = 1 + sum_a delta_a

where each delta_a is such that the mean of 1 / (omega_a + r_a lambda_ai) is 1 / u: what all other kernels are to kernel
a is more noise. Voiculescu (1986); the equations in this form as in Dozier and Silverstein (2007). The derivatives are
those with omega and u fixed, where the expression is stationary.

Eigenvectors that are the same, in the order of their eigenvalues: sum_i log (1 + sum_a r_a lambda_ai), the least that
the log-determinant can be (Fiedler, 1971).
"""

import attrs
import numpy as np

from kernelopt._base._jit import compiled
from kernelopt._base._typing import FloatArray, IntArray

_WIDTH = 0.4
"""Eigenvalues of one kernel that are nearer in logarithms are one."""
_TOGETHER = 200
"""Tuples of eigenvalues of all kernels are about so many, the largest ones by themselves."""
_NOTHING = 1e-12
"""A share of the largest eigenvalue that is 0."""


@attrs.frozen(eq=False)
class Laws:
    """Of m kernels in r dimensions.

    Attributes:
        largest: the largest eigenvalue of each, shape (m,).
        nodes: eigenvalues that stand for several, shape (m, k), padded with zeros.
        shares: for how many each stands, shape (m, k), rows of sum r.
        joint: of tuples of eigenvalues in decreasing order, shape (j, m).
        sizes: for how many each tuple stands, shape (j,), of sum r.
    """

    largest: FloatArray
    nodes: FloatArray
    shares: FloatArray
    joint: FloatArray
    sizes: FloatArray

    @classmethod
    def of(cls, spectra: FloatArray) -> "Laws":
        """From the eigenvalues of each kernel, >= 0, shape (m, r)."""
        parts = [_binned(values) for values in spectra]
        most = max(len(nodes) for nodes, _ in parts)
        nodes, shares = (np.stack([np.pad(one[k], (0, most - len(one[k]))) for one in parts]) for k in (0, 1))
        ordered = -np.sort(-spectra, axis=1)
        edges = _edges(spectra.shape[1])
        sizes = np.diff(np.append(edges, spectra.shape[1])).astype(float)
        joint = (np.add.reduceat(ordered, edges, axis=1) / sizes).T
        return cls(spectra.max(axis=1), nodes, shares, np.ascontiguousarray(joint), sizes)

    def at(self, r: FloatArray) -> FloatArray:
        """Both laws and their slopes in the ratios r (t, m), shape (t, 2, 1 + m)."""
        free = np.empty((len(r), 1 + r.shape[1]))
        _free(np.ascontiguousarray(r), self.nodes, self.shares, float(self.sizes.sum()), free)
        spread = 1.0 + r @ self.joint.T
        same = np.column_stack([np.log(spread) @ self.sizes, (self.sizes / spread) @ self.joint])
        return np.stack([free, same], axis=1)


def _binned(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Means of eigenvalues that are nearly the same, and how many each is of."""
    positive = values[values > _NOTHING * max(float(values.max()), 1e-300)]
    place = np.floor(np.log(positive) / _WIDTH).astype(np.intp)
    counts = np.bincount(place - place.min())
    sums = np.bincount(place - place.min(), weights=positive)
    kept = counts > 0
    zeros = len(values) - len(positive)
    nodes, shares = np.append(sums[kept] / counts[kept], 0.0), np.append(counts[kept], zeros).astype(float)
    return (nodes, shares) if zeros else (nodes[:-1], shares[:-1])


def _edges(r: int) -> IntArray:
    """Where groups of consecutive places begin: one by one at first, then in growing groups."""
    return np.unique(np.append(0, np.geomspace(1, r, _TOGETHER).astype(np.intp)))[:-1] if r > 1 else np.array([0])


def _freed(r: FloatArray, nodes: FloatArray, shares: FloatArray, n: float, found: FloatArray) -> None:
    """The law of free kernels at ratios (t, m) and its slopes, into found (t, 1 + m).

    Newton steps from delta_a = r_a (mean of lambda_a), which is too large, come down to the solution: delta_a is a
    concave function of omega_a.
    """
    m = r.shape[1]
    delta, gap, slope = np.empty(m), np.empty(m), np.empty(m)
    for i in range(len(r)):
        for a in range(m):
            delta[a] = r[i, a] * (shares[a] * nodes[a]).sum() / n
        for _ in range(50):
            u = 1.0 + delta.sum()
            right, share = 0.0, 0.0
            for a in range(m):
                omega, ratio, node, count = u - delta[a], r[i, a], nodes[a], shares[a]
                first, second = 0.0, 0.0
                for k in range(len(node)):
                    inverse = 1.0 / (omega + ratio * node[k])
                    first += count[k] * inverse
                    second += count[k] * inverse * inverse
                gap[a] = n / first - omega - delta[a]  # what omega calls for, less what delta is
                slope[a] = n * second / (first * first) - 1.0  # of n / first - omega
                right += gap[a] / (1.0 + slope[a])
                share += slope[a] / (1.0 + slope[a])
            newton = share < 0.999
            moved = right / (1.0 - share) if newton else 0.0
            largest = 0.0
            for a in range(m):
                change = (gap[a] + slope[a] * moved) / (1.0 + slope[a]) if newton else gap[a]
                delta[a] = max(delta[a] + change, 0.0)
                largest = max(largest, abs(change) / u)
            if largest < 1e-9:
                break
        u = 1.0 + delta.sum()
        value = -(m - 1) * n * np.log(u)
        for a in range(m):
            total = 0.0
            for k in range(nodes.shape[1]):
                spread = u - delta[a] + r[i, a] * nodes[a, k]
                total += shares[a, k] * nodes[a, k] / spread
                value += shares[a, k] * np.log(spread)
            found[i, 1 + a] = total
        found[i, 0] = value


_free = compiled(_freed, bounded=True)
