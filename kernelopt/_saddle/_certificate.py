"""The certificate: an upper and a lower bound on the optimum of the saddle, both true."""

import math

import attrs


@attrs.frozen
class Certificate:
    """Bounds on the optimum of min over kernels, max over alpha.

    Attributes:
        upper: the primal objective of the answer: no kernel machine with a lower one is claimed than `lower`.
        lower: h(alpha) minus the largest 1/2 v'Kv over the family, at a feasible alpha: no kernel of the family and
            no alpha do better than this.
        exact: whether the oracle behind `lower` is proved; if not, `lower` is the best estimate of a search.
        tangent: whether `lower` bounds only the convex problem that touches a non-convex objective from above at this
            kernel: where the bounds meet the kernel is stationary, and others may be better.
    """

    upper: float
    lower: float
    exact: bool = True
    tangent: bool = False

    @property
    def gap(self) -> float:
        """Upper - lower, >= 0 up to rounding."""
        return max(self.upper - self.lower, 0.0)

    @property
    def relative_gap(self) -> float:
        """Gap / max(|lower|, |upper|); 0 where both bounds are 0, infinite where one is."""
        size = max(abs(self.lower), abs(self.upper))
        if not math.isfinite(size):
            return math.inf
        return self.gap / size if size > 0.0 else 0.0

    def within(self, tol: float, atol: float) -> bool:
        """Whether gap <= tol max(|lower|, |upper|) + atol."""
        if not (math.isfinite(self.upper) and math.isfinite(self.lower)):
            return False
        return self.gap <= tol * max(abs(self.lower), abs(self.upper)) + atol

    def __str__(self) -> str:
        kind = "certified" if self.exact else "estimated"
        what = "tangent optimum" if self.tangent else "optimum"
        return f"{self.lower:.8g} <= {what} <= {self.upper:.8g}, {kind} relative gap {self.relative_gap:.1e}"
