"""The columns that all outputs share: what bounds the atoms' squares, and what the kernels cost.

With q_a = 1/2 sum_c v_c'K_a v_c and prices R the program subtracts from h the conjugate

    max over w of  q'w - R(w)  =  min over tau, p of  total tau + R*(p)    where q_a <= tau + p_a for every atom a

without tau where the weights have no total. The multiplier of q_a's bound is the weight w_a.
"""

from abc import ABC, abstractmethod

import attrs
import numpy as np
import scipy.linalg

from kernelopt.plugin import FloatArray, IntArray, Norm, Penalty, Price, Square, Tilted


class Tail(ABC):
    """The shared columns, the first rows of each atom's cone, and further cones of their own."""

    @property
    @abstractmethod
    def width(self) -> int:
        """The number of columns."""

    @abstractmethod
    def objective(self) -> tuple[FloatArray, FloatArray]:
        """Quadratic and linear terms, each of shape (width,)."""

    @abstractmethod
    def head(self, atom: int) -> tuple[FloatArray, FloatArray]:
        """The first rows of an atom's cone as functions of the columns: a matrix (k, width) and a constant (k,)."""

    def cones(self) -> list[tuple[FloatArray, FloatArray]]:
        """Further second-order cones, in the same form."""
        return []

    @abstractmethod
    def weights(self, multipliers: FloatArray, starts: IntArray) -> FloatArray:
        """The atoms' weights (m,), up to a common factor where they have a total.

        Args:
            multipliers: of all cones' rows.
            starts: where the atoms' cones begin, shape (m,).
        """


@attrs.frozen
class Radius(Tail):
    """Where no kernel has a price: r >= |(F_a'v_1, ...)| and total r^2 / 2, which needs no unit of its own.

    Attributes:
        total: of the weights.
    """

    total: float

    @property
    def width(self) -> int:
        return 1

    def objective(self) -> tuple[FloatArray, FloatArray]:
        return np.full(1, self.total), np.zeros(1)

    def head(self, atom: int) -> tuple[FloatArray, FloatArray]:  # noqa: ARG002
        return np.ones((1, 1)), np.zeros(1)

    def weights(self, multipliers: FloatArray, starts: IntArray) -> FloatArray:
        return np.maximum(multipliers[starts], 0.0)


@attrs.frozen(eq=False)
class Share:
    """The prices of some atoms in a row, p = constant + slope u.

    Attributes:
        slope: shape (number of atoms, width of u).
        constant: shape (number of atoms,).
        quadratic: of u in the objective, 1/2 quadratic |u|^2.
        ball: whether |u| <= 1.
    """

    slope: FloatArray
    constant: FloatArray
    quadratic: float = 0.0
    ball: bool = False

    @classmethod
    def of(cls, penalty: Penalty | None, count: int, unit: float) -> "Share":
        """A leaf's prices on so many atoms, in units of the objective.

        <c, w> has p = c. rho |L w| has p = rho L'u with |u| <= 1. rho |L w|^2 has p = (2 rho)^1/2 L'u, and |u|^2 / 2
        in the objective. A linear price besides is a constant more.
        """
        match penalty:
            case Tilted(own=own, c=c):
                bare = cls.of(own, count, unit)
                return attrs.evolve(bare, constant=bare.constant + c / unit)
            case Norm(H=H, rho=rho) if rho:
                return cls(rho / unit * _root(H), np.zeros(count), ball=True)
            case Square(H=H, rho=rho) if rho:
                return cls(np.sqrt(2.0 * rho / unit) * _root(H), np.zeros(count), quadratic=1.0)
            case Price(c=c):
                return cls(np.zeros((count, 0)), c / unit)
        return cls(np.zeros((count, 0)), np.zeros(count))


@attrs.frozen(eq=False)
class Priced(Tail):
    """Kernels that cost something: |(F_a'v_1, ...)|^2 <= 2 (tau + p_a), as a cone.

    Attributes:
        shares: the prices, leaf by leaf.
        total: of the weights; None where they are free.
    """

    shares: tuple[Share, ...]
    total: float | None

    @property
    def _first(self) -> int:
        """Columns before those of the shares: tau, where there is one."""
        return int(self.total is not None)

    @property
    def width(self) -> int:
        return self._first + sum(int(share.slope.shape[1]) for share in self.shares)

    def objective(self) -> tuple[FloatArray, FloatArray]:
        tau = np.full(self._first, self.total or 0.0)
        quadratic = [np.full(share.slope.shape[1], share.quadratic) for share in self.shares]
        return np.concatenate([0.0 * tau, *quadratic]), np.append(tau, np.zeros(self.width - self._first))

    def head(self, atom: int) -> tuple[FloatArray, FloatArray]:
        slope, constant = self._bounds()
        return np.stack([slope[atom]] * 2), constant[atom] + np.array([0.5, -0.5])

    def cones(self) -> list[tuple[FloatArray, FloatArray]]:
        balls, first = [], self._first
        for share in self.shares:
            size = share.slope.shape[1]
            if share.ball:
                matrix = np.zeros((size + 1, self.width))
                matrix[1:, first : first + size] = np.eye(size)
                balls.append((matrix, np.append(1.0, np.zeros(size))))
            first += size
        return balls

    def weights(self, multipliers: FloatArray, starts: IntArray) -> FloatArray:
        return np.maximum(multipliers[starts] + multipliers[starts + 1], 0.0)

    def _bounds(self) -> tuple[FloatArray, FloatArray]:
        """tau + p as functions of the columns: shapes (m, width) and (m,)."""
        slope = scipy.linalg.block_diag(*(share.slope for share in self.shares))
        constant = np.concatenate([share.constant for share in self.shares])
        return np.hstack([np.ones((len(constant), self._first)), slope]), constant


def _root(H: FloatArray) -> FloatArray:
    """L' (m, r) with L'L = H."""
    values, vectors = scipy.linalg.eigh(H)
    keep = values > len(H) * np.finfo(float).eps * max(float(values[-1]), 0.0)
    root: FloatArray = vectors[:, keep] * np.sqrt(values[keep])
    return root
