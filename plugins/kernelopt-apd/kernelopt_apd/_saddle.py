"""What the method sees of a problem: the gradients of the saddle, from one view of each leaf at a point."""

from collections.abc import Sequence

import attrs
import numpy as np

from kernelopt.interior import Saddle
from kernelopt.plugin import DualPoint, FloatArray, Mixture, Penalty, Problem
from kernelopt_apd._dual_set import DualSet
from kernelopt_apd._leaf_blocks import block_of
from kernelopt_apd._leaf_gradients import View, tensorial, view
from kernelopt_apd._price_norms import Norms, unnormed

Parameters = tuple[FloatArray, ...]


@attrs.frozen(eq=False)
class Place:
    """Dual variables with what they say of every kernel.

    Attributes:
        alpha: of all outputs, one after the other, shape (N,).
        v: E alpha, shape (c n,).
        views: each leaf's.
        D: one for each leaf, in the shape of its parameters: <D, S> = v'K(S)v.
        u: the subgradients of the prices that are norms.
    """

    alpha: FloatArray
    v: FloatArray
    views: tuple[View, ...]
    D: Parameters
    u: Parameters

    def image(self, S: Parameters) -> FloatArray:
        """K(S) v, shape (c n,)."""
        total: FloatArray = np.sum([one.image(s) for one, s in zip(self.views, S, strict=True)], axis=0)
        return total


@attrs.frozen(eq=False)
class Field:
    """The saddle over all parameters of linear families.

    Attributes:
        saddle: the blocks, which know no price, and the outputs side by side.
        duals: the dual set.
        prices: one for each block, less its norm if `norms` has that; None where nothing is left.
        norms: those of the prices that are norms and may come to where they have no gradient: on a cone, in a union.
        total: of the parameters' traces; None where it is free.
        direct: for each block, whether its views make a Gram for every S.
    """

    saddle: Saddle
    duals: DualSet
    prices: tuple[Penalty | None, ...]
    norms: Norms
    total: float | None
    direct: tuple[bool, ...]

    @classmethod
    def of(cls, problem: Problem, direct: tuple[bool, ...], duals: Sequence[DualPoint]) -> "Field":
        """The problem's; `direct` is for each of its leaves, and `duals` have the size that is to be expected."""
        pairs, cone = zip(problem.leaves, problem.data, strict=True), problem.total is None
        blocks, prices = zip(*(block_of(leaf, data, cone=cone) for leaf, data in pairs), strict=True)
        saddle = Saddle.of(problem, blocks)
        some = cone or len(blocks) > 1
        norms = Norms.of(prices if some else (None,), float(np.linalg.norm(saddle.join(duals))))
        left = tuple(unnormed(price) for price in prices) if some else prices
        return cls(saddle, DualSet.of(saddle.qp), left, norms, problem.total, direct)

    def parameters(self, mixture: Mixture) -> Parameters:
        """The S of a kernel."""
        return tuple(block.parameters(part) for block, part in zip(self.saddle.blocks, mixture.parts, strict=True))

    def place(self, alpha: FloatArray, u: Parameters) -> Place:
        """Dual variables with their views: the work of an iteration."""
        v = self.saddle.qp.embed(alpha)
        columns = self.saddle.columns(v)
        pairs = zip(self.saddle.blocks, self.direct, strict=True)
        views = tuple(view(block, columns, direct=direct) for block, direct in pairs)
        return Place(alpha, v, views, tuple(one.D for one in views), u)

    def lift(self, place: Place) -> Parameters:
        """What the dual variables say of S: D / 2 less the slopes of norms."""
        return tuple(0.5 * d - slope for d, slope in zip(place.D, self.norms.slopes(place.u), strict=True))

    def rise(self, place: Place, slopes: Parameters) -> Parameters:
        """Minus the saddle's gradient in S: the lift less the other prices' slopes."""
        return tuple(up - slope for up, slope in zip(self.lift(place), slopes, strict=True))

    def slopes(self, S: Parameters) -> Parameters:
        """Each block's gradient of its price, but for the norms'."""
        pairs = zip(self.prices, S, strict=True)
        return tuple(0.0 * s if price is None else price.gradient(s) for price, s in pairs)

    @property
    def curved(self) -> bool:
        """Whether the slopes change with S."""
        return any(not (price is None or price.linear) for price in self.prices)

    def force(self, place: Place, S: Parameters) -> FloatArray:
        """K(S) v and a penalised bias's share, shape (c n,)."""
        return self.saddle.biased(place.image(S), place.v)

    @property
    def concavity(self) -> float:
        """The modulus of strong concavity: the least curvature of a dual variable that can move; u has none.

        It lets the kernel's steps grow, which curved prices forbid.
        """
        if self.norms or self.curved:
            return 0.0
        qp = self.saddle.qp
        return float(np.min(qp.curvature, where=qp.upper > qp.lower, initial=qp.curvature.max()))


def tensors(problem: Problem, v: FloatArray) -> tuple[bool, ...]:
    """For each leaf, whether its coupling at v (n,) is a tensor."""
    return tuple(tensorial(leaf, data, v) for leaf, data in zip(problem.leaves, problem.data, strict=True))


def apart(S: Parameters, T: Parameters) -> float:
    """The squared distance of parameters."""
    return float(sum(np.vdot(s - t, s - t) for s, t in zip(S, T, strict=True)))
