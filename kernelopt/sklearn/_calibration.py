"""Probabilities from decision values, by scikit-learn's own calibration."""

import warnings
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import _safe_indexing

from kernelopt._base._errors import InvalidData, InvalidOption, NewMissingValues
from kernelopt._base._typing import FloatArray

METHODS = ("sigmoid", "isotonic")
MOST_FOLDS = 5
"""As many as `CalibratedClassifierCV` takes by default."""


class Decided(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier whose rows are decision values already: one column for two classes, else one for each."""

    def fit(self, X: FloatArray, y: npt.NDArray[Any], sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Remember the labels; weights have done their work."""
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X: FloatArray) -> FloatArray:
        """The rows themselves, shape (n,) for two classes, else (n, c)."""
        return X[:, 0] if len(self.classes_) == 2 else X

    def predict(self, X: FloatArray) -> npt.NDArray[Any]:
        """The labels that they decide for, shape (n,)."""
        code = (X[:, 0] >= 0.0).astype(int) if len(self.classes_) == 2 else np.argmax(X, axis=1)
        labels: npt.NDArray[Any] = self.classes_[code]
        return labels


def check_method(method: Any) -> None:
    """Refuse what is no way of calibration, before the work.

    Raises:
        InvalidOption: it is none.
    """
    if method is not None and method not in METHODS:
        raise InvalidOption(f"calibration: got {method!r}, wanted None or one of {', '.join(METHODS)}")


def folds_for(y: npt.NDArray[Any]) -> int:
    """Into how many parts rows are cut, each of which has a row of every class: five, or as many as there can be.

    Args:
        y: labels, shape (n,), of the rows that count.

    Raises:
        InvalidData: a class has one row, and no machine can learn it without that row.
    """
    classes, counts = np.unique(y, return_counts=True)
    if counts.min() < 2:
        raise InvalidData(
            f"calibration: class {classes[counts.argmin()].item()!r} has 1 row with weight, wanted at least 2, "
            "because calibration trains on some rows and predicts the others; drop or merge the class, or "
            "leave calibration=None"
        )
    return min(MOST_FOLDS, int(counts.min()))


def calibrated(
    plain: Any, X: Any, y: npt.NDArray[Any], weight: FloatArray | None, *, method: str, folds: int
) -> CalibratedClassifierCV:
    """A machine from decision values to probabilities, learned from those of rows that were held out.

    Args:
        plain: a classifier, to be fitted on all folds but one, for each.
        X: rows, shape (n, d).
        y: labels, shape (n,).
        weight: of the rows, > 0, shape (n,), or None.
        method: one of METHODS.
        folds: how many, 2 at least.
    """
    # Weights go where they are sent here, whatever the user has made of scikit-learn's routing of metadata.
    # What a fold has no gap in another may have: that is no news of the rows.
    with sklearn.config_context(enable_metadata_routing=False), warnings.catch_warnings():
        warnings.simplefilter("ignore", NewMissingValues)
        decisions = _held_out(plain, X, y, weight, folds)
        machine = CalibratedClassifierCV(Decided(), method=method, cv=folds, ensemble=False)
        return machine.fit(decisions, y, sample_weight=weight)


def _held_out(plain: Any, X: Any, y: npt.NDArray[Any], weight: FloatArray | None, folds: int) -> FloatArray:
    """The decision values of each row by a machine that learned from the other folds, shape (n, c); arguments as of
    `calibrated`.

    `cross_val_predict` of scikit-learn would give the machine numbers in place of the labels, and the machine may know
    weights of classes by their labels.
    """
    held, found = [], []
    for others, rows in StratifiedKFold(folds).split(np.zeros(len(y)), y):
        known = None if weight is None else weight[others]
        machine = clone(plain).fit(_safe_indexing(X, others), y[others], sample_weight=known)
        held.append(rows)
        found.append(machine.decision_function(_safe_indexing(X, rows)).reshape(len(rows), -1))
    decisions: FloatArray = np.concatenate(found)[np.argsort(np.concatenate(held))]
    return decisions
