"""Basis "xz" of degree 1: Z = [1, z, x], whose integrals over a box need its centre and its widths only."""

import attrs
import numpy as np

from kernelopt.plugin import FloatArray, IntArray
from kernelopt_tk._bound_rows import Rows
from kernelopt_tk._integrals import Integrals


@attrs.frozen(eq=False)
class LinearIntegrals(Integrals):
    """With t = (b - l) / 2: mean z_j = b_j - t_j, mean z_i z_j = (b_i - t_i)(b_j - t_j) + 1{i=j} t_j^2 / 3."""

    def places(self) -> tuple[IntArray, IntArray]:
        """The entries of Z that hold h = [1, x], in the order of the monomials, and those that hold z_1, ..., z_d."""
        d = self.lower.shape[0]
        return self.basis.members[0], np.array([np.flatnonzero(self.basis.exponents[:, d + j])[0] for j in range(d)])

    def halves(self, rows: Rows) -> FloatArray:
        """t of the boxes of the rows, shape (n, d)."""
        return 0.5 * (self.upper - rows.limit)

    def near(self, M: FloatArray, left: Rows, right: Rows, volumes: FloatArray) -> FloatArray:
        """volume (h'M_hh h + (L_x + L_y)'c + c'M_zz c + sum_j M_zjzj t_j^2 / 3), where L = M_zh h and c = b - t."""
        from kernelopt_tk._compiled_pairs import forms, padded  # numba is imported when pairs first need it

        h, z = self.places()
        Mzz, Mzh, b = M[np.ix_(z, z)], M[np.ix_(z, h)], self.upper
        slope_left, slope_right = left.monomials @ Mzh.T + Mzz @ b, right.monomials @ Mzh.T + Mzz @ b
        values: FloatArray = (left.monomials @ M[np.ix_(h, h)]) @ right.monomials.T
        values += (slope_left @ b)[:, None] + (slope_right @ b - b @ Mzz @ b)
        triangle = np.zeros((len(z), padded(len(z))))
        triangle[:, : len(z)] = np.tril(2.0 * Mzz, -1) + np.diag(np.diag(Mzz) * (4.0 / 3.0))
        half_right, by_right = (np.ascontiguousarray(side.T) for side in (self.halves(right), slope_right))
        values += forms(self.halves(left), half_right, slope_left, by_right, triangle)
        values *= volumes
        return values

    def near_sum(self, W: FloatArray, left: Rows, right: Rows) -> FloatArray:
        from kernelopt_tk._compiled_pairs import padded, sums  # as above

        h, z = self.places()
        (n, d), b = left.limit.shape, self.upper
        by_left, by_right, triangle = np.zeros((n, d)), np.zeros((d, len(right))), np.zeros((d, padded(d)))
        half_left, half_right = self.halves(left), np.ascontiguousarray(self.halves(right).T)
        sums(half_left, half_right, np.ascontiguousarray(W), by_left, by_right, triangle)
        square = np.tril(triangle[:, :d], -1)
        square += square.T + np.diag(np.diag(triangle) * (4.0 / 3.0))
        first = by_left.sum(axis=0)
        result = np.empty((self.basis.q, self.basis.q))
        result[np.ix_(h, h)] = left.monomials.T @ (W @ right.monomials)
        result[np.ix_(h, z)] = left.monomials.T @ (W.sum(axis=1)[:, None] * b - by_left)
        result[np.ix_(z, h)] = (W.sum(axis=0) * b[:, None] - by_right) @ right.monomials
        result[np.ix_(z, z)] = square - np.outer(first, b) - np.outer(b, first) + W.sum() * np.outer(b, b)
        return result

    def own(self, M: FloatArray, rows: Rows) -> FloatArray:
        h, z = self.places()
        x, t = rows.monomials, self.halves(rows)
        c = self.upper - t
        values: FloatArray = x @ M[np.ix_(h, h)] + c @ M[np.ix_(z, h)]
        of_z = x @ M[np.ix_(h, z)] + c @ M[np.ix_(z, z)]  # its mean goes with y^0, the first monomial
        values[:, 0] += np.einsum("ij,ij->i", of_z, c) + t**2 @ (np.diag(M)[z] / 3.0)
        values *= rows.volume[:, None]
        return values

    def own_sum(self, V: FloatArray, sums: FloatArray, rows: Rows) -> FloatArray:
        h, z = self.places()
        t, weight = self.halves(rows), V * rows.volume[:, None]
        c, total = self.upper - t, weight @ sums[:, 0]
        result = np.empty((self.basis.q, self.basis.q))
        result[h[:, None], h] = rows.monomials.T @ weight @ sums
        result[h[:, None], z] = rows.monomials.T @ (total[:, None] * c)
        result[z[:, None], h] = c.T @ weight @ sums
        result[z[:, None], z] = (c * total[:, None]).T @ c + np.diag(total @ t**2 / 3.0)
        return result
