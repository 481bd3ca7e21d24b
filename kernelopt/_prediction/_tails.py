"""How far rows are believed where noise is Student's t."""

import attrs

from kernelopt._base._typing import FloatArray

LEAST_OF_NEW = 2.1
"""With 2 degrees of freedom or fewer a new target has no variance."""


def degrees_of_new(degrees: float) -> float:
    """The degrees of freedom that the noise of a new target has, where that of the rows has so many, > 2."""
    return max(degrees, LEAST_OF_NEW)


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
