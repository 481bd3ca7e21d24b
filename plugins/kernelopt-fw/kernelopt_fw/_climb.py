"""The interior point of a master problem, from a point to a gap."""

from kernelopt.interior import Image, Point, Saddle, Stuck, advance
from kernelopt.plugin import Budget


def climbed(
    saddle: Saddle,
    point: Point,
    gap: float,
    residual: float,
    most: int,
    budget: Budget,
    image: Image | None = None,
) -> tuple[Point, int, str]:
    """Interior-point steps until the gap and the residual, `most` of them; how many, and why they ended early.

    The image of the point is computed where it is not known.
    """
    for steps in range(most):
        if point.reached(saddle.qp, gap, residual) or budget.cancelled():
            return point, steps, ""
        try:
            # From the end of a bent path it is foreseen less well where the best atoms move.
            point, image = advance(saddle, point, image, bent=False), None
        except Stuck as stuck:
            return point, steps, str(stuck)
    return point, most, "" if point.reached(saddle.qp, gap, residual) else "its step limit"
