"""What the method sees of a problem: gradients of the saddle at a point, from one coupling of each leaf."""

import attrs
import numpy as np

from kernelopt.interior import Saddle
from kernelopt.plugin import Coupling, FloatArray, Mixture, Penalty, Problem
from kernelopt_apd._blocks import block_of
from kernelopt_apd._duals import DualSet

Parameters = tuple[FloatArray, ...]


@attrs.frozen(eq=False)
class Place:
    """Dual variables with what they say of every kernel: S -> K(S) v, and D with <D, S> = v'K(S)v.

    Attributes:
        alpha: of all outputs, one after the other, shape (N,).
        v: E alpha, shape (c n,).
        couplings: each block's, at v.
        D: one for each block, in the shape of its parameters.
    """

    alpha: FloatArray
    v: FloatArray
    couplings: tuple[Coupling, ...]
    D: Parameters

    def image(self, S: Parameters) -> FloatArray:
        """K(S) v, shape (c n,)."""
        total: FloatArray = np.sum([one.apply(s) for one, s in zip(self.couplings, S, strict=True)], axis=0)
        return total


@attrs.frozen(eq=False)
class Field:
    """The saddle over all parameters of linear families.

    Attributes:
        saddle: the blocks, which know no price, and the outputs side by side.
        duals: the dual set.
        prices: one for each block, None where its kernels are free.
        total: of the parameters' traces; None where it is free.
    """

    saddle: Saddle
    duals: DualSet
    prices: tuple[Penalty | None, ...]
    total: float | None

    @classmethod
    def of(cls, problem: Problem) -> "Field":
        """The problem's."""
        blocks = tuple(block_of(leaf, data) for leaf, data in zip(problem.leaves, problem.data, strict=True))
        saddle = Saddle.of(problem, blocks)
        return cls(saddle, DualSet.of(saddle.qp), tuple(leaf.penalty for leaf in problem.leaves), problem.total)

    def parameters(self, mixture: Mixture) -> Parameters:
        """The S of a kernel."""
        return tuple(block.parameters(part) for block, part in zip(self.saddle.blocks, mixture.parts, strict=True))

    def place(self, alpha: FloatArray) -> Place:
        """Dual variables with their couplings: the work of an iteration."""
        v = self.saddle.qp.embed(alpha)
        couplings = self.saddle.couple(v)
        return Place(alpha, v, couplings, tuple(one.adjoint(v) for one in couplings))

    def rise(self, place: Place, slopes: Parameters) -> Parameters:
        """Minus the saddle's gradient in S: D / 2 less the prices' slopes."""
        return tuple(0.5 * d - slope for d, slope in zip(place.D, slopes, strict=True))

    def slopes(self, S: Parameters) -> Parameters:
        """Each block's gradient of its price."""
        return tuple(0.0 * s if price is None else price.gradient(s) for price, s in zip(self.prices, S, strict=True))

    @property
    def curved(self) -> bool:
        """Whether some price has a curvature."""
        return any(price is not None and not price.linear for price in self.prices)

    def pull(self, place: Place, S: Parameters) -> FloatArray:
        """The gradient in alpha of what is not h's own curvature: linear - E'(K(S) v + bias), shape (N,)."""
        qp = self.saddle.qp
        return qp.linear - qp.sign * (place.image(S) + self.saddle.bias(place.v))[qp.sample]

    def bend(self, after: Place, before: Place, S: Parameters) -> float:
        """dv'K(S)dv and the bias's share, of the step between two places."""
        dv = after.v - before.v
        return float(dv @ (after.image(S) - before.image(S) + self.saddle.bias(dv)))


def apart(S: Parameters, T: Parameters) -> float:
    """The squared distance of parameters."""
    return float(sum(np.vdot(s - t, s - t) for s, t in zip(S, T, strict=True)))
