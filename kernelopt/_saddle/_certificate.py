"""The certificate: an upper and a lower bound on the optimum of the saddle, both true."""

import math

import attrs

from kernelopt._base._html import table
from kernelopt._base._svg import gauge


@attrs.frozen(repr=False)
class Certificate:
    """An upper and a lower bound of the optimum of the problem: min over kernels, max over alpha.

    Attributes:
        upper: the primal objective of the solution. The optimum is not larger.
        lower: h(alpha) minus the largest 1/2 v'Kv over the kernels of the family, at a feasible alpha. The optimum is
            not smaller, so no kernel of the family has a smaller objective.
        exact: whether the largest 1/2 v'Kv is proved to be the largest. If not, it is the best result of a search, and
            `lower` is an estimate.
        tangent: whether `lower` bounds only the optimum of a convex problem, which touches the objective from above at
            this kernel. The objective itself is then not convex: if the bounds are equal the kernel is stationary, and
            other kernels may have a smaller objective.
        rounding: an estimate of how far rounding errors can have moved the bounds past each other, >= 0; 0 if `lower`
            is not above `upper`.
    """

    upper: float
    lower: float
    exact: bool = True
    tangent: bool = False
    rounding: float = 0.0

    @property
    def crossed(self) -> bool:
        """Whether `lower` is above `upper` by more than rounding errors explain; then one of the bounds is wrong."""
        return not self.lower - self.upper <= self.rounding

    @property
    def gap(self) -> float:
        """The duality gap |upper - lower|; infinite if the bounds contradict each other.

        If rounding errors have moved the bounds past each other, the optimum may be this far from both of them.
        """
        return math.inf if self.crossed else abs(self.upper - self.lower)

    @property
    def relative_gap(self) -> float:
        """The gap divided by max(|lower|, |upper|); 0 if both bounds are 0, infinite if a bound or the gap is."""
        size = max(abs(self.lower), abs(self.upper))
        if self.crossed or not math.isfinite(size):
            return math.inf
        return self.gap / size if size > 0.0 else 0.0

    def within(self, tol: float, atol: float) -> bool:
        """Whether gap <= tol max(|lower|, |upper|) + atol; false if the bounds contradict each other."""
        if self.crossed or not (math.isfinite(self.upper) and math.isfinite(self.lower)):
            return False
        return self.gap <= tol * max(abs(self.lower), abs(self.upper)) + atol

    def __str__(self) -> str:
        kind = "certified" if self.exact else "estimated"
        if self.crossed:
            return f"lower bound {self.lower:.8g} > upper bound {self.upper:.8g}, a contradiction: nothing is proved"
        what, (low, high) = "tangent optimum" if self.tangent else "optimum", sorted((self.lower, self.upper))
        return f"{low:.8g} <= {what} <= {high:.8g}, {kind} relative gap {self.relative_gap:.1e}"

    @property
    def picture(self) -> str:
        """A picture of the relative gap for HTML; "" if nothing is proved."""
        return gauge(self.relative_gap) if math.isfinite(self.relative_gap) else ""

    def __repr__(self) -> str:
        return f"<Certificate: {self}>"

    def _repr_html_(self) -> str:
        return table("Certificate", [("bounds", str(self))], [self.picture])
