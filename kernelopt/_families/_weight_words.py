"""Weights in words: as many digits as tell them apart, in whatever unit they are.

Where the evidence has learned them, weights are in the squared unit of the targets.
"""

from kernelopt._base._plain_numbers import plain

_FEWEST, _MOST = 5e-4, 1e5
"""Weights in between are told with three decimals."""
MEMBER, ATOM = 1e-5, 5e-4
"""The smallest share of all weights that is told: of a member of a union, which may be the noise; of one kernel of a
list."""


def told(weight: float) -> str:
    """The weight with three decimals, whole where it is large, or with three digits where that would be 0.000."""
    return f"{weight:.3f}" if _FEWEST <= weight < _MOST or weight == 0.0 else plain(weight, 3)
