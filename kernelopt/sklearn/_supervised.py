"""What the estimators share that learn from targets: the evidence, where nothing else is asked for."""

from typing import Any

import numpy as np

from kernelopt._base._errors import InvalidOption
from kernelopt._criteria._contract import Criterion
from kernelopt._evidence._criterion import Evidence
from kernelopt._evidence._effort import Effort
from kernelopt._rows._contract import RowBlocks
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
        device: Any = None,
        warm_start: bool = False,
        random_state: Any = 0,
        verbose: int = 0,
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
            verbose=verbose,
        )
        self.effort = effort
        self.device = device

    def _learn_far(self, rows: RowBlocks, criterion: Any, class_weight: Any = None) -> None:
        """Solve for rows that are not in memory."""
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
        self._learn(rows, None, None, criterion, class_weight)
        kernel = self.solution_.kernel
        self.n_features_in_ = kernel.width
        if kernel.names:
            self.feature_names_in_ = np.array(kernel.names, dtype=object)

    def _suiting(self, evidence: Evidence, other: Criterion) -> Criterion:
        """The evidence where all is left open, else the other criterion.

        Args:
            evidence: of this task.
            other: what is learned by where something was said.
        """
        if self.family is None and self.criterion is None:
            return evidence
        if evidence.effort != "normal":
            named = " and ".join(name for name in ("family", "criterion") if getattr(self, name) is not None)
            raise InvalidOption(
                f"{type(self).__name__}: got effort={evidence.effort!r} with {named}, and effort is an option of the "
                f'evidence, which learns by default, with the list of kernels "auto": leave {named} out, or write '
                f"criterion=kernelopt.Evidence(effort={evidence.effort!r}), with any family"
            )
        return other
