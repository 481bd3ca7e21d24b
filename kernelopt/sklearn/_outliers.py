"""Novelty detection with a kernel of a family."""

from typing import Any, Self

import numpy.typing as npt
from sklearn.base import OutlierMixin

from kernelopt._base._typing import FloatArray
from kernelopt._base.tables._row_labels import warn_of_other_order
from kernelopt._plugins._registry import Kind
from kernelopt.sklearn._learner import KernelLearner


class KernelOutlierDetector(OutlierMixin, KernelLearner):  # type: ignore[misc]
    """A novelty detector: it finds a half-space of feature space, away from the origin, that holds most of the rows.

    By default the kernel is not learned, because without targets the optimum over kernels without a price is the most
    constant kernel. Instead, one kernel is chosen before the machine is trained: a Gaussian exp(-|x - z|^2 / w) on
    columns of mean 0 and standard deviation 1. Its width w is such that the kernel has the mean 3 / sqrt(m), but at
    most 1/2, over all pairs of m different rows. At most 250 rows, evenly chosen, are looked at for this, which takes n
    d steps and 250^2 d more.

    Args:
        family: the kernels, as in `kernelopt.solve`. None: one Gaussian, whose width is computed from the rows.
        criterion: a criterion of novelty detection. The options of the criterion are parameters of the estimator, such
            as `criterion__nu`. None: "one-class" with nu = 0.5.
        solver: the method of optimisation, as in `kernelopt.solve`.
        tol: the relative duality gap at which the fit ends, in (0, 1).
        scale: the quantity that is made 1 for each family, as in `kernelopt.solve`.
        max_steps: the largest number of steps, >= 0; 0 keeps the kernel that the run begins with. None: the solver's
            own limit.
        max_seconds: a time limit in seconds. None: no limit.
        warm_start: whether a fit starts from the last solution, which must be of the same families on the same columns.
        random_state: the seed of all random numbers, an integer, or a generator from which the seed is drawn. The
            default is 0, so that fits can be repeated.
        verbose: 0: nothing is printed; 1 or more: a live line is shown.

    Attributes:
        solution_: the whole `Solution`, with status, trace and notes.
        kernel_: the kernel, a callable.
        certificate_: upper and lower bounds on the optimum.
        n_iter_: the number of steps of the solver.
        support_, support_vectors_: the row numbers of the support vectors, shape (s,), and their rows, shape (s, d).
        dual_coef_: the coefficients of the support vectors, shape (1, s).
        intercept_: the intercept, shape (1,).
        offset_: the difference of two methods: decision_function = score_samples - offset_.
        n_features_in_, feature_names_in_: the number of columns, and the names of the columns if X has names.
    """

    _task = "novelty"

    def _default(self, kind: Kind) -> Any:
        return "one-class" if kind == "criterion" else super()._default(kind)

    @property
    def offset_(self) -> float:
        """decision_function = score_samples - offset_."""
        return -float(self.intercept_[0])

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Train the machine on the rows.

        Args:
            X: the rows, shape (n, d), or a table; text, categories and missing values may be passed as they are.
            y: not used.
            sample_weight: weights of the rows, shape (n,), >= 0; a weight of k means the same as k copies of the row.

        Raises:
            InvalidData, InvalidOption, Refused, ...: the same errors as `kernelopt.solve`.
        """
        warn_of_other_order(X, sample_weight=sample_weight)
        rows = self._given(X)
        self._learn(rows, None, self._weights(sample_weight, rows), self._criterion())
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """The decision function at rows X (n, d), shape (n,): below 0 for outliers, and 0 if it is 0 up to rounding."""
        rows = self._rows(X)
        return self.solution_.predictor.settled(self.solution_.decision_function(rows))

    def score_samples(self, X: Any) -> FloatArray:
        """The decision function before its threshold is subtracted, shape (n,)."""
        return self.decision_function(X) + self.offset_

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """-1 for each outlier and 1 for each other row, shape (n,)."""
        rows = self._rows(X)
        return self.solution_.predict(rows)
