"""How far rows are believed where noise is Student's t."""

import attrs

from kernelopt._base._typing import FloatArray

LEAST_OF_NEW = 2.1
"""With 2 degrees of freedom or fewer a new target has no variance."""
_MANY = 100
"""From so many rows on intervals of 95 % would be 2 % longer, at most, and are left as they are: a guard."""


def degrees_of_new(degrees: float) -> float:
    """The degrees of freedom that the noise of a new target has, where that of the rows has so many, > 2."""
    return max(degrees, LEAST_OF_NEW)


def degrees_of_few(n: float) -> float | None:
    """The degrees of freedom of a new target where n rows, less their mean, say how large the variance is; None for
    many rows.
    """
    return degrees_of_new(n - 1.0) if n < _MANY else None


def spread_of(degrees: float) -> float:
    """The variance of Student's t of so many degrees of freedom, > 2."""
    return degrees / (degrees - 2.0)


@attrs.frozen(eq=False)
class Tails:
    """Noise of Student's t: the variance of the noise of row i is tau / s_i, with s_i ~ Gamma(nu/2, nu/2).

    Attributes:
        degrees: nu, the degrees of freedom, > 0. A new target has no fewer than `degrees_of_new` says.
        weight: the mean of each row's s given the targets, 1 in their mean, shape (n,): a row of small weight is hardly
            believed.
        outputs: how many targets a row has, which share its s.
    """

    degrees: float
    weight: FloatArray
    outputs: int
