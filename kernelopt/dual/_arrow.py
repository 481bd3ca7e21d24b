"""Symmetric positive definite systems of blocks that only some last unknowns couple."""

import attrs
import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from kernelopt._base._typing import FloatArray

_JITTERS = (0.0, *(10.0**k for k in range(-15, -9)))
"""What is added to a matrix with ones on its diagonal, the least that suffices: rounding leaves no more of it."""


@attrs.frozen(eq=False)
class Scaled:
    """A matrix H, factored in a scale in which no entry exceeds 1: unknowns of any size keep their digits.

    Attributes:
        scale: what its rows and columns are multiplied by.
        factor: Cholesky's.
    """

    scale: FloatArray
    factor: tuple[FloatArray, bool]

    @classmethod
    def of(cls, H: FloatArray, diagonal: FloatArray) -> "Scaled":
        """The matrix, factored. Raises LinAlgError where it is not positive definite, or not finite.

        Args:
            H: shape (m, m).
            diagonal: its own or, where it is what was left of another matrix, of that one, shape (m,).
        """
        if not ((diagonal > 0.0).all() and np.isfinite(H).all()):
            raise LinAlgError("the Newton matrix is not positive definite")
        scale = 1.0 / np.sqrt(diagonal)
        for jitter in _JITTERS:
            unit = scale[:, None] * H * scale
            unit[np.diag_indices(len(unit))] += jitter
            try:
                return cls(scale, cho_factor(unit, lower=True, overwrite_a=True, check_finite=False))
            except LinAlgError:
                continue
        raise LinAlgError("the Newton matrix is not positive definite")

    def solve(self, R: FloatArray) -> FloatArray:
        """H^-1 R for R of shape (m,) or (m, q)."""
        scale = self.scale if R.ndim == 1 else self.scale[:, None]
        return np.asarray(scale * cho_solve(self.factor, scale * R, check_finite=False))


@attrs.frozen(eq=False)
class Arrow:
    """[H_1 0 X_1; 0 H_2 X_2; X_1' X_2' D] for any number of blocks, factored.

    Attributes:
        blocks: the H, each (m, m).
        across: the X, each (m, k).
        corner: D, shape (k, k).
        factors: of the blocks.
        solved: H^-1 X of each.
        last: of D - sum X'H^-1 X.
    """

    blocks: list[FloatArray]
    across: list[FloatArray]
    corner: FloatArray
    factors: list[Scaled]
    solved: list[FloatArray]
    last: Scaled

    @classmethod
    def of(cls, blocks: list[FloatArray], across: list[FloatArray], corner: FloatArray) -> "Arrow":
        """The system, factored. Raises LinAlgError where it is not positive definite."""
        factors = [Scaled.of(H, np.diagonal(H)) for H in blocks]
        solved = [factor.solve(X) for factor, X in zip(factors, across, strict=True)]
        rest = corner - sum(X.T @ Y for X, Y in zip(across, solved, strict=True))
        return cls(blocks, across, corner, factors, solved, Scaled.of(0.5 * (rest + rest.T), np.diagonal(corner)))

    def solve(self, heads: list[FloatArray], tail: FloatArray) -> tuple[list[FloatArray], FloatArray]:
        """The unknowns of each block (m,), and the last ones (k,); refined once."""
        xs, y = self._once(heads, tail)
        pairs = list(zip(self.blocks, self.across, xs, heads, strict=True))
        left = [head - H @ x - X @ y for H, X, x, head in pairs]
        dxs, dy = self._once(left, tail - self.corner @ y - sum(X.T @ x for _, X, x, _ in pairs))
        return [x + dx for x, dx in zip(xs, dxs, strict=True)], y + dy

    def _once(self, heads: list[FloatArray], tail: FloatArray) -> tuple[list[FloatArray], FloatArray]:
        firsts = [factor.solve(head) for factor, head in zip(self.factors, heads, strict=True)]
        y = self.last.solve(tail - sum(X.T @ first for X, first in zip(self.across, firsts, strict=True)))
        return [first - Y @ y for first, Y in zip(firsts, self.solved, strict=True)], y
