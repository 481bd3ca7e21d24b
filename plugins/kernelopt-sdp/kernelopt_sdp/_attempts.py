"""How a program is solved: what is tried first, and what is tried next where the certified gap is too large."""

from typing import Literal

import attrs

_FEW = 60
"""Up to this order Clarabel is asked, too: its time grows with the sixth power, and takes seconds here."""
_STEPS = 20_000
"""Steps of SCS at most; some hundreds or thousands are usual."""


@attrs.frozen
class Attempt:
    """How a program is stated and solved; another may cure what this one lacks.

    Attributes:
        solver: SCS projects on the cone step by step, and takes seconds for hundreds of rows; Clarabel is an interior
            point, and reaches more digits.
        tolerance: the solver's.
        unit: of alpha, over the start's.
        balanced: whether kernels are stated between bases in which all directions are of one size. SCS takes a tenth
            of the steps then, and Clarabel half as many more; where a kernel is nearly constant both need it.
    """

    solver: Literal["SCS", "CLARABEL"]
    tolerance: float
    unit: float = 1.0
    balanced: bool = True

    def options(self, seconds: float | None) -> dict[str, float]:
        """What this solver takes, for so many seconds at most."""
        if self.solver == "SCS":
            limit = {} if seconds is None else {"time_limit_secs": max(seconds, 1e-3)}
            return {"eps_abs": self.tolerance, "eps_rel": self.tolerance, "max_iters": _STEPS, **limit}
        limit = {} if seconds is None else {"time_limit": max(seconds, 1e-3)}
        return {**{f"tol_{name}": self.tolerance for name in ("gap_abs", "gap_rel", "feas")}, **limit}


_SMALL = (
    Attempt("SCS", 1e-7),
    Attempt("CLARABEL", 1e-8, balanced=False),
    Attempt("CLARABEL", 1e-10),
    Attempt("CLARABEL", 1e-8, 0.1),
    Attempt("CLARABEL", 1e-8, 10.0),
)
_LARGE = (Attempt("SCS", 1e-4), Attempt("SCS", 1e-6), Attempt("SCS", 1e-8))


def attempts(order: int, *, followed: bool) -> tuple[Attempt, ...]:
    """What is tried one after the other for matrix inequalities of this order together.

    Args:
        order: as it says.
        followed: whether an interior point has come as near as rounding let it, so that SCS would come no nearer.
    """
    found = _SMALL if order <= _FEW else _LARGE
    return tuple(one for one in found if one.solver != "SCS") if followed else found
