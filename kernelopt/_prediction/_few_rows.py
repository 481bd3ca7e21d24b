"""What few rows leave unknown: how large the variance of numbers is, and how often a class is told wrong."""

from kernelopt._prediction._tails import degrees_of_new

_MANY = 100
"""From so many rows on intervals of 95 % would be 2 % longer, and one class in a hundred may be told wrong at most:
both are left as they are, a guard."""


def degrees_of_few(n: float) -> float | None:
    """The degrees of freedom of a new target where n rows, less their mean, say how large the variance is; None for
    many rows.
    """
    return degrees_of_new(n - 1.0) if n < _MANY else None


def spread_of(degrees: float) -> float:
    """The variance of Student's t of so many degrees of freedom, > 2."""
    return degrees / (degrees - 2.0)


def chance_of_any(n: float) -> float:
    """The chance that a new row is of any class, whatever n rows say that are left out in turn: that of the next of
    n + 1; 0 for many rows.
    """
    return 1.0 / (n + 1.0) if n < _MANY else 0.0
