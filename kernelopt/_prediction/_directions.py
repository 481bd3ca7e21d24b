"""Along which directions of the columns a learned function varies."""

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._families._description import largest_shares

_MOST, _ENOUGH = 3, 0.9
"""So many directions are told at most, and no more than make up this share."""
_TERMS, SEEN = 5, 0.05
"""So many columns of a direction are told, and none whose coefficient is smaller."""


@attrs.frozen(eq=False, repr=False)
class Directions:
    """The average gradient outer product of a decision function, in shares: print it for a few words.

    G is the mean over rows of sum_c grad f_c grad f_c', on columns in units of their standard deviations. Its
    eigenvectors are the directions along which f varies, the strongest first.

    Attributes:
        shares: G_jj / tr G of each column, shape (d,), >= 0; they sum to 1, and are 0 where f is constant.
        strengths: eigenvalues of G by its trace, falling, shape (r,), > 0; r is 0 where f is constant.
        vectors: unit eigenvectors, shape (d, r), the largest entry of each positive.
        names: of the columns.
    """

    shares: FloatArray
    strengths: FloatArray
    vectors: FloatArray
    names: tuple[str, ...]

    @classmethod
    def of(cls, root: FloatArray, names: tuple[str, ...]) -> "Directions":
        """Of G up to a factor, as J'J with J (q, d)."""
        size = float(np.abs(root).max(initial=0.0))
        if size == 0.0:
            d = root.shape[1]
            return cls(np.zeros(d), np.zeros(0), np.zeros((d, 0)), names)
        J = root / size
        squares = np.einsum("ij,ij->j", J, J)
        _, values, rows = np.linalg.svd(J, full_matrices=False)
        kept = values > values[0] * np.finfo(float).eps * max(J.shape)
        vectors = rows[kept].T
        largest = np.take_along_axis(vectors, np.abs(vectors).argmax(axis=0)[None], axis=0)
        strengths = values[kept] ** 2
        return cls(squares / squares.sum(), strengths / strengths.sum(), vectors * np.sign(largest), names)

    @property
    def leading(self) -> int:
        """How many directions make up 90 %; three at most."""
        needed = int(np.searchsorted(np.cumsum(self.strengths), _ENOUGH)) + 1
        return min(needed, _MOST, len(self.strengths))

    def describe(self, k: int) -> str:
        """Direction k as a combination of its largest columns, such as "0.84 x3 + 0.51 x1"."""
        vector = self.vectors[:, k]
        order = np.argsort(-np.abs(vector), kind="stable")[:_TERMS]
        words = ""
        for j in order[np.abs(vector[order]) >= SEEN]:
            sign = ("-" if vector[j] < 0.0 else "+") if words else ""
            words += f" {sign} {abs(vector[j]):.2f} {self.names[j]}"
        return words.strip()

    def __str__(self) -> str:
        if not len(self.strengths):
            return "no column matters: the decision function is constant on these rows"
        lines = [f"{self.describe(k)} ({100.0 * self.strengths[k]:.0f} %)" for k in range(self.leading)]
        return "\n".join([largest_shares(self.shares, self.names), *lines])

    def __repr__(self) -> str:
        return f"<directions: {self}>".replace("\n", "; ")
