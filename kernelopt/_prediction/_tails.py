"""How far rows are believed where noise is Student's t."""

import attrs

from kernelopt._base._typing import FloatArray


@attrs.frozen(eq=False)
class Tails:
    """Noise of Student's t: the variance of the noise of row i is tau / s_i, with s_i ~ Gamma(nu/2, nu/2).

    Attributes:
        degrees: nu, the degrees of freedom, > 2.
        weight: the mean of each row's s given the targets, 1 in their mean, shape (n,): a row of small weight is hardly
            believed.
        outputs: how many targets a row has, which share its s.
    """

    degrees: float
    weight: FloatArray
    outputs: int
