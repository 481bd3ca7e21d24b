"""What the estimators share that learn from targets: the evidence, where nothing else is asked for."""

import warnings
from typing import Any

from kernelopt._api._criterion_choice import counted_once
from kernelopt._base._errors import InvalidOption, OtherCriterion
from kernelopt._base._typing import FloatArray
from kernelopt._criteria._contract import Criterion
from kernelopt._evidence._criterion import Effort, Evidence
from kernelopt.sklearn._learner import KernelLearner


class SupervisedLearner(KernelLearner):
    """A kernel and a machine, learned by the evidence where family and criterion are left open."""

    def __init__(
        self,
        family: Any = None,
        *,
        criterion: Any = None,
        solver: Any = "auto",
        tol: float = 1e-3,
        scale: str | float = "auto",
        max_steps: int | None = None,
        max_seconds: float | None = None,
        effort: Effort = "normal",
        warm_start: bool = False,
        random_state: Any = 0,
        progress: bool = False,
    ) -> None:
        super().__init__(
            family,
            criterion=criterion,
            solver=solver,
            tol=tol,
            scale=scale,
            max_steps=max_steps,
            max_seconds=max_seconds,
            warm_start=warm_start,
            random_state=random_state,
            progress=progress,
        )
        self.effort = effort

    def _suiting(
        self,
        evidence: Evidence,
        other: Criterion,
        call: str,
        sample_weight: FloatArray | None,
        class_weight: Any = None,
    ) -> Criterion:
        """The evidence where all is left open, else the other criterion; where weights alone are why, with a warning.

        Args:
            evidence: counts every row once, and leaves rows of zero weight out.
            other: what is learned by where something was said.
            call: how a user writes the other.
            sample_weight: shape (n,), checked, or None.
            class_weight: as in `solve`.
        """
        if self.family is not None or self.criterion is not None:
            if evidence.effort != "normal":
                raise InvalidOption(
                    f"{type(self).__name__}: got effort={evidence.effort!r} with a family or a criterion, and it is "
                    "for the default alone: leave these out, or write criterion=kernelopt.Evidence(effort=...)"
                )
            return other
        if counted_once(sample_weight, class_weight):
            return evidence
        got = f"class_weight={class_weight!r}"
        if sample_weight is not None and not counted_once(sample_weight, None):
            got = f"sample_weight from {sample_weight.min():.6g} to {sample_weight.max():.6g}"
        warnings.warn(
            f"{type(self).__name__}: got {got}, and the evidence, by which it learns with neither family nor criterion "
            f"given, counts every row once; tessellated kernels with {other} were taken instead: write "
            f"criterion={call} if that is wanted, or leave the weights out to learn by the evidence",
            OtherCriterion,
            stacklevel=3,
        )
        return other
