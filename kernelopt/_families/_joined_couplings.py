"""Couplings that are made of couplings: with one row more, or those of several outputs one after the other."""

from itertools import pairwise

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families._coupling import Coupling, SomeRows, TensorCoupling


@attrs.frozen(eq=False)
class Bordered(Coupling):
    """A coupling with one row more, whose G is given.

    Attributes:
        body: the other rows, shape (k,).
        last: G of the last row, shape (q, q), symmetric; or (m,).
    """

    body: Coupling
    last: FloatArray

    @property
    def n(self) -> int:
        return self.body.n + 1

    def apply(self, S: FloatArray) -> FloatArray:
        return np.append(self.body.apply(S), float(np.vdot(self.last, S)))

    def adjoint(self, u: FloatArray) -> FloatArray:
        return np.asarray(self.body.adjoint(u[:-1]) + u[-1] * self.last)

    def schur(self, other: Coupling, A: FloatArray, B: FloatArray) -> FloatArray:
        if not isinstance(other, Bordered):
            raise TypeError(f"schur wants the same leaf's coupling, got {type(other).__name__}")
        body, mine, theirs = self.body, self.last, other.last
        body_too = body if other is self else other.body
        square = np.empty((self.n, other.n))
        square[:-1, :-1] = body.schur(body_too, A, B)
        square[:-1, -1] = body.apply(_between(theirs, A, B))
        square[-1, :-1] = body_too.apply(_between(mine, A, B))
        square[-1, -1] = np.vdot(mine, _between(theirs, A, B))
        return square

    def restrict(self, basis: FloatArray) -> "Bordered":
        last = basis.T @ self.last
        return Bordered(self.body.restrict(basis), last if last.ndim == 1 else last @ basis)

    def take(self, rows: IntArray) -> Coupling:
        k = self.body.n
        inside = rows[rows < k]
        body = self.body if np.array_equal(inside, np.arange(k)) else self.body.take(inside)
        if len(inside) == len(rows):
            return body
        return Bordered(body, self.last) if len(rows) == len(inside) + 1 and rows[-1] == k else super().take(rows)


def _between(G: FloatArray, A: FloatArray, B: FloatArray) -> FloatArray:
    """The S with <G', S> = tr(G' A G B) for symmetric G'; of weights A G B, entry by entry."""
    if G.ndim == 1:
        return A * G * B
    half = A @ G @ B
    return 0.5 * (half + half.T)


def written_out(coupling: Coupling) -> bool:
    """Whether it holds a matrix for each row that took long to make."""
    if isinstance(coupling, Stacked):
        return written_out(coupling.parts[0])
    return isinstance(coupling, SomeRows) or (isinstance(coupling, TensorCoupling) and not coupling.quick)


def stack(couplings: tuple[Coupling, ...]) -> Coupling:
    """Several outputs' couplings of one leaf as one, their rows one after the other."""
    return couplings[0] if len(couplings) == 1 else Stacked(couplings)


@attrs.frozen(eq=False)
class Stacked(Coupling):
    """One leaf's couplings at several outputs' v: rows number through the outputs."""

    parts: tuple[Coupling, ...]

    @property
    def n(self) -> int:
        return sum(part.n for part in self.parts)

    def _cuts(self) -> IntArray:
        return np.cumsum([part.n for part in self.parts])[:-1]

    def apply(self, S: FloatArray) -> FloatArray:
        return np.concatenate([part.apply(S) for part in self.parts])

    def adjoint(self, u: FloatArray) -> FloatArray:
        pieces = np.split(u, self._cuts())
        total: FloatArray = np.sum([part.adjoint(one) for part, one in zip(self.parts, pieces, strict=True)], axis=0)
        return total

    def schur(self, other: Coupling, A: FloatArray, B: FloatArray) -> FloatArray:
        if not isinstance(other, Stacked):
            raise TypeError(f"schur wants the same leaf's coupling, got {type(other).__name__}")
        return np.block([[mine.schur(theirs, A, B) for theirs in other.parts] for mine in self.parts])

    def restrict(self, basis: FloatArray) -> "Stacked":
        return Stacked(tuple(part.restrict(basis) for part in self.parts))

    def take(self, rows: IntArray) -> "Stacked":
        starts = np.concatenate([[0], self._cuts(), [self.n]])
        mine = [rows[(rows >= low) & (rows < high)] - low for low, high in pairwise(starts)]
        return Stacked(tuple(part.take(one) for part, one in zip(self.parts, mine, strict=True)))
