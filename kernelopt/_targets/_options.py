"""How targets are learned."""

from typing import Any, ClassVar

import attrs

from kernelopt._base._options import one_of, positive, within

RAYS = 48
"""So many sums of kernels are decomposed where nobody says how many, and fewer for the quick way."""
_QUICK_RAYS, _FOR_EACH = 8, 2
"""The quick way takes so many at least, and so many for each kernel."""


def quick_rays(m: int) -> int:
    """How many sums of m kernels the quick way decomposes."""
    return max(_QUICK_RAYS, _FOR_EACH * m)


@attrs.frozen
class Options:
    """How targets are learned.

    Attributes:
        tol: how far a target may be above its nearest optimum, in nats, by its own bound.
        batch: how many targets are learned at once; None: as many as fit into 200 MB.
        rays: for so many sums of kernels an eigendecomposition is computed at most; None: by the effort.
        effort: "normal": as near to the optimum as tol says; "quick": the best shared candidate and a few steps.
        sample: so many targets are learned exactly too after the quick way.
        floor: the least noise, as a share of a target's variance.
        seed: of the first directions.
    """

    caller: ClassVar[str] = "solve_targets"

    tol: float = attrs.field(default=0.05, validator=positive)
    batch: int | None = attrs.field(default=None)
    rays: int | None = attrs.field(default=None)
    floor: float = attrs.field(default=1e-6, validator=within(1e-10, 0.5))
    seed: int = attrs.field(default=0, validator=within(0, 2**32 - 1, integer=True))

    effort: str = attrs.field(default="normal", validator=one_of("quick", "normal"))
    sample: int = attrs.field(default=8, validator=within(0, 10**9, integer=True))

    @batch.validator
    @rays.validator
    def _check_count(self, attribute: Any, count: Any) -> None:
        if count is not None:
            within(1, 10**9, integer=True)(self, attribute, count)

    @property
    def quick(self) -> bool:
        """Whether targets keep what the shared candidates and a few steps give."""
        return self.effort == "quick"

    def rays_for(self, m: int) -> int:
        """So many, of m kernels."""
        return self.rays or (quick_rays(m) if self.quick else RAYS)
