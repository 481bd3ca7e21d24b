"""Regression with a learned kernel."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import RegressorMixin
from sklearn.exceptions import ConvergenceWarning

from kernelopt._api._criterion_choice import default_criterion, regression_for
from kernelopt._api._solve_targets import solve_targets
from kernelopt._api.data._blocks import in_blocks
from kernelopt._api.data._groups import GROUPS_IN_MEMORY
from kernelopt._api.data._target_words import refuse_no_numbers
from kernelopt._base._caller import warn_caller
from kernelopt._base._errors import InvalidOption
from kernelopt._base._typing import BoolArray, FloatArray
from kernelopt._base.tables._input import check_target
from kernelopt._base.tables._row_labels import unlabelled, warn_of_other_order
from kernelopt._evidence._effort import Effort
from kernelopt._plugins._registry import Kind
from kernelopt._prediction._kernel import Kernel
from kernelopt._rows._contract import RowBlocks
from kernelopt._targets._solution import TargetsSolution
from kernelopt.sklearn._own_targets import wants_own
from kernelopt.sklearn._supervised import SupervisedLearner


class KernelRegressor(RegressorMixin, SupervisedLearner):  # type: ignore[misc]
    """A regressor that learns its kernel, with a certified duality gap.

    There may be one target or several. Several targets share one kernel, or, with targets="own", each target has
    weights of the kernels of its own. Under the evidence each target has a noise of its own in both cases, and with one
    kernel for all it may still change the weights that were learned for all.

    Args:
        family: the kernels to choose from, as in `kernelopt.solve`: a name, an object, a mapping, or a list of these.
        criterion: a criterion of regression. The options of the criterion are parameters of the estimator, such as
            `criterion__C`. None: if `family` is None too, the evidence over `family="auto"`, for which no option needs
            tuning; otherwise "svr" with options in the units of y, until one of these options is set.
        solver: the method of optimisation, as in `kernelopt.solve`.
        tol: the relative duality gap at which the fit ends, in (0, 1); under the evidence a gap of tol times half the
            number of targets, in nats.
        scale: the quantity that is made 1 for each family, as in `kernelopt.solve`.
        max_steps: the largest number of steps, >= 0; 0 keeps the kernel that the run begins with. None: the solver's
            own limit.
        max_seconds: a time limit in seconds. None: no limit.
        effort: "quick", "normal" or "thorough": the time spent on learned metrics, widths and trees (see
            `kernelopt.Evidence`), if family and criterion are None; with targets="own", "quick" or "normal" as in
            `kernelopt.solve_targets`.
        device: where the evidence computes sums over many rows, as in `kernelopt.solve`.
        targets: "shared": one kernel for all targets. "own": weights of the kernels and a noise for each target, by the
            evidence, as `kernelopt.solve_targets` learns them, for thousands of targets. With "own", `family` is a
            finite list of kernels, or None as in `solve_targets`; `tol`, `effort`, `max_seconds`,
            `random_state` and `verbose` mean the same as in `solve_targets`; the other options keep their defaults.
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
        dual_coef_: the coefficients of the support vectors, one row for each target, shape (c, s). Where targets have
            weights of the kernels of their own, a note says so, and the kernel of target c is
            `solution_.predictor.alone(c).kernel`.
        intercept_: the intercept of each target, shape (c,).
        weights_, noise_, gap_, r2_: with targets="own": the variance that each kernel explains in each target, shape
            (m, c); the variance of the noise, shape (c,); the number of nats by which each target may be below its
            nearest local optimum, shape (c,); and R2 by generalised cross-validation, shape (c,). `solution_` is then a
            `TargetsSolution`, without a certificate and without support vectors.
        n_features_in_, feature_names_in_: the number of columns, and the names of the columns if X has names.
    """

    _task = "regression"

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
        targets: str = "shared",
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
        self.targets = targets

    @property
    def _own(self) -> bool:
        """Whether each target is to have weights of its own.

        Raises:
            InvalidOption: `targets` is another word, or an option was set that is for a shared kernel.
        """
        return wants_own(self)

    @property
    def weights_(self) -> FloatArray:
        """With targets="own": the variance that each kernel explains in each target, shape (m, c)."""
        return self.solution_.weights  # type: ignore[attr-defined, no-any-return]

    @property
    def noise_(self) -> FloatArray:
        """With targets="own": the variance of the noise of each target, shape (c,)."""
        return self.solution_.noise  # type: ignore[attr-defined, no-any-return]

    @property
    def gap_(self) -> FloatArray:
        """With targets="own": how many nats each target may be below its nearest local optimum, shape (c,)."""
        return self.solution_.gap  # type: ignore[attr-defined, no-any-return]

    @property
    def r2_(self) -> FloatArray:
        """With targets="own": R2 of each target by generalised cross-validation, shape (c,)."""
        return self.solution_.r2_cv  # type: ignore[attr-defined, no-any-return]

    @property
    def intercept_(self) -> FloatArray:
        """The bias of each target, shape (c,)."""
        learned: Any = self.solution_
        return learned.intercept if isinstance(learned, TargetsSolution) else super().intercept_

    @property
    def _reader(self) -> Kernel:
        learned: Any = self.solution_  # `targets` may have been set to another word since
        return learned.reader if isinstance(learned, TargetsSolution) else super()._reader

    def _default(self, kind: Kind) -> Any:
        return "svr" if kind == "criterion" else super()._default(kind)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Learn the kernel and the machine.

        Args:
            X: the rows, shape (n, d), or a table; text, categories and missing values may be passed as they are. Also
                `kernelopt.Views`, or a list or a mapping of blocks of the same rows. Rows that are not in memory may be
                what `kernelopt.row_blocks` opens, without y, or a collection of dask.
            y: the targets, numbers, shape (n,) or (n, c).
            sample_weight: weights of the rows, shape (n,), >= 0; a weight of k means the same as k copies of the row.
                Under the evidence weights that are not all whole numbers say how much each row is trusted.
            groups: labels of groups of rows that belong together, shape (n,), as in `kernelopt.solve`; for the evidence
                only.

        Raises:
            InvalidData, InvalidOption, Refused, ...: the same errors as `kernelopt.solve`.
        """
        warn_of_other_order(X, y=y, sample_weight=sample_weight, groups=groups)
        if self._own:
            return self._fit_own(X, y, sample_weight, groups)
        far = in_blocks(X, y, sample_weight)
        if far is not None:
            if groups is not None:
                raise InvalidOption(GROUPS_IN_MEMORY)
            return self._fit_far(far)
        rows, numbers = self._with_numbers(X, y)
        weight = self._weights(sample_weight, rows)
        other = regression_for(numbers, weight)[0] if self.criterion is None else self._criterion()
        evidence = default_criterion(labels=False, effort=self.effort)
        self._learn(rows, numbers, weight, self._suiting(evidence, other), groups=unlabelled(groups))
        return self

    def _with_numbers(self, X: Any, y: Any) -> tuple[Any, FloatArray]:
        """The rows X (n, d), and their targets as numbers, shape (n,) or (n, c), both checked as scikit-learn does.

        Raises:
            InvalidData: some targets are missing, or are dates, or words that are no numbers.
        """
        if y is not None:
            refuse_no_numbers("KernelRegressor", y)
        rows, numbers = self._given(X, y, multi_output=True, y_numeric=True)
        check_target(numbers)  # numpy makes NaN of None, and numbers of dates in whatever unit they are kept in
        return rows, np.asarray(numbers, dtype=np.float64)

    def _fit_own(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> Self:
        """Weights and noise for each target.

        Raises:
            InvalidOption: rows have groups.
        """
        if groups is not None:
            raise InvalidOption(
                'KernelRegressor: got groups with targets="own", where all rows are of groups of their own; leave them '
                'out, or take targets="shared"'
            )
        rows, numbers = self._with_numbers(X, y)
        self.solution_ = solve_targets(  # type: ignore[assignment]
            rows,
            numbers,
            family=self.family,
            sample_weight=self._weights(sample_weight, rows),
            effort=self.effort,  # type: ignore[arg-type]  # "thorough" is refused there
            tol=self.tol,
            max_seconds=self.max_seconds,
            seed=self._seed(),
            progress=self._told,
        )
        self._warn_of_unreached(self.solution_.done)  # type: ignore[attr-defined]
        return self

    def _warn_of_unreached(self, done: BoolArray) -> None:
        """Say which share of the targets (t,) has no prediction but NaN, because the run ended before."""
        if not done.all():
            warn_caller(
                f"{type(self).__name__}: the fit ended before {int((~done).sum())} of {len(done)} targets were "
                "reached, and their predictions are NaN; solution_.done says which. Allow more time with max_seconds, "
                'or take effort="quick"',
                ConvergenceWarning,
            )

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

        Far from all training rows values are held back as in `Solution.predict`.

        Args:
            X: rows, shape (n, d).
            return_std: also the standard deviation of a new target at each row, in the shape of the values: with
                criterion="evidence" alone. With targets="own" it takes a factorisation of n rows for each target.

        Raises:
            InvalidOption: a deviation is asked for, and there is none.
        """
        rows = self._rows(X)
        if return_std:
            return self.solution_.predict(rows, return_std=True)
        return self.solution_.predict(rows)

    def predict_interval(self, X: Any, share: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """The lower and the upper ends of intervals that hold the new target of each row with a probability of `share`.

        Args:
            X: rows, shape (n, d).
            share: the probability, between 0 and 1.

        Returns:
            Both ends, each of the shape of the values of `predict`, as `Solution.predict_interval` returns them.

        Raises:
            InvalidOption: the criterion is not the evidence, so that there are none, or `share` is out of its range.
        """
        rows = self._rows(X)
        return self.solution_.predict_interval(rows, share)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
