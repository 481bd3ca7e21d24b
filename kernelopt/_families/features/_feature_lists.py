"""Lists of atoms whose Grams are thin factors: all that is asked of them, in O(n r)."""

from collections.abc import Iterator

import attrs
import numpy as np

from kernelopt._base._typing import Data, FloatArray, IntArray
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._families._mixture import Part
from kernelopt._families.variances._delta import Counts
from kernelopt._linalg._gram import ROW_BLOCK, Gram, LowRank


@attrs.frozen(eq=False)
class Factors:
    """K_a = F_a F_a' + ridge_a I for each atom of a list, with the leaf's factor.

    Attributes:
        features: the F_a side by side, shape (n, r).
        owner: the atom that each column belongs to, shape (r,), ascending.
        ridges: shape (k,).
    """

    features: FloatArray
    owner: IntArray
    ridges: FloatArray

    @classmethod
    def of(cls, family: ExplicitFamily, data: Data, atoms: FloatArray, factor: float = 1.0) -> "Factors":
        """The factors of these atoms (k, p) on bound rows, with the leaf's factor."""
        if isinstance(data, Counts):  # no multiple of the identity any more
            features = np.diag(np.sqrt(factor / data.weight))
            return cls(features, np.zeros(len(data), dtype=np.intp), np.zeros(len(atoms)))
        features, owner = family.columns(atoms, data)
        one = np.ones(1)
        ridges = np.array([factor * family.ridge(Part(atom[None], one)) for atom in atoms])
        if (np.diff(owner) < 0).any():
            order = np.argsort(owner, kind="stable")
            features, owner = features[:, order], owner[order]
        return cls(features if factor == 1.0 else features * np.sqrt(factor), owner, ridges)

    def __len__(self) -> int:
        return len(self.features)

    def columns(self, index: IntArray) -> tuple[FloatArray, IntArray]:
        """The columns of these atoms (k',), and the place in `index` that each belongs to."""
        starts = np.searchsorted(self.owner, index)
        counts = np.searchsorted(self.owner, index, side="right") - starts
        place = np.repeat(np.arange(len(index)), counts)
        within = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts)
        return self.features[:, starts[place] + within], place

    def gram(self, w: FloatArray) -> LowRank:
        """sum_a w_a K_a."""
        return LowRank(self.features * np.sqrt(np.maximum(w, 0.0))[self.owner], float(self.ridges @ w))

    def images(self, v: FloatArray) -> FloatArray:
        """K_a v for every atom, shape (n, k)."""
        columns = np.outer(v, self.ridges)
        c = self.features.T @ v
        runs = list(self._runs()) if len(self.owner) else []
        for i in range(0, len(v) if runs else 0, ROW_BLOCK):
            here = slice(i, i + ROW_BLOCK)
            for atoms, there, width in runs:
                columns[here, atoms] += _weighed(self.features[here, there], c[there], width)
        return columns

    def _runs(self) -> Iterator[tuple[IntArray, slice, int]]:
        """Atoms one after the other with as many columns each: these atoms, their columns, and how many each has."""
        atoms, starts = np.unique(self.owner, return_index=True)
        ends = np.append(starts[1:], len(self.owner))
        widths = ends - starts
        for run in np.split(np.arange(len(atoms)), np.flatnonzero(np.diff(widths)) + 1):
            yield atoms[run], slice(int(starts[run[0]]), int(ends[run[-1]])), int(widths[run[0]])

    def image(self, w: FloatArray, V: FloatArray) -> FloatArray:
        """sum_a w_a K_a V for V of shape (n, c), for weights of any sign."""
        image: FloatArray = self.features @ (w[self.owner, None] * (self.features.T @ V)) + float(self.ridges @ w) * V
        return image

    def values(self, V: FloatArray) -> FloatArray:
        """sum_c V_c' K_a V_c for every atom and V of shape (n, c), shape (k,)."""
        squares = np.sum((self.features.T @ V) ** 2, axis=1)
        return self._sums(squares) + self.ridges * float(np.sum(V * V))

    def traces(self, omega: Gram) -> FloatArray:
        """tr(Omega K_a) for every atom, shape (k,)."""
        return self._sums(omega.squares(self.features)) + self.ridges * float(omega.diag().sum())

    def curved(self, w: FloatArray, inverse: FloatArray, v: FloatArray) -> LowRank:
        """sum_a w_a [K_a + inverse_a (K_a v)(K_a v)'].

        For an atom without a ridge that is w_a F_a (I + inverse_a c c') F_a', c = F_a'v, of which the root is
        w_a^1/2 F_a (I + t c c'/c'c), (1 + t)^2 = 1 + inverse_a c'c; one with a ridge gets a column more.
        """
        c = self.features.T @ v
        square = self._sums(c * c)
        plain = self.ridges == 0.0
        share = np.where(plain & (square > 0.0), np.sqrt(1.0 + inverse * square) - 1.0, 0.0)
        turn = np.divide(share, square, out=np.zeros_like(share), where=square > 0.0)
        images = self.images(v)
        root = images[:, self.owner]
        root *= turn[self.owner] * c
        root += self.features
        root *= np.sqrt(w)[self.owner]
        if not plain.all():
            root = np.hstack([root, images[:, ~plain] * np.sqrt(w * inverse)[~plain]])
        return LowRank(root, float(self.ridges @ w))

    def _sums(self, values: FloatArray) -> FloatArray:
        """Sums over each atom's columns, shape (k,)."""
        return np.bincount(self.owner, weights=values, minlength=len(self.ridges)).astype(np.float64)


_FEW = 4
"""Columns of so few each are added one after the other: numpy's sums over a short axis take longer."""


def _weighed(features: FloatArray, c: FloatArray, width: int) -> FloatArray:
    """The sums of c_j F_ij over each atom's columns, of which all have `width`, shape (n, k)."""
    if width > _FEW:
        found: FloatArray = np.einsum("iaf,af->ia", features.reshape(len(features), -1, width), c.reshape(-1, width))
        return found
    found = features[:, ::width] * c[::width]
    for j in range(1, width):
        found += features[:, j::width] * c[j::width]
    return found
