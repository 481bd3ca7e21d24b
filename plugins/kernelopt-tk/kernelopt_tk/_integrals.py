"""The integrals I(l; M) = integral over z in [l, b] of Z(z, x)' M Z(z, y), relative to the volume of [a, b].

Three boxes occur: of a pair ("near", l = max(x, y)), of one row ("own", l = x) and the whole region (l = a). Each has
its adjoint, the sum of the integrals of Z(z, x_i) Z(z, x_j)' with weights, which ends in "_sum".
"""

from abc import ABC, abstractmethod

import attrs
import numpy as np

from kernelopt.plugin import FloatArray, IntArray
from kernelopt_tk._basis import Basis
from kernelopt_tk._bound_rows import Rows


def power_means(limit: FloatArray, upper: FloatArray, highest: int) -> FloatArray:
    """The means of z^k over [limit, upper] for k = 0..highest, shape (highest + 1, *limit.shape).

    (b^(k+1) - l^(k+1)) / ((k+1) (b - l)) = (sum_t b^t l^(k-t)) / (k+1), which needs no division by b - l.
    """
    sums = np.empty((highest + 1, *limit.shape))
    sums[0] = 1.0
    for k in range(1, highest + 1):
        sums[k] = upper**k + limit * sums[k - 1]
    for k in range(1, highest + 1):
        sums[k] /= k + 1
    return sums


def moments(means: FloatArray, powers: IntArray) -> FloatArray:
    """The means of z^kappa over each row's box, shape (n, m), for `means` (k, n, d) and exponents (m, d)."""
    result = np.ones((means.shape[1], len(powers)))
    row, column = np.nonzero(powers)
    place = np.arange(len(row)) - np.searchsorted(row, row)
    for k in range(int(place.max(initial=-1)) + 1):  # the k-th variable that occurs in each monomial
        i, j = row[place == k], column[place == k]
        result[:, i] *= means[powers[i, j], :, j].T
    return result


@attrs.frozen(eq=False)
class Integrals(ABC):
    """The integrals of one basis over the region [lower, upper], each of shape (d,)."""

    basis: Basis
    lower: FloatArray
    upper: FloatArray

    @abstractmethod
    def near(self, M: FloatArray, left: Rows, right: Rows, volumes: FloatArray) -> FloatArray:
        """I(max(x_i, y_j); M) for a symmetric M (q, q), shape (n', n); volumes (n', n) are those of the pairs."""

    @abstractmethod
    def near_sum(self, W: FloatArray, left: Rows, right: Rows) -> FloatArray:
        """sum_ij W_ij times the mean of Z(z, x_i) Z(z, y_j)' over [max(x_i, y_j), b], shape (q, q)."""

    def own(self, M: FloatArray, rows: Rows) -> FloatArray:
        """H, shape (n, g), with I(x_i; M) = sum_delta H_i,delta y^delta for Z(z, x_i)' M Z(z, y)."""
        basis = self.basis
        means = self._means(rows.limit)
        weighted = np.zeros((len(rows), basis.q))
        for members, power in zip(basis.members, basis.z_powers, strict=True):
            linear = rows.monomials[:, basis.delta[members]] @ M[members]
            weighted += linear * moments(means, power + basis.z_powers)[:, basis.gamma]
        return basis.collapse(weighted) * rows.volume[:, None]

    def own_sum(self, V: FloatArray, sums: FloatArray, rows: Rows) -> FloatArray:
        """sum_c sum_i V_ic integral over [x_i, b] of Z(z, x_i) (z^gamma sums_c^delta)', (q, q); sums is (c, g)."""
        basis = self.basis
        means = self._means(rows.limit)
        result = np.zeros((basis.q, basis.q))
        for members, power in zip(basis.members, basis.z_powers, strict=True):
            mean = moments(means, power + basis.z_powers) * rows.volume[:, None]
            monomials = rows.monomials[:, basis.delta[members]]
            for v, s in zip(V.T, sums, strict=True):
                result[members] += ((monomials * v[:, None]).T @ mean)[:, basis.gamma] * s[basis.delta]
        return result

    def whole(self, M: FloatArray) -> FloatArray:
        """T, shape (g, g), with I(a; M) = sum T_delta,delta' x^delta y^delta'."""
        collapsed = self.basis.collapse(M * self.whole_moments())
        return self.basis.collapse(collapsed.T).T

    def whole_sum(self, T: FloatArray) -> FloatArray:
        """The adjoint of `whole`, (g, g) to (q, q)."""
        delta = self.basis.delta
        return T[np.ix_(delta, delta)] * self.whole_moments()

    def _means(self, limit: FloatArray) -> FloatArray:
        return power_means(limit, self.upper, 2 * int(self.basis.z_powers.max(initial=0)))

    def whole_moments(self) -> FloatArray:
        """The means of z^(gamma_i + gamma_j) over the whole region, for all entries of Z, shape (q, q)."""
        whole: FloatArray = self.pair_moments(self.lower[None])[0]
        return whole

    def pair_moments(self, limit: FloatArray) -> FloatArray:
        """The means of z^(gamma_i + gamma_j) over boxes [limit, b], limit (n, d), for all entries of Z, (n, q, q)."""
        powers, gamma = self.basis.z_powers, self.basis.gamma
        pairs = (powers[:, None] + powers).reshape(-1, powers.shape[1])
        values = moments(self._means(limit), pairs).reshape(len(limit), len(powers), len(powers))
        result: FloatArray = values[:, gamma[:, None], gamma]
        return result


@attrs.frozen(eq=False)
class PlainIntegrals(Integrals):
    """Basis "x": Z does not depend on z, so an integral is a volume."""

    def near(self, M: FloatArray, left: Rows, right: Rows, volumes: FloatArray) -> FloatArray:
        values: FloatArray = (left.monomials @ M) @ right.monomials.T
        values *= volumes
        return values

    def near_sum(self, W: FloatArray, left: Rows, right: Rows) -> FloatArray:
        result: FloatArray = left.monomials.T @ (W @ right.monomials)
        return result

    def own(self, M: FloatArray, rows: Rows) -> FloatArray:
        H: FloatArray = rows.monomials @ M
        H *= rows.volume[:, None]
        return H

    def own_sum(self, V: FloatArray, sums: FloatArray, rows: Rows) -> FloatArray:
        result: FloatArray = (rows.monomials.T @ (V * rows.volume[:, None])) @ sums
        return result

    def whole(self, M: FloatArray) -> FloatArray:
        return M

    def whole_sum(self, T: FloatArray) -> FloatArray:
        return T
