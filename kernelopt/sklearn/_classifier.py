"""Classification with a learned kernel."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from kernelopt._evidence import Evidence
from kernelopt._registry import Kind
from kernelopt._typing import FloatArray
from kernelopt.sklearn._learner import KernelLearner


class KernelClassifier(ClassifierMixin, KernelLearner):  # type: ignore[misc]
    """A classifier that learns its kernel, with a certified duality gap.

    Two classes or more; several share one kernel, which one machine for each class against the rest learn together.
    For probabilities write `CalibratedClassifierCV(KernelClassifier(), ensemble=False)`, as scikit-learn advises for
    its own support vector machines.

    Args:
        family: as in `kernelopt.solve`: a name, an object, a mapping, or a list of these.
        criterion: a criterion of classification. Options are parameters: `criterion__C`. None: where `family` is left
            open as well and no weights are given, the evidence over `family="auto"`, with nothing to tune; else "svc"
            with C = 1.
        solver: as in `kernelopt.solve`.
        tol: the relative duality gap to reach, in (0, 1).
        scale: as in `kernelopt.solve`.
        max_steps: the solver's own limit where None.
        max_seconds: a time limit, or None.
        class_weight: None, "balanced", or a mapping label -> weight.
        warm_start: go on from the last solution, of the same families.
        random_state: a number, or a generator that one is drawn from; 0, so that fits can be repeated.
        progress: show a live line.

    Attributes:
        solution_: the whole `Solution`: status, trace, notes.
        kernel_: the learned kernel, a callable.
        certificate_: upper and lower bounds on the optimum.
        support_, support_vectors_: the support vectors' row numbers (s,), and they themselves (s, d).
        dual_coef_: their coefficients, shape (c, s): one row for two classes, else one for each.
        intercept_: shape (c,).
        classes_: the labels.
        n_features_in_, feature_names_in_: the number of columns, and their names where X has some.
    """

    _task = "classification"

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
        class_weight: Any = None,
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
        self.class_weight = class_weight

    def _default(self, kind: Kind) -> Any:
        return "svc" if kind == "criterion" else super()._default(kind)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the kernel and the machine.

        Args:
            X: rows, shape (n, d).
            y: labels, shape (n,).
            sample_weight: shape (n,), >= 0; a weight of k equals k copies of the row.

        Raises:
            InvalidData, InvalidOption, Refused, ...: as `kernelopt.solve`.
        """
        rows, labels = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        check_classification_targets(labels)
        untuned = self._untuned(sample_weight, self.class_weight)
        criterion = Evidence(targets="labels") if untuned else self._criterion()
        self._learn(rows, labels, sample_weight, criterion, self.class_weight)
        self.classes_ = self.solution_.predictor.classes
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """f at rows X (n, d): shape (n,) for two classes, > 0 for the second, else (n, c)."""
        rows = self._rows(X)
        return self.solution_.decision_function(rows)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The labels of rows X (n, d), shape (n,)."""
        rows = self._rows(X)
        return self.solution_.predict(rows)
