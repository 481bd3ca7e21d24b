"""The best kernel on a segment between two mixtures, by the slope that each response gives for nothing."""

import attrs
import numpy as np

from kernelopt.plugin import Budget, Dense, FloatArray, Gram, Problem, Response
from kernelopt_simplemkl._weights import mixture_of, price_gradient


@attrs.frozen(eq=False)
class Segment:
    """The kernels (1 - s) K(start) + s K(end), 0 <= s <= 1.

    Attributes:
        problem: what is being learned.
        start, end: weights of all atoms, shape (M,).
        first, last: the Grams of both.
    """

    problem: Problem
    start: FloatArray
    end: FloatArray
    first: Gram
    last: Gram

    def weights(self, s: float) -> FloatArray:
        """The weights at s."""
        return (1.0 - s) * self.start + s * self.end

    def respond(self, s: float, warm: Response, budget: Budget) -> Response:
        """The answer to the kernel at s."""
        mixture = mixture_of(self.problem, self.weights(s))
        return self.problem.respond_gram(mixture, self._gram(s), warm, budget)

    def _gram(self, s: float) -> Gram:
        if s == 1.0:
            return self.last
        if isinstance(self.first, Dense) and isinstance(self.last, Dense):
            return Dense((1.0 - s) * self.first.matrix + s * self.last.matrix)
        return self.problem.gram(mixture_of(self.problem, self.weights(s)))

    def slope(self, s: float, response: Response) -> float:
        """The slope of the saddle's value at s: -1/2 sum_c v_c'(K(end) - K(start))v_c, and the price's."""
        V = response.V
        price = float(price_gradient(self.problem, self.weights(s)) @ (self.end - self.start))
        return price - 0.5 * float(np.vdot(V, self.last.apply(V)) - np.vdot(V, self.first.apply(V)))


@attrs.frozen(eq=False)
class Point:
    """A place on a segment, with its response and the slope there."""

    s: float
    response: Response
    slope: float


@attrs.frozen(eq=False)
class Found:
    """The flattest point, and those next to the minimum on either side: where the slope jumps they differ."""

    flattest: Point
    low: Point
    high: Point


def searched(segment: Segment, low: Point, high: Point, searches: int, share: float, budget: Budget) -> Found:
    """The flattest point found between one where the value falls and one where it rises.

    The root of the slope's chord, kept away from both ends, until the slope is this share of the first one. Values are
    not compared: the engine's accuracy blurs them sooner than it does the slopes.
    """
    first, flattest = low.slope, low
    for _ in range(searches):
        if budget.cancelled():
            break
        chord = float(np.clip(low.slope / (low.slope - high.slope), 0.05, 0.95))
        s = low.s + (high.s - low.s) * chord
        response = segment.respond(s, low.response, budget)
        middle = Point(s, response, segment.slope(s, response))
        flattest = min(flattest, middle, key=lambda point: abs(point.slope))
        if abs(middle.slope) <= share * abs(first):
            break
        low, high = (middle, high) if middle.slope < 0.0 else (low, middle)
    return Found(flattest, low, high)
