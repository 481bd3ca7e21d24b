"""`effort` says what the default of an estimator may spend, and is refused where something else is learned by."""

import numpy as np
import pytest

import kernelopt


@pytest.mark.parametrize(
    ("machine", "targets"), [(kernelopt.KernelClassifier, "labels"), (kernelopt.KernelRegressor, "numbers")]
)
def test_effort_reaches_the_evidence(machine, targets):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    y = np.sin(2.0 * X[:, 0])
    y = y > 0.0 if targets == "labels" else y
    fitted = machine(effort="quick", tol=1e-2).fit(X, y)
    assert fitted.solution_.criterion.effort == "quick"
    assert machine(tol=1e-2).fit(X, y).solution_.criterion.effort == "normal"
    with pytest.raises(kernelopt.InvalidOption, match="effort"):
        machine(effort="more").fit(X, y)
    for options in ({"family": "tk"}, {"criterion": "evidence"}):
        with pytest.raises(
            kernelopt.InvalidOption,
            match=r"learns by default.*leave (family|criterion) out, or write criterion=.*thorough",
        ):
            machine(effort="thorough", **options).fit(X, y)
