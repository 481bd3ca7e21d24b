"""Regression with a learned kernel."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import RegressorMixin

from kernelopt._api._blocks import in_blocks
from kernelopt._api._criterion_choice import default_criterion, regression_for
from kernelopt._base._typing import FloatArray
from kernelopt._plugins._registry import Kind
from kernelopt._rows._contract import RowBlocks
from kernelopt.sklearn._supervised import SupervisedLearner


class KernelRegressor(RegressorMixin, SupervisedLearner):  # type: ignore[misc]
    """A regressor that learns its kernel, with a certified duality gap.

    One target or several, which share one kernel.

    Args:
        family: as in `kernelopt.solve`: a name, an object, a mapping, or a list of these.
        criterion: a criterion of regression. Options are parameters: `criterion__C`. None: where `family` is left open
            as well the evidence over `family="auto"`, with nothing to tune; else "svr" in the units of y, until an
            option of it is set.
        solver: as in `kernelopt.solve`.
        tol: the relative duality gap to reach, in (0, 1).
        scale: as in `kernelopt.solve`.
        max_steps: the solver's own limit where None.
        max_seconds: a time limit, or None.
        effort: "quick", "normal" or "thorough": how much the default may spend on kernels of learned metrics
            (`kernelopt.Evidence`), where family and criterion are left open.
        device: as in `kernelopt.solve`.
        warm_start: go on from the last solution, which must be of the same families on the same columns.
        random_state: a number, or a generator that one is drawn from; 0, so that fits can be repeated.
        verbose: 0 says nothing; 1 or more shows a live line.

    Attributes:
        solution_: the whole `Solution`: status, trace, notes.
        kernel_: the learned kernel, a callable.
        certificate_: upper and lower bounds on the optimum.
        n_iter_: how many steps the solver took.
        support_, support_vectors_: the support vectors' row numbers (s,), and they themselves (s, d).
        dual_coef_: their coefficients, one row for each target, shape (c, s).
        intercept_: shape (c,).
        n_features_in_, feature_names_in_: the number of columns, and their names where X has some.
    """

    _task = "regression"

    def _default(self, kind: Kind) -> Any:
        return "svr" if kind == "criterion" else super()._default(kind)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the kernel and the machine.

        Args:
            X: rows, shape (n, d), or a table, with text, categories and missing values as they are; `kernelopt.Views`,
                or a list or a mapping of blocks of the same rows; or rows that are not in memory: what
                `kernelopt.row_blocks` opens, without y, or a collection of dask.
            y: numbers, shape (n,) or (n, c).
            sample_weight: shape (n,), >= 0; a weight of k equals k copies of the row.

        Raises:
            InvalidData, InvalidOption, Refused, ...: as `kernelopt.solve`.
        """
        far = in_blocks(X, y, sample_weight)
        if far is not None:
            return self._fit_far(far)
        rows, numbers = self._given(X, y, multi_output=True, y_numeric=True)
        numbers = np.asarray(numbers, dtype=np.float64)
        weight = self._weights(sample_weight, rows)
        other = regression_for(numbers, weight)[0] if self.criterion is None else self._criterion()
        evidence = default_criterion(labels=False, effort=self.effort)
        self._learn(rows, numbers, weight, self._suiting(evidence, other))
        return self

    def _fit_far(self, rows: RowBlocks) -> Self:
        """Learn from rows that are not in memory."""
        evidence = default_criterion(labels=False, effort=self.effort)
        if self.criterion is not None:
            other = self._criterion()
        elif self.family is not None:  # in the units of all targets, and with all rows in memory
            other = regression_for(np.asarray(rows.whole().targets, dtype=np.float64))[0]
        else:
            other = evidence
        self._learn_far(rows, self._suiting(evidence, other))
        return self

    def predict(self, X: Any, return_std: bool = False) -> npt.NDArray[Any] | tuple[npt.NDArray[Any], FloatArray]:
        """The values at rows X (n, d), shape (n,), or (n, c) where there were several targets.

        Args:
            X: rows, shape (n, d).
            return_std: also the standard deviation of a new target at each row, in the shape of the values: with
                criterion="evidence" alone.

        Raises:
            InvalidOption: a deviation is asked for, and there is none.
        """
        rows = self._rows(X)
        if return_std:
            return self.solution_.predict(rows, return_std=True)
        return self.solution_.predict(rows)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
