"""The certificate: an upper and a lower bound on the optimum of the saddle, both true."""

import math

import attrs

from kernelopt._base._html import table
from kernelopt._base._svg import gauge


@attrs.frozen(repr=False)
class Certificate:
    """Bounds on the optimum of min over kernels, max over alpha.

    Attributes:
        upper: the primal objective of the answer: no kernel machine with a lower one is claimed than `lower`.
        lower: h(alpha) minus the largest 1/2 v'Kv over the family, at a feasible alpha: no kernel of the family and
            no alpha do better than this.
        exact: whether the oracle behind `lower` is proved; if not, `lower` is the best estimate of a search.
        tangent: whether `lower` bounds only the convex problem that touches a non-convex objective from above at this
            kernel: where the bounds meet the kernel is stationary, and others may be better.
        rounding: by so much rounding alone may have moved the bounds past each other, >= 0. It is estimated where
            `lower` is above `upper`, and 0 elsewhere.
    """

    upper: float
    lower: float
    exact: bool = True
    tangent: bool = False
    rounding: float = 0.0

    @property
    def crossed(self) -> bool:
        """Whether `lower` is above `upper` by more than rounding explains: then one of them is untrue."""
        return not self.lower - self.upper <= self.rounding

    @property
    def gap(self) -> float:
        """|upper - lower|, for bounds that rounding brought past each other are no nearer to the optimum than that;
        infinite where they contradict each other.
        """
        return math.inf if self.crossed else abs(self.upper - self.lower)

    @property
    def relative_gap(self) -> float:
        """Gap / max(|lower|, |upper|); 0 where both bounds are 0, infinite where one or the gap is."""
        size = max(abs(self.lower), abs(self.upper))
        if self.crossed or not math.isfinite(size):
            return math.inf
        return self.gap / size if size > 0.0 else 0.0

    def within(self, tol: float, atol: float) -> bool:
        """Whether gap <= tol max(|lower|, |upper|) + atol; never where the bounds contradict each other."""
        if self.crossed or not (math.isfinite(self.upper) and math.isfinite(self.lower)):
            return False
        return self.gap <= tol * max(abs(self.lower), abs(self.upper)) + atol

    def __str__(self) -> str:
        kind = "certified" if self.exact else "estimated"
        if self.crossed:
            return f"lower bound {self.lower:.8g} > upper bound {self.upper:.8g}, a contradiction: nothing is proved"
        what = "tangent optimum" if self.tangent else "optimum"
        return f"{self.lower:.8g} <= {what} <= {self.upper:.8g}, {kind} relative gap {self.relative_gap:.1e}"

    @property
    def picture(self) -> str:
        """Its relative gap as a picture of HTML; "" where nothing is proved."""
        return gauge(self.relative_gap) if math.isfinite(self.relative_gap) else ""

    def __repr__(self) -> str:
        return f"<Certificate: {self}>"

    def _repr_html_(self) -> str:
        return table("Certificate", [("bounds", str(self))], [self.picture])
