"""Why a run ended, and what to do about it."""

from enum import Enum


class Status(Enum):
    """Why a run ended; the value is advice."""

    CONVERGED = "The certified duality gap is within the tolerance."
    CONVERGED_ESTIMATED = (
        "The duality gap is within the tolerance, but the family's oracle is a search, so the lower bound is an "
        "estimate: solve again with another seed to test it."
    )
    STATIONARY = (
        "No kernel of the family is worth more than its price by more than the tolerance: the kernel is stationary. "
        "The objective is not convex, so another start= may end lower."
    )
    STATIONARY_ESTIMATED = (
        "No kernel that a search found is worth more than its price by more than the tolerance: the kernel is "
        "stationary, as far as the search sees. Solve again with another seed, or another start=, to test it."
    )
    MAX_STEPS = (
        "The step limit was reached before the tolerance. The bounds are true: raise max_steps, loosen tol, or try "
        "another solver."
    )
    MAX_SECONDS = (
        "The time limit was reached before the tolerance. The bounds are true: raise max_seconds or loosen tol; "
        "start= or a checkpoint goes on from here."
    )
    STALLED = (
        "The solver makes no more progress at this tolerance. The bounds are true: loosen tol, lower C, or try "
        "another solver."
    )
    INTERRUPTED = "The run was interrupted: this is the best answer so far. start= or a checkpoint goes on from here."
    CONTRADICTION = (
        "The lower bound lies above the upper bound by more than rounding explains, so that one of them is untrue and "
        "nothing is proved. A note says which part is the suspect, where that can be told: please report it to the "
        "author of that part, and take another family, criterion or solver until then."
    )
    INDEFINITE = (
        "The learned kernel is not positive semidefinite on the training rows: it has a negative eigenvalue, so that "
        "no upper bound is proved. A note says how large it is: take kernels that are positive semidefinite."
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
        """Whether the bounds are true: not where they contradict each other, or where the kernel is none."""
        return self not in (Status.CONTRADICTION, Status.INDEFINITE)

    @property
    def advice(self) -> str:
        """What happened and what to try next."""
        return self.value
