"""The contracts of families whose atoms can be moved: along a gradient, and to where they are best."""

from abc import abstractmethod

import attrs
import numpy as np

from kernelopt._base._typing import Data, FloatArray
from kernelopt._families._contract import KernelFamily
from kernelopt._families._mixture import Part

_ROUNDED = 1e-12
"""By this share of a bound an atom may lie beyond it, as solutions that older versions saved do."""


@attrs.frozen(eq=False)
class Gradient:
    """The gradient of sum_c V_c' K V_c in the atoms (m, p) and in the weights (m,) of a part."""

    atoms: FloatArray
    weights: FloatArray


class SmoothFamily(KernelFamily):
    """A family whose atoms can be moved along a gradient, which improves atoms that a search has found."""

    @abstractmethod
    def pullback(self, part: Part, data: Data, V: FloatArray) -> Gradient:
        """The gradient of sum_c V_c' K_part V_c in the part's atoms and weights."""

    @abstractmethod
    def atom_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Lower and upper bounds on the p numbers of an atom, each of shape (p,), infinite where there is none."""

    def stranger(self, atoms: FloatArray) -> str | None:
        low, high = self.atom_bounds()
        outside = ~((low - _ROUNDED * np.abs(low) <= atoms) & (atoms <= high + _ROUNDED * np.abs(high)))
        if not outside.any():
            return None
        a, j = (int(place) for place in np.argwhere(outside)[0])
        got, least, most = (_in_full(number) for number in (atoms[a, j], low[j], high[j]))
        return f"number {j} of an atom is {got}, wanted one from {least} to {most}"


def _in_full(number: float) -> str:
    """A number with as many digits as tell it from its neighbours."""
    short = f"{number:g}"
    return short if float(short) == number else repr(float(number))


@attrs.frozen(eq=False)
class Bend:
    """How the kernel K_a of an atom a (p,) changes with the atom, at one v of shape (n,).

    Attributes:
        turn: the derivative of K_a v in a, shape (n, p).
        hessian: the second derivative of v'K_a v in a, shape (p, p).
    """

    turn: FloatArray
    hessian: FloatArray


class CurvedFamily(SmoothFamily):
    """A family with second derivatives in its atoms, by which a solver predicts how the best atoms move in a step."""

    @abstractmethod
    def bend(self, atom: FloatArray, data: Data, v: FloatArray) -> Bend:
        """The derivatives of K_a v and v'K_a v in an atom a (p,), at v of shape (n,).

        In a coordinate in which an atom cannot move, because the family's price has a kink there, `turn` is 0 and the
        Hessian has a negative number on its diagonal and zeros beside it.
        """
