"""Norms among the prices: each the largest of linear prices, over a ball that joins the dual set."""

from collections.abc import Sequence

import attrs
import numpy as np
import scipy.linalg

from kernelopt.plugin import FloatArray, Norm, Penalty, Price, Tilted, untilted


@attrs.frozen(eq=False)
class Norms:
    """rho (w'Hw)^1/2 = max of u'G'w over |u| <= radius, G = rho H^1/2 / radius.

    A norm has no gradient where a kernel has no weight, and there the optimum of a union may lie; u, moved with the
    dual variables, is that subgradient which the optimum asks for.

    Attributes:
        factors: G for each block, None where its price is no norm.
        radius: of the balls, > 0, of the size of the dual variables, so that one step length serves both.
    """

    factors: tuple[FloatArray | None, ...]
    radius: float

    @classmethod
    def of(cls, prices: Sequence[Penalty | None], radius: float) -> "Norms":
        """Of the blocks' prices."""
        radius = radius or 1.0
        norms = (untilted(R) for R in prices)
        return cls(tuple(_root(R) / radius if isinstance(R, Norm) else None for R in norms), radius)

    def __bool__(self) -> bool:
        return any(G is not None for G in self.factors)

    def start(self, S: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
        """The u of each block that attains its norm at S; empty where there is none."""
        ends = (np.zeros(0) if G is None else G.T @ s for G, s in zip(self.factors, S, strict=True))
        return tuple(end * (self.radius / (float(np.linalg.norm(end)) or 1.0)) for end in ends)

    def climbed(self, u: tuple[FloatArray, ...], S: tuple[FloatArray, ...], tau: float) -> tuple[FloatArray, ...]:
        """A step of length tau up the gradient at S, back to the ball."""
        triples = zip(self.factors, u, S, strict=True)
        return tuple(one if G is None else self._back(one + tau * (G.T @ s)) for G, one, s in triples)

    def _back(self, u: FloatArray) -> FloatArray:
        length = float(np.linalg.norm(u))
        return u if length <= self.radius else u * (self.radius / length)

    def slopes(self, u: tuple[FloatArray, ...]) -> tuple[FloatArray | float, ...]:
        """What u adds to the gradient of each block's price."""
        return tuple(0.0 if G is None else G @ one for G, one in zip(self.factors, u, strict=True))


def unnormed(price: Penalty | None) -> Penalty | None:
    """What a price is besides a norm."""
    if not isinstance(untilted(price), Norm):
        return price
    return Price(price.c) if isinstance(price, Tilted) else None


def _root(norm: Norm) -> FloatArray:
    """rho H^1/2, shape (m, m)."""
    values, vectors = scipy.linalg.eigh(norm.H)
    root: FloatArray = norm.rho * vectors * np.sqrt(np.maximum(values, 0.0))
    return root
