"""The root of a falling ratio on a logarithmic line: how large a kernel should be that is worth its price."""

import math

import attrs

_FURTHEST = 64.0
"""A size is never left for one so many times as large or small: a ratio may be 0 or infinite, or wrong."""
_FLATTEST, _STEEPEST = 0.5, 100.0
"""Between which powers of the size the ratio is taken to fall: a secant of ratios that are not exact may even rise."""
_CLOSE = 1e-4
"""Sizes that are too small and too large come as close as this before they are doubted."""


@attrs.frozen
class Root:
    """Where the search stands.

    Attributes:
        size: > 0, where the ratio is asked next.
        power: with which power of the size the ratio is taken to fall.
        last: the size before, with its ratio.
        low: the largest size known to be too small.
        high: the smallest size known to be too large.
    """

    size: float
    power: float = 2.0
    last: tuple[float, float] | None = None
    low: float = 0.0
    high: float = math.inf

    def moved(self, ratio: float) -> "Root":
        """The next size: where the ratio is 1 if it falls from here as it did from the last size to here.

        Where that is slow it is half-way between a size known to be too small and one known to be too large, or further
        and further where only one is. A ratio that was not exact may have called a size so that is not: both are
        forgotten where they have come close.

        Args:
            ratio: at this size, >= 0; above 1 the size is too small.
        """
        low = max(self.low, self.size) if ratio >= 1.0 else self.low
        high = min(self.high, self.size) if ratio < 1.0 else self.high
        power = self._power(ratio)
        factor = ratio ** (1.0 / power)
        if high <= (1.0 + _CLOSE) * low:
            return Root(self.size * _bounded(factor), power)
        if self.last is not None and self._crawls(self.last[1], ratio):
            if low > 0.0 and high < math.inf:
                factor = math.sqrt(low * high) / self.size
            else:
                further = max if ratio >= 1.0 else min
                factor = further(factor, (self.size / self.last[0]) ** 2)
        return Root(self.size * _bounded(factor), power, (self.size, ratio), low, high)

    @staticmethod
    def _crawls(before: float, now: float) -> bool:
        """Whether a move left more than half of the ratio's logarithm, on the same side."""
        if not _between(before, now):
            return False
        return math.log(before) * math.log(now) > 0.0 and abs(math.log(now)) > 0.5 * abs(math.log(before))

    def _power(self, ratio: float) -> float:
        """With which power the ratio fell since the last size."""
        if self.last is None or self.last[0] == self.size or not _between(ratio, self.last[1]):
            return self.power
        power = math.log(ratio / self.last[1]) / math.log(self.last[0] / self.size)
        return min(max(power, _FLATTEST), _STEEPEST)


def _bounded(factor: float) -> float:
    return min(max(factor, 1.0 / _FURTHEST), _FURTHEST)


def _between(*ratios: float) -> bool:
    """Whether all have a logarithm."""
    return all(0.0 < ratio < math.inf for ratio in ratios)
