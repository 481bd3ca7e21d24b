"""Prices made of others: with a linear one besides, lifted off the tip of a norm, and side by side."""

from collections.abc import Iterator
from itertools import pairwise
from typing import overload

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._families.penalties._penalty import Norm, Penalty, Price, Square


@attrs.frozen(eq=False)
class Tilted(Penalty):
    """The price R(w) + <c, w>: a curved price plus a linear price, such as the tangent to an objective's concave term.

    Attributes:
        own: the curved price R.
        c: the linear prices, shape (m,).
    """

    own: Penalty
    c: FloatArray

    @property
    def homogeneous(self) -> bool:  # type: ignore[override]
        return self.own.homogeneous

    def value(self, S: FloatArray) -> float:
        return self.own.value(S) + float(self.c @ S)

    def gradient(self, S: FloatArray) -> FloatArray:
        return self.own.gradient(S) + self.c

    def hessian(self, S: FloatArray) -> FloatArray | None:
        return self.own.hessian(S)

    def restrict(self, basis: FloatArray) -> "Tilted":
        return Tilted(self.own.restrict(basis), basis.T @ self.c)


def tilted(own: Penalty | None, c: FloatArray) -> Penalty:
    """R + <c, S> for c in the shape of S; R may be none, or a size of 0."""
    if own is None or (isinstance(own, Norm | Square) and own.rho == 0.0):
        return Price(c)
    return Price(own.gradient(c) + c) if own.linear else Tilted(own, c)


@overload
def untilted(penalty: Penalty) -> Penalty: ...
@overload
def untilted(penalty: None) -> None: ...
def untilted(penalty: Penalty | None) -> Penalty | None:
    """The price without the linear price that a `Tilted` adds to it."""
    return penalty.own if isinstance(penalty, Tilted) else penalty


@attrs.frozen(eq=False)
class Lifted(Penalty):
    """rho (w'Hw / s + s) / 2 + <c, w> on (w, s), s > 0: its least value over s is the norm's, tilted.

    A norm has no derivative at 0, where the optimum may lie; this has, and s is one more weight that costs nothing and
    belongs to no kernel.

    Attributes:
        norm: of m weights.
        c: shape (m,), or 0.
    """

    norm: Norm
    c: FloatArray | float = 0.0

    @classmethod
    def of(cls, penalty: Penalty | None) -> "Lifted | None":
        """Of a norm, tilted or not; None for all other prices, which need no lift."""
        norm = untilted(penalty)
        if not isinstance(norm, Norm):
            return None
        return cls(norm, penalty.c) if isinstance(penalty, Tilted) else cls(norm)

    def over(self, w: FloatArray) -> FloatArray:
        """(w, s) with more than the norm's room."""
        return np.append(w, 2.0 * self.norm.length(w))

    def slope(self, S: FloatArray) -> FloatArray:
        """A g with g'u <= R(u) for every u: the gradient in w, or what of it a subgradient of the norm may have."""
        length, s = self.norm.length(S[:-1]), float(S[-1])
        return self.norm.rho / max(s, length) * (self.norm.H @ S[:-1]) + self.c

    def value(self, S: FloatArray) -> float:
        s, w = float(S[-1]), S[:-1]
        return 0.5 * self.norm.rho * (self.norm.length(w) ** 2 / s + s) + float(np.sum(self.c * w))

    def gradient(self, S: FloatArray) -> FloatArray:
        s = float(S[-1])
        along = 0.5 * (1.0 - (self.norm.length(S[:-1]) / s) ** 2)
        return np.append(self.norm.rho / s * (self.norm.H @ S[:-1]) + self.c, self.norm.rho * along)

    def hessian(self, S: FloatArray) -> FloatArray:
        s = float(S[-1])
        side = -(self.norm.H @ S[:-1]) / s
        corner = (self.norm.length(S[:-1]) / s) ** 2
        return self.norm.rho / s * np.block([[self.norm.H, side[:, None]], [side[None], np.array([[corner]])]])


@attrs.frozen(eq=False)
class Together(Penalty):
    """Several lists' prices as one of all their weights, one list after the other.

    Attributes:
        penalties: one for each list, None where it has none.
        cuts: where the second and all further lists begin.
    """

    penalties: tuple[Penalty | None, ...]
    cuts: tuple[int, ...]

    @property
    def linear(self) -> bool:  # type: ignore[override]
        return all(R is None or R.linear for R in self.penalties)

    @property
    def homogeneous(self) -> bool:  # type: ignore[override]
        return all(R is None or R.homogeneous for R in self.penalties)

    def split(self, S: FloatArray) -> list[FloatArray]:
        """What stands in one row for all weights, list by list."""
        return [S[start:end] for start, end in self._places(len(S))]

    def _places(self, m: int) -> Iterator[tuple[int, int]]:
        """Where each list begins and ends among m weights."""
        return pairwise((0, *self.cuts, m))

    def value(self, S: FloatArray) -> float:
        pairs = zip(self.penalties, self.split(S), strict=True)
        return sum((R.value(piece) for R, piece in pairs if R is not None), start=0.0)

    def gradient(self, S: FloatArray) -> FloatArray:
        pairs = zip(self.penalties, self.split(S), strict=True)
        return np.concatenate([np.zeros_like(piece) if R is None else R.gradient(piece) for R, piece in pairs])

    def hessian(self, S: FloatArray) -> FloatArray:
        found = np.zeros((len(S), len(S)))
        for R, (start, end) in zip(self.penalties, self._places(len(S)), strict=True):
            bend = None if R is None else R.hessian(S[start:end])
            if bend is not None:
                found[start:end, start:end] = bend
        return found
