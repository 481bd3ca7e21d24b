"""scikit-learn's own checks of an estimator."""

import pytest
from sklearn.utils.estimator_checks import (
    check_classifiers_train,
    check_fit_idempotent,
    check_regressors_train,
    parametrize_with_checks,
)

import kernelopt
from kernelopt import KernelClassifier, KernelOutlierDetector, KernelRegressor, LearnedKernel

WEIGHTS = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]
EXACT = {"family": kernelopt.fixed(("rbf", {"gamma": 0.5})), "tol": 1e-10}
ALL = [KernelClassifier, KernelRegressor, KernelOutlierDetector, LearnedKernel]
FIXED = [make(**EXACT) for make in ALL]
# The classes of scikit-learn's checks lie apart for this kernel, so that decisions and probabilities agree on each row.
APART = {"family": kernelopt.fixed(("rbf", {"gamma": 5.0})), "tol": 1e-10}
CALIBRATED = [KernelClassifier(calibration="sigmoid", **APART)]
NOVELTY = KernelOutlierDetector(tol=1e-9)
QUICK = [KernelClassifier(effort="quick"), KernelRegressor(effort="quick")]
LEARNED = [*QUICK, NOVELTY, LearnedKernel({"name": "gpk", "degree": 1})]


def expected(estimator):
    """Which checks fail, and why."""
    if isinstance(estimator, LearnedKernel) and estimator.tol < 1e-6:
        return dict.fromkeys(
            WEIGHTS, "the Gram with the training rows has a column for each of them, however often it counts"
        )
    if getattr(estimator, "calibration", None) is not None:
        return dict.fromkeys(WEIGHTS, "copies of a row are held out in different folds")
    return {}


def agrees_by_chance(estimator, check):
    """Whether the check wants two answers within the tolerance of one optimum to agree to 1e-7."""
    loose = isinstance(estimator, KernelClassifier | LearnedKernel) and estimator.tol > 1e-6
    return loose and check.func.__name__ in WEIGHTS


@pytest.mark.filterwarnings("ignore::kernelopt.OutsideBounds", "ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([*FIXED, *CALIBRATED, *LEARNED], expected_failed_checks=expected)
def test_estimators_are_those_of_scikit_learn(estimator, check, request):
    if agrees_by_chance(estimator, check):
        request.applymarker(pytest.mark.xfail(reason="answers agree to the tolerance, not to 1e-7", strict=False))
    check(estimator)


@pytest.mark.parametrize(
    ("make", "learns"), [(KernelClassifier, check_classifiers_train), (KernelRegressor, check_regressors_train)]
)
def test_families_that_grow_learn_what_scikit_learn_asks_and_the_same_twice(make, learns):
    learns(make.__name__, make())
    check_fit_idempotent(make.__name__, make())
