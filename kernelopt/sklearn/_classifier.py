"""Classification with a learned kernel."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from kernelopt._api._blocks import in_blocks
from kernelopt._api._criterion_choice import default_criterion
from kernelopt._base._errors import InvalidOption, KerneloptError
from kernelopt._base._input import refuse_lazy
from kernelopt._base._typing import FloatArray
from kernelopt._evidence._criterion import Effort, Evidence
from kernelopt._plugins._registry import Kind
from kernelopt._rows._contract import RowBlocks
from kernelopt.sklearn._calibration import calibrated, check_method, folds_for
from kernelopt.sklearn._supervised import SupervisedLearner


class KernelClassifier(ClassifierMixin, SupervisedLearner):  # type: ignore[misc]
    """A classifier that learns its kernel, with a certified duality gap.

    Two classes or more; several share one kernel, which one machine for each class against the rest learn together.

    Args:
        family: as in `kernelopt.solve`: a name, an object, a mapping, or a list of these.
        criterion: a criterion of classification. Options are parameters: `criterion__C`. None: where `family` is left
            open as well the evidence over `family="auto"`, with nothing to tune; else "svc" with C = 1.
        solver: as in `kernelopt.solve`.
        tol: the relative duality gap to reach, in (0, 1).
        scale: as in `kernelopt.solve`.
        max_steps: the solver's own limit where None.
        max_seconds: a time limit, or None.
        effort: "quick", "normal" or "thorough": how much the default may spend on kernels of learned metrics
            (`kernelopt.Evidence`), where family and criterion are left open.
        device: as in `kernelopt.solve`.
        class_weight: None, "balanced", or a mapping label -> weight.
        calibration: "sigmoid" (Platt, 2000) or "isotonic" (Zadrozny and Elkan, 2002): `fit` learns on up to five
            folds too, and `predict_proba` calibrates decision values by those of the rows held out. None: the evidence
            has probabilities of its own, other criteria have none.
        warm_start: go on from the last solution, which must be of the same families on the same columns.
        random_state: a number, or a generator that one is drawn from; 0, so that fits can be repeated.
        verbose: 0 says nothing; 1 or more shows a live line.

    Attributes:
        solution_: the whole `Solution`: status, trace, notes.
        kernel_: the learned kernel, a callable.
        certificate_: upper and lower bounds on the optimum.
        n_iter_: how many steps the solver took.
        support_, support_vectors_: the support vectors' row numbers (s,), and they themselves (s, d).
        dual_coef_: their coefficients, shape (c, s): one row for two classes, else one for each.
        intercept_: shape (c,).
        classes_: the labels.
        calibrator_: with `calibration`, scikit-learn's machine from decision values to probabilities.
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
        calibration: str | None = None,
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
            effort=effort,
            device=device,
            warm_start=warm_start,
            random_state=random_state,
            verbose=verbose,
        )
        self.class_weight = class_weight
        self.calibration = calibration

    def _default(self, kind: Kind) -> Any:
        return "svc" if kind == "criterion" else super()._default(kind)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the kernel and the machine.

        Args:
            X: rows, shape (n, d), or a table, with text, categories and missing values as they are; `kernelopt.Views`,
                or a list or a mapping of blocks of the same rows; or rows that are not in memory: what
                `kernelopt.row_blocks` opens, without y, or a collection of dask.
            y: labels, shape (n,).
            sample_weight: shape (n,), >= 0; a weight of k equals k copies of the row.

        Raises:
            InvalidData, InvalidOption, Refused, ...: as `kernelopt.solve`; a class has too few rows for calibration.
        """
        check_method(self.calibration)
        far = in_blocks(X, y, sample_weight)
        if far is not None:
            return self._fit_far(far)
        rows, labels = self._given(X, y)
        check_classification_targets(labels)
        weight = self._weights(sample_weight, rows)
        counted = np.arange(len(labels)) if weight is None else np.flatnonzero(weight)
        folds = 0 if self.calibration is None else folds_for(labels[counted])
        evidence = default_criterion(labels=True, effort=self.effort, class_weight=self.class_weight)
        criterion = self._suiting(evidence, self._criterion())
        self._learn(rows, labels, weight, criterion, self.class_weight)
        self.classes_ = self.solution_.predictor.classes
        if self.calibration is not None:
            plain = clone(self).set_params(criterion=criterion, calibration=None, warm_start=False, verbose=0)
            known = _safe_indexing(rows, counted), labels[counted], None if weight is None else weight[counted]
            self.calibrator_ = calibrated(plain, *known, method=self.calibration, folds=folds)
        return self

    def _fit_far(self, rows: RowBlocks) -> Self:
        """Learn from rows that are not in memory.

        Raises:
            InvalidOption: calibration is asked for, which learns on folds of rows in memory.
        """
        if self.calibration is not None:
            raise InvalidOption(
                f"calibration: got {self.calibration!r} with rows in blocks, which cannot be split into folds; "
                f"leave it "
                "out: the evidence has probabilities of its own"
            )
        evidence = default_criterion(labels=True, effort=self.effort, class_weight=self.class_weight)
        self._learn_far(rows, self._suiting(evidence, self._criterion()), self.class_weight)
        self.classes_ = self.solution_.predictor.classes
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """f at rows X (n, d): shape (n,) for two classes, > 0 for the second, else (n, c)."""
        rows = self._rows(X)
        return self.solution_.decision_function(rows)

    def _probable(self) -> bool:
        """Whether there are probabilities; the reason why not is an AttributeError, as scikit-learn asks for it."""
        if self.calibration is not None or self._odds():
            return True
        raise AttributeError(
            f"predict_proba: got {type(self).__name__} with a criterion that has no probabilities, wanted the "
            'evidence, which is the default, or calibration="sigmoid" or "isotonic", set before fit'
        )

    def _odds(self) -> bool:
        """Whether what was learned, or will be, has probabilities without calibration."""
        solution = getattr(self, "solution_", None)
        if solution is not None:
            return solution.odds is not None
        if self.family is None and self.criterion is None:
            return True
        try:
            return isinstance(self._criterion(), Evidence)
        except KerneloptError:  # `fit` says what is wrong
            return False

    @available_if(_probable)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """The probability of each class at rows X (n, d), shape (n, c), in the order of `classes_`.

        Those of the evidence, which learns where nothing else is asked for: the likeliest class is the predicted one.
        With `calibration` those are calibrated on their own, so that the likeliest class need not be the predicted one
        where decisions are near 0. With another criterion and without `calibration` there is no such method.
        """
        if self.calibration is None:
            rows = self._rows(X)
            return self.solution_.predict_proba(rows)
        check_is_fitted(self, "calibrator_")
        refuse_lazy(X, "X")
        decisions = self.decision_function(X)
        shares: FloatArray = self.calibrator_.predict_proba(decisions.reshape(len(decisions), -1))
        return shares

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The labels of rows X (n, d), shape (n,)."""
        rows = self._rows(X)
        return self.solution_.predict(rows)
