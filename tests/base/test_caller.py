"""A warning names the line of the caller's, where Python shows each new one."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kernelopt
from kernelopt import KernelClassifier, KernelRegressor, LearnedKernel, NewMissingValues, OutsideBounds

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 2))
Y = np.where(X[:, 0] > 0, "yes", "no")
FAR = np.full((3, 2), 99.0)
SOLUTION = kernelopt.solve(X, Y, family="tk")
MACHINE = KernelClassifier("tk").fit(X, Y)
STEP = LearnedKernel("tk").fit(X, Y)
DEFAULT = kernelopt.solve(X, X[:, 0])
GAPS = np.where(np.arange(6).reshape(3, 2) == 3, np.nan, 0.5)


@pytest.mark.parametrize(
    ("call", "category"),
    [
        (lambda: SOLUTION.predict(FAR), OutsideBounds),
        (lambda: SOLUTION.decision_function(FAR), OutsideBounds),
        (lambda: SOLUTION.kernel(FAR, X), OutsideBounds),
        (lambda: MACHINE.predict(FAR), OutsideBounds),
        (lambda: MACHINE.decision_function(FAR), OutsideBounds),
        (lambda: STEP.transform(FAR), OutsideBounds),
        (lambda: make_pipeline(StandardScaler(), KernelClassifier("tk")).fit(X, Y).predict(FAR), OutsideBounds),
        (lambda: DEFAULT.predict(GAPS), NewMissingValues),
        (lambda: DEFAULT.predict(GAPS, return_std=True), NewMissingValues),
        (lambda: KernelClassifier(max_steps=0).fit(X, Y), ConvergenceWarning),
        (lambda: KernelRegressor(max_steps=0).fit(X, X[:, 1]), ConvergenceWarning),
        (lambda: KernelRegressor("tk", max_steps=0).fit(X, X[:, 1]), ConvergenceWarning),
    ],
)
def test_a_warning_names_the_line_that_called(call, category):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    told = [warning for warning in caught if warning.category is category]
    assert told
    assert {warning.filename for warning in told} == {__file__}
