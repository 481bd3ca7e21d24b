"""What rows say that were held out: how sure to be beside kernels that have seen the targets of all others."""

import attrs

from kernelopt._prediction._odds import Odds


@attrs.frozen
class Unseen:
    """What rows say that kernels which joined have not seen.

    Attributes:
        odds: how probable classes are; None of numbers, or where nothing says so.
        noise: the smallest variance of a new target about the function, > 0; None of classes, or where rows ask for no
            more than was learned.
    """

    odds: Odds | None = None
    noise: float | None = None
