"""Basis "xz" of degree 1: Z = [1, z, x], whose integrals over a box need its centre and its widths only."""

import attrs
import numpy as np

from kernelopt.plugin import FloatArray, IntArray
from kernelopt_tk._integrals import Integrals
from kernelopt_tk._rows import Rows, blocks


@attrs.frozen(eq=False)
class LinearIntegrals(Integrals):
    """With t = (b - l) / 2: mean z_j = b_j - t_j, mean z_i z_j = (b_i - t_i)(b_j - t_j) + 1{i=j} t_j^2 / 3."""

    def _places(self) -> tuple[IntArray, IntArray]:
        """The entries of Z that hold h = [1, x], in the order of the monomials, and those that hold z_1, ..., z_d."""
        d = self.lower.shape[0]
        return self.basis.members[0], np.array([np.flatnonzero(self.basis.exponents[:, d + j])[0] for j in range(d)])

    def _halves(self, left: Rows, right: Rows) -> tuple[FloatArray, FloatArray]:
        return 0.5 * (self.upper - left.limit), 0.5 * (self.upper - right.limit)

    def near(self, M: FloatArray, left: Rows, right: Rows, volumes: FloatArray) -> FloatArray:
        """volume (h'M_hh h + (L_x + L_y)'c + c'M_zz c + sum_j M_zjzj t_j^2 / 3), where L = M_zh h and c = b - t."""
        h, z = self._places()
        Mzz, Mzh, b = M[np.ix_(z, z)], M[np.ix_(z, h)], self.upper
        curved = Mzz + np.diag(np.diag(Mzz) / 3.0)
        slope_left, slope_right = left.monomials @ Mzh.T + Mzz @ b, right.monomials @ Mzh.T + Mzz @ b
        values: FloatArray = (left.monomials @ M[np.ix_(h, h)]) @ right.monomials.T
        values += (slope_left @ b)[:, None] + (slope_right @ b - b @ Mzz @ b)
        half_left, half_right = self._halves(left, right)
        d = len(b)
        for rows in blocks(len(left), len(right) * d):
            t = np.minimum(half_left[rows, None], half_right)
            inner = (t.reshape(-1, d) @ curved).reshape(t.shape)
            inner -= slope_right
            inner -= slope_left[rows, None]
            values[rows] += np.einsum("ijk,ijk->ij", inner, t)
        values *= volumes
        return values

    def near_sum(self, W: FloatArray, left: Rows, right: Rows) -> FloatArray:
        h, z = self._places()
        d, b = len(self.upper), self.upper
        half_left, half_right = self._halves(left, right)
        by_left = W.sum(axis=1)[:, None] * b
        by_right = W.sum(axis=0)[:, None] * b
        square = W.sum() * np.outer(b, b)
        for rows in blocks(len(left), len(right) * d):
            t = np.minimum(half_left[rows, None], half_right)
            weighted = t * W[rows, :, None]
            by_left[rows] -= weighted.sum(axis=1)
            by_right -= weighted.sum(axis=0)
            outer = t.reshape(-1, d).T @ weighted.reshape(-1, d)
            first = weighted.sum(axis=(0, 1))
            square += outer + np.diag(np.diag(outer) / 3.0) - np.outer(first, b) - np.outer(b, first)
        result = np.empty((self.basis.q, self.basis.q))
        result[np.ix_(h, h)] = left.monomials.T @ (W @ right.monomials)
        result[np.ix_(h, z)] = left.monomials.T @ by_left
        result[np.ix_(z, h)] = by_right.T @ right.monomials
        result[np.ix_(z, z)] = square
        return result
