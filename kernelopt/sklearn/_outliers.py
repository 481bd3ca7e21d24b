"""Novelty detection with a kernel of a family."""

from typing import Any, Self

import numpy.typing as npt
from sklearn.base import OutlierMixin

from kernelopt._base._typing import FloatArray
from kernelopt._plugins._registry import Kind
from kernelopt.sklearn._learner import KernelLearner


class KernelOutlierDetector(OutlierMixin, KernelLearner):  # type: ignore[misc]
    """A novelty detector: most rows lie on one side, away from the origin of feature space.

    Without targets there is nothing to learn a kernel from but the rows themselves, and over kernels without a price
    the optimum is the most constant one; so None stands for one kernel that is chosen before the machine is trained:
    a Gaussian exp(-|x - z|^2 / w) on columns of mean 0 and standard deviation 1. Its width w is the one at which the
    mean of the kernel over pairs of different rows is 3 / sqrt(m), or 1/2 if that is less, for m different rows. Pairs
    of 250 rows at most, evenly chosen, are looked at, which takes n d steps and 250^2 d more.

    Args:
        family: as in `kernelopt.solve`; None: one Gaussian, whose width the rows say.
        criterion: a criterion of novelty detection; None: "one-class" with nu = 0.5. Options are parameters:
            `criterion__nu`.
        solver: as in `kernelopt.solve`.
        tol: the relative duality gap to reach, in (0, 1).
        scale: as in `kernelopt.solve`.
        max_steps: the solver's own limit where None.
        max_seconds: a time limit, or None.
        warm_start: go on from the last solution, which must be of the same families on the same columns.
        random_state: a number, or a generator that one is drawn from; 0, so that fits can be repeated.
        verbose: 0 says nothing; 1 or more shows a live line.

    Attributes:
        solution_: the whole `Solution`: status, trace, notes.
        kernel_: the kernel, a callable.
        certificate_: upper and lower bounds on the optimum.
        n_iter_: how many steps the solver took.
        support_, support_vectors_: the support vectors' row numbers (s,), and they themselves (s, d).
        dual_coef_: their coefficients, shape (1, s).
        intercept_: shape (1,).
        offset_: decision_function = score_samples - offset_.
        n_features_in_, feature_names_in_: the number of columns, and their names where X has some.
    """

    _task = "novelty"

    def _default(self, kind: Kind) -> Any:
        return "one-class" if kind == "criterion" else super()._default(kind)

    @property
    def offset_(self) -> float:
        """decision_function = score_samples - offset_."""
        return -float(self.intercept_[0])

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Learn the machine.

        Args:
            X: rows, shape (n, d), or a table, with text, categories and missing values as they are.
            y: not used.
            sample_weight: shape (n,), >= 0; a weight of k equals k copies of the row.

        Raises:
            InvalidData, InvalidOption, Refused, ...: as `kernelopt.solve`.
        """
        rows = self._given(X)
        self._learn(rows, None, self._weights(sample_weight, rows), self._criterion())
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """f at rows X (n, d), shape (n,): below 0 for an outlier, and 0 where it is 0 up to rounding."""
        rows = self._rows(X)
        return self.solution_.predictor.settled(self.solution_.decision_function(rows))

    def score_samples(self, X: Any) -> FloatArray:
        """f before its threshold is taken, shape (n,)."""
        return self.decision_function(X) + self.offset_

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """-1 for outliers and 1 for others, shape (n,)."""
        rows = self._rows(X)
        return self.solution_.predict(rows)
