"""Classification with a learned kernel."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import _safe_indexing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from kernelopt._api._criterion_choice import default_criterion
from kernelopt._api.data._blocks import in_blocks
from kernelopt._base._errors import InvalidOption, KerneloptError
from kernelopt._base._typing import FloatArray
from kernelopt._base.tables._input import check_target, refuse_lazy
from kernelopt._base.tables._row_labels import warn_of_other_order
from kernelopt._evidence._criterion import Evidence
from kernelopt._evidence._effort import Effort
from kernelopt._plugins._registry import Kind
from kernelopt._rows._contract import RowBlocks
from kernelopt.sklearn._calibration import calibrated, check_method, folds_for
from kernelopt.sklearn._supervised import SupervisedLearner


class KernelClassifier(ClassifierMixin, SupervisedLearner):  # type: ignore[misc]
    """A classifier that learns its kernel, with a certified duality gap.

    Labels may be of two classes or more. Several classes share one kernel: for each class a machine separates this
    class from the rest, and all machines together learn the kernel.

    Args:
        family: the kernels to choose from, as in `kernelopt.solve`: a name, an object, a mapping, or a list of these.
        criterion: a criterion of classification. The options of the criterion are parameters of the estimator, such as
            `criterion__C`. None: if `family` is None too, the evidence over `family="auto"`, for which no option needs
            tuning; otherwise "svc" with C = 1.
        solver: the method of optimisation, as in `kernelopt.solve`.
        tol: the relative duality gap at which the fit ends, in (0, 1); under the evidence a gap of tol times half the
            number of targets, in nats.
        scale: the quantity that is made 1 for each family, as in `kernelopt.solve`.
        max_steps: the largest number of steps, >= 0; 0 keeps the kernel that the run begins with. None: the solver's
            own limit.
        max_seconds: a time limit in seconds. None: no limit.
        effort: "quick", "normal" or "thorough": the time spent on learned metrics, widths and trees (see
            `kernelopt.Evidence`), if family and criterion are None.
        device: where the evidence computes sums over many rows, as in `kernelopt.solve`.
        class_weight: weights of the classes: None, "balanced", or a mapping from labels to weights. Under the evidence
            they multiply the probabilities of the classes, with other criteria the weights of the rows.
        calibration: how decision values become probabilities: "sigmoid" (Platt, 2000) or "isotonic" (Zadrozny and
            Elkan, 2002). `fit` then also learns on up to five folds, and `predict_proba` is calibrated by the decision
            values of the rows that were held out. None: without calibration; the evidence computes probabilities
            without it, and other criteria have no probabilities.
        warm_start: whether a fit starts from the last solution, which must be of the same families on the same columns.
            The kernels that joined the list of that solution are taken, and no others are looked for.
        random_state: the seed of all random numbers, an integer, or a generator from which the seed is drawn. The
            default is 0, so that fits can be repeated.
        verbose: 0: nothing is printed; 1 or more: a live line is shown.

    Attributes:
        solution_: the whole `Solution`, with status, trace and notes.
        kernel_: the learned kernel, a callable.
        certificate_: upper and lower bounds on the optimum.
        n_iter_: the number of steps of the solver.
        support_, support_vectors_: the row numbers of the support vectors, shape (s,), and their rows, shape (s, d).
        dual_coef_: the coefficients of the support vectors, shape (c, s): one row for two classes, otherwise one for
            each class.
        intercept_: the intercept of each machine, shape (c,).
        classes_: the labels, sorted.
        calibrator_: with `calibration`, scikit-learn's object that turns decision values into probabilities.
        n_features_in_, feature_names_in_: the number of columns, and the names of the columns if X has names.
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
            X: the rows, shape (n, d), or a table; text, categories and missing values may be passed as they are. Also
                `kernelopt.Views`, or a list or a mapping of blocks of the same rows. Rows that are not in memory may be
                what `kernelopt.row_blocks` opens, without y, or a collection of dask.
            y: the labels, shape (n,).
            sample_weight: weights of the rows, shape (n,), >= 0; a weight of k means the same as k copies of the row.
                Under the evidence weights that are not all whole numbers say how much each row is trusted.

        Raises:
            InvalidData, InvalidOption, Refused, ...: the same errors as `kernelopt.solve`; also if a class has too few
                rows for calibration.
        """
        check_method(self.calibration)
        warn_of_other_order(X, y=y, sample_weight=sample_weight)
        far = in_blocks(X, y, sample_weight)
        if far is not None:
            return self._fit_far(far)
        rows, labels = self._given(X, y)
        check_target(labels)  # scikit-learn takes a missing word, or a number among words, for a regression
        check_classification_targets(labels)
        weight = self._weights(sample_weight, rows)
        counted = np.arange(len(labels)) if weight is None else np.flatnonzero(weight)
        folds = 0 if self.calibration is None else folds_for(labels[counted])
        evidence = default_criterion(labels=True, effort=self.effort)
        criterion = self._suiting(evidence, self._criterion())
        self._forget_calibration()
        self._learn(rows, labels, weight, criterion, self.class_weight)
        self.classes_ = self.solution_.classes
        if self.calibration is not None:
            held = {"criterion": criterion, "effort": "normal", "calibration": None, "warm_start": False, "verbose": 0}
            plain = clone(self).set_params(**held)  # the criterion knows the effort
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
        evidence = default_criterion(labels=True, effort=self.effort)
        criterion = self._suiting(evidence, self._criterion())
        self._forget_calibration()
        self._learn_far(rows, criterion, self.class_weight)
        self.classes_ = self.solution_.classes
        return self

    def _forget_calibration(self) -> None:
        """Drop the map to probabilities of an earlier fit, which knows nothing of the machine that is learned now."""
        self.__dict__.pop("calibrator_", None)

    def decision_function(self, X: Any) -> FloatArray:
        """The decision function at rows X (n, d): shape (n, c), or for two classes (n,), > 0 for the second class."""
        rows = self._rows(X)
        return self.solution_.decision_function(rows)

    def _probable(self) -> bool:
        """Whether there are probabilities; the reason why not is an AttributeError, as scikit-learn asks for it."""
        if hasattr(self, "calibrator_") or self.calibration is not None or self._odds():
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

        After the evidence, which is the default, the class with the largest probability is the predicted class. With
        `calibration`, the probabilities are calibrated apart from the decision, so that near a decision value of 0 the
        class with the largest probability may differ from the predicted class. With another criterion and without
        `calibration`, the estimator does not have this method.
        """
        check_is_fitted(self)
        if not hasattr(self, "calibrator_") and self._odds():
            rows = self._rows(X)
            return self.solution_.predict_proba(rows)
        check_is_fitted(self, "calibrator_")
        refuse_lazy(X, "X")
        decisions = self.decision_function(X)
        shares: FloatArray = self.calibrator_.predict_proba(decisions.reshape(len(decisions), -1))
        return shares

    @available_if(_probable)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> FloatArray:
        """The natural logarithms of the probabilities that `predict_proba` returns at rows X (n, d), shape (n, c).

        A probability of 0 has the logarithm -inf. The estimator has this method where it has `predict_proba`.
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The labels of rows X (n, d), shape (n,)."""
        rows = self._rows(X)
        return self.solution_.predict(rows)
