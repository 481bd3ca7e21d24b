"""How long somebody may still take, and whether to stop."""

import time
from collections.abc import Callable

import attrs

TICK = 1e-9
"""No time is shorter, in seconds: a guard, for times are divided by each other."""


@attrs.frozen
class Budget:
    """The time that a step may still take.

    Attributes:
        deadline: the end of the time, on the clock of `time.monotonic()`, or None.
        stop: a function that says whether the user asked to stop.
    """

    deadline: float | None = None
    stop: Callable[[], bool] = bool

    def remaining(self) -> float | None:
        """Seconds left, never negative; None without a limit."""
        return None if self.deadline is None else max(self.deadline - time.monotonic(), 0.0)

    def before(self, seconds: float) -> "Budget":
        """One that ends so many seconds earlier, for what comes after the work."""
        return self if self.deadline is None else attrs.evolve(self, deadline=self.deadline - seconds)

    def allows(self, seconds: float) -> bool:
        """Whether work of this many seconds would be done in time, and the user has not asked to stop."""
        left = self.remaining()
        return not self.cancelled() and (left is None or seconds <= left)

    def cancelled(self) -> bool:
        """Whether to return at once with the best so far."""
        return self.stop() or self.remaining() == 0.0
