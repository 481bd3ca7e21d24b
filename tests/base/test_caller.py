"""A warning names the line of the caller's, where Python shows each new one."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kernelopt
from kernelopt import KernelClassifier, KernelRegressor, LearnedKernel, NewMissingValues, OutsideBounds

X = np.random.default_rng(0).normal(size=(40, 2))
Y = np.where(X[:, 0] > 0, "yes", "no")
FAR = np.full((3, 2), 99.0)
GAPS = np.where(np.arange(6).reshape(3, 2) == 3, np.nan, 0.5)


@pytest.fixture(scope="module", name="learned")
def _learned():
    return SimpleNamespace(
        solution=kernelopt.solve(X, Y, family="tk"),
        numbers=kernelopt.solve(X, X[:, 0]),
        machine=KernelClassifier("tk").fit(X, Y),
        step=LearnedKernel("tk").fit(X, Y),
        pipeline=make_pipeline(StandardScaler(), KernelClassifier("tk")).fit(X, Y),
    )


@pytest.mark.parametrize(
    ("call", "category"),
    [
        (lambda learned: learned.solution.predict(FAR), OutsideBounds),
        (lambda learned: learned.solution.decision_function(FAR), OutsideBounds),
        (lambda learned: learned.solution.kernel(FAR, X), OutsideBounds),
        (lambda learned: learned.machine.predict(FAR), OutsideBounds),
        (lambda learned: learned.machine.decision_function(FAR), OutsideBounds),
        (lambda learned: learned.step.transform(FAR), OutsideBounds),
        (lambda learned: learned.pipeline.predict(FAR), OutsideBounds),
        (lambda learned: learned.numbers.predict(GAPS), NewMissingValues),
        (lambda learned: learned.numbers.predict(GAPS, return_std=True), NewMissingValues),
        (lambda _: KernelClassifier(max_steps=0).fit(X, Y), ConvergenceWarning),
        (lambda _: KernelRegressor(max_steps=0).fit(X, X[:, 1]), ConvergenceWarning),
        (lambda _: KernelRegressor("tk", max_steps=0).fit(X, X[:, 1]), ConvergenceWarning),
    ],
)
def test_a_warning_names_the_line_that_called(learned, call, category):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(learned)
    told = [warning for warning in caught if warning.category is category]
    assert told
    assert {warning.filename for warning in told} == {__file__}
