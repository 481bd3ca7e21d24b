"""Why a run ended, and what to do about it."""

from enum import Enum


class Status(Enum):
    """The reason why a run ended; each status has a sentence of advice, `status.advice`."""

    CONVERGED = "The certified duality gap is within the tolerance: the solution can be used."
    CONVERGED_ESTIMATED = (
        "The duality gap is within the tolerance, but the oracle of the family is a search that may miss a better "
        "kernel, so the lower bound is an estimate. Solve again with another seed to test it."
    )
    STATIONARY = (
        "The learned kernel is a stationary point of the objective, within the tolerance: the solution can be used. "
        "The objective is not convex, so a run from another start= may end lower."
    )
    STATIONARY_ESTIMATED = (
        "The learned kernel is a stationary point of the objective, within the tolerance, as far as the search of the "
        "family can tell: a better kernel may have been missed. Solve again with another seed, or another start=, to "
        "test it."
    )
    MAX_STEPS = (
        "The step limit was reached before the tolerance. The bounds are true, and their gap is wider than was asked "
        "for: raise max_steps, loosen tol, or try another solver."
    )
    MAX_SECONDS = (
        "The time limit was reached before the tolerance. The bounds are true, and their gap is wider than was asked "
        "for: raise max_seconds or loosen tol, or continue the run with start= or a checkpoint."
    )
    STALLED = (
        "The solver makes no more progress, and the tolerance is not reached. The bounds are true, and their gap is "
        "wider than was asked for: try another solver, lower C where the criterion has it, or, if both bounds are "
        "finite, loosen tol."
    )
    INTERRUPTED = (
        "The run was interrupted by Ctrl-C or by a callback. This is the best solution so far, and its bounds are "
        "true: continue the run with start= or a checkpoint."
    )
    CONTRADICTION = (
        "The lower bound lies above the upper bound by more than rounding explains, so one of the two bounds is wrong "
        "and nothing is proved: do not use the solution. Where it can be told, a note says whether the family, the "
        "criterion or the solver is at fault: please report this to the author of that part, and take another one."
    )
    INDEFINITE = (
        "The learned kernel is not positive semidefinite: its Gram matrix on the training rows has a negative "
        "eigenvalue, which a note gives, so no upper bound is proved. Do not use the solution, and take kernels that "
        "are positive semidefinite."
    )

    @property
    def converged(self) -> bool:
        """Whether the tolerance was met."""
        return self in (
            Status.CONVERGED,
            Status.CONVERGED_ESTIMATED,
            Status.STATIONARY,
            Status.STATIONARY_ESTIMATED,
        )

    @property
    def proved(self) -> bool:
        """Whether the bounds are proved: for every status except `CONTRADICTION` and `INDEFINITE`."""
        return self not in (Status.CONTRADICTION, Status.INDEFINITE)

    @property
    def advice(self) -> str:
        """What happened and what to try next."""
        return self.value
