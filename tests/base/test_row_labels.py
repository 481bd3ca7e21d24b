"""Rows are taken by their places; labels in another order are told once, and nothing else of them."""

import warnings

import numpy as np
import pandas as pd
import pytest

import kernelopt
from kernelopt import KernelClassifier, KerneloptWarning, KernelOutlierDetector, KernelRegressor

RNG = np.random.default_rng(0)
LABELS = [f"r{k}" for k in range(30)]
X = pd.DataFrame(RNG.normal(size=(30, 2)), index=LABELS, columns=["a", "b"])
Y = pd.Series(X["a"] + 0.1 * RNG.normal(size=30))
OTHER = Y.iloc[RNG.permutation(30)]
RIDGE = {"criterion": "ridge", "family": kernelopt.Dictionary(["linear"])}
GROUPS = pd.Series(np.repeat(np.arange(10), 3), index=LABELS[::-1])
WEIGHT = pd.Series(1.0, index=LABELS[::-1])


@pytest.mark.parametrize(
    ("learn", "name"),
    [
        (lambda: kernelopt.solve(X, OTHER, **RIDGE), "y"),
        (lambda: kernelopt.solve(X, Y, sample_weight=WEIGHT, **RIDGE), "sample_weight"),
        (lambda: kernelopt.solve_targets(X, OTHER), "y"),
        (lambda: KernelRegressor(**RIDGE).fit(X, OTHER), "y"),
        (lambda: KernelRegressor(criterion="evidence", family=RIDGE["family"]).fit(X, Y, groups=GROUPS), "groups"),
        (lambda: KernelRegressor(targets="own").fit(X, OTHER), "y"),
        (lambda: KernelRegressor(**RIDGE).fit(X.assign(b=np.resize(["u", "v"], 30)), OTHER), "y"),
        (lambda: KernelClassifier(criterion="svc", family=RIDGE["family"]).fit(X, OTHER.median() < OTHER), "y"),
        (lambda: KernelOutlierDetector().fit(X, sample_weight=WEIGHT), "sample_weight"),
        (lambda: kernelopt.solve({"u": X, "v": X[::-1]}, Y, **RIDGE), "the view 'v'"),
        (lambda: kernelopt.solve([X, X[::-1]], Y, **RIDGE), "block 1"),
    ],
)
def test_labels_in_another_order_are_told_once(learn, name):
    with pytest.warns(KerneloptWarning, match="has the row labels of") as caught:
        learn()
    told = [one for one in caught if "row labels" in str(one.message)]
    assert [one.filename for one in told] == [__file__]
    assert str(told[0].message).startswith(f"{name} has the row labels of ")


@pytest.mark.parametrize(
    "y",
    [
        Y,
        Y.copy(),
        OTHER.reset_index(drop=True),
        OTHER.to_numpy(),
        OTHER.tolist(),
        OTHER.rename(index={"r0": "another"}),
        OTHER.set_axis(["r0"] * 30),
        None,
    ],
    ids=["the same", "a copy", "counted", "an array", "a list", "others", "not unique", "none"],
)
def test_nothing_is_said_of_other_labels(y):
    criterion = "one-class" if y is None else "ridge"
    with warnings.catch_warnings():
        warnings.simplefilter("error", KerneloptWarning)
        kernelopt.solve(X, y, **RIDGE | {"criterion": criterion})
        kernelopt.solve(X.reset_index(drop=True), y, **RIDGE | {"criterion": criterion})


def test_rows_are_taken_by_their_places():
    with pytest.warns(KerneloptWarning, match="in another order"):
        labelled = kernelopt.solve(X, OTHER, **RIDGE)
    np.testing.assert_array_equal(labelled.predict(X), kernelopt.solve(X, OTHER.to_numpy(), **RIDGE).predict(X))
