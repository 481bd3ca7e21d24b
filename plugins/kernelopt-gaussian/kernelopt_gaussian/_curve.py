"""What a width is worth to given dual variables: a function of one number, with derivatives and bounds."""

import math
from typing import Self

import attrs
import numpy as np

from kernelopt.plugin import FloatArray, IntArray

_CHUNK = 2**22


@attrs.frozen(eq=False)
class Nodes:
    """The curve at some widths; where a method speaks of the next node they ascend.

    Attributes:
        omega: shape (b,).
        signed: sum_k s_k D_k^j exp(-omega D_k) for j = 0, 1, 2, shape (b, 3).
        absolute: sum_k |s_k| D_k^j exp(-omega D_k) for j = 0 to 3, shape (b, 4).
    """

    omega: FloatArray
    signed: FloatArray
    absolute: FloatArray

    def __len__(self) -> int:
        return len(self.omega)

    def joined(self, other: "Nodes") -> "Nodes":
        """Both, each width once."""
        omega, first = np.unique(np.concatenate([self.omega, other.omega]), return_index=True)
        signed = np.concatenate([self.signed, other.signed])[first]
        return Nodes(omega, signed, np.concatenate([self.absolute, other.absolute])[first])

    def at(self, index: IntArray) -> "Nodes":
        """Some of them."""
        return Nodes(self.omega[index], self.signed[index], self.absolute[index])


@attrs.frozen(eq=False)
class Curve:
    """g(omega) = exp(-eta omega^2) sum_k s_k exp(-omega D_k), k over pairs of rows: sum_c v_c' K_omega v_c.

    Attributes:
        squared: D, the squared distances of pairs, shape (K,), the first one 0.
        shares: s, shape (K,): twice sum_c v_ic v_jc; of the first one the sum over all i = j.
        eta: >= 0.
    """

    squared: FloatArray
    shares: FloatArray
    eta: float

    @classmethod
    def of(cls, D: FloatArray, V: FloatArray, eta: float) -> Self:
        """The curve of squared distances D (n, n) and V (n, c); rows with v = 0 do not count."""
        support = np.flatnonzero(V.any(axis=1))
        above = np.triu_indices(len(support), 1)
        products = (V[support] @ V[support].T)[above]
        squared = D[np.ix_(support, support)][above]
        return cls(np.append(0.0, squared), np.append(np.sum(V * V), 2.0 * products), eta)

    @property
    def total(self) -> float:
        """sum_k |s_k|."""
        return float(np.abs(self.shares).sum())

    def faintest(self, share: float) -> float:
        """The width at which exp(-eta omega^2) falls to `share`, in (0, 1]; infinite where eta = 0."""
        return math.sqrt(-math.log(share) / self.eta) if self.eta > 0.0 else math.inf

    def price(self, omega: FloatArray) -> FloatArray:
        """exp(-eta omega^2)."""
        return np.asarray(np.exp(-self.eta * omega * omega))

    def nodes(self, omega: FloatArray) -> Nodes:
        """The curve at widths (b,), in O(b K)."""
        powers = self.squared[:, None] ** np.arange(4)
        columns = np.hstack([self.shares[:, None] * powers[:, :3], np.abs(self.shares)[:, None] * powers])
        chunks = np.array_split(omega, len(omega) * len(self.squared) // _CHUNK + 1)
        sums = np.vstack([np.exp(-chunk[:, None] * self.squared) @ columns for chunk in chunks])
        return Nodes(omega, sums[:, :3], sums[:, 3:])

    def derivatives(self, at: Nodes) -> tuple[FloatArray, FloatArray, FloatArray]:
        """g, g' and g'' at nodes, each of shape (b,)."""
        z, eta, price = 2.0 * self.eta * at.omega, self.eta, self.price(at.omega)
        m0, m1, m2 = at.signed.T
        return price * m0, -price * (m1 + z * m0), price * (m2 + 2.0 * z * m1 + (z * z - 2.0 * eta) * m0)

    def bounds(self, at: Nodes) -> FloatArray:
        """A bound on g between each node and the next, shape (b - 1,).

        On [a, a + h] g is at most the largest value of g(a) + g'(a) t + g''(a) t^2/2 over 0 <= t <= h, and M h^3/6 with

            |g'''| <= M = exp(-eta a^2) sum_k |s_k| exp(-a D_k) (z^3 + 6 eta z),     z = D_k + 2 eta (a + h),

        and it is at most exp(-eta a^2) (p(a) - n(a + h)) where p and n, the sums over positive and over negative s,
        fall with omega.
        """
        value, slope, bend = (one[:-1] for one in self.derivatives(at))
        h, price = np.diff(at.omega), self.price(at.omega[:-1])
        z, eta = 2.0 * self.eta * at.omega[1:], self.eta
        m0, m1, m2, m3 = at.absolute[:-1].T
        third = m3 + 3.0 * z * m2 + 3.0 * z**2 * m1 + z**3 * m0 + 6.0 * eta * (m1 + z * m0)
        taylor = _largest(value, slope, bend, h) + price * third * h**3 / 6.0
        falling = 0.5 * (at.absolute[:-1, 0] + at.signed[:-1, 0]) - 0.5 * (at.absolute[1:, 0] - at.signed[1:, 0])
        return np.asarray(np.minimum(taylor, price * falling))

    def vertices(self, at: Nodes) -> FloatArray:
        """Where the parabola at each node is largest before the next node, away from both, shape (b - 1,)."""
        _, slope, bend = (one[:-1] for one in self.derivatives(at))
        h = np.diff(at.omega)
        t = np.where(bend < 0.0, np.divide(slope, -bend, out=0.5 * h, where=bend < 0.0), 0.5 * h)
        return np.asarray(at.omega[:-1] + np.clip(t, 0.1 * h, 0.9 * h))


def _largest(value: FloatArray, slope: FloatArray, bend: FloatArray, h: FloatArray) -> FloatArray:
    """The largest value + slope t + bend t^2/2 over 0 <= t <= h."""
    inside = np.clip(np.divide(slope, -bend, out=np.zeros_like(h), where=bend < 0.0), 0.0, h)
    ends = [value + slope * t + 0.5 * bend * t * t for t in (np.zeros_like(h), inside, h)]
    return np.asarray(np.max(ends, axis=0))
