import numpy as np
import pandas as pd
import pytest

import kernelopt
from kernelopt._prediction._score import score_of


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(40, 2))


@pytest.fixture(scope="module")
def classes(rows: np.ndarray) -> np.ndarray:
    return np.where(rows[:, 0] > 0.0, "yes", "no")


@pytest.fixture(scope="module")
def of_classes(rows: np.ndarray, classes: np.ndarray) -> kernelopt.Solution:
    return kernelopt.solve(rows, classes, family=kernelopt.fixed("rbf"), criterion="svc")


@pytest.fixture(scope="module")
def of_numbers(rows: np.ndarray) -> kernelopt.Solution:
    return kernelopt.solve(rows, rows, family=kernelopt.fixed("rbf"), criterion="ridge")


@pytest.mark.parametrize(
    "form", [list, lambda y: y[:, None], pd.Series, lambda y: pd.DataFrame({"y": y}), pd.Categorical]
)
def test_the_score_does_not_depend_on_the_form_of_the_targets(of_classes, rows, classes, form):
    wrong = np.r_[["yes", "yes", "no"], classes[3:]]
    share = np.mean(of_classes.predict(rows) == wrong)
    assert of_classes.score(rows, form(wrong)) == of_classes.model.score(rows, form(wrong)) == share


def test_a_class_that_was_not_learned_is_predicted_wrong(of_classes, rows, classes):
    told = of_classes.score(rows, classes)
    assert of_classes.score(rows, np.r_[["other"] * 10, classes[10:]]) <= told - 0.2 + 1e-12


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ("yes", "y has shape"),
        (["yes"] * 39, "y has 39 values and Z has 40 rows"),
        ([0] * 40, "y has values such as 0, wanted classes as in training, such as 'no'; convert y"),
        ([b"yes"] * 40, "y has values such as b'yes', wanted classes as in training"),
        (["yes"] * 39 + [None], "y has missing values"),
        ([["yes", "no"]] * 40, r"y has shape \(40, 2\), wanted \(40,\), as what is predicted"),
    ],
)
def test_targets_that_cannot_be_compared_with_classes_are_refused(of_classes, rows, y, message):
    with pytest.raises(kernelopt.InvalidData, match=message):
        of_classes.score(rows, y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.zeros(40), r"y has shape \(40,\), wanted \(40, 2\), as what is predicted"),
        (np.full((40, 2), np.nan), "y has 80 values that are NaN or infinite"),
        (np.full((40, 2), "yes"), "y has values such as 'yes', wanted numbers; convert y"),
        (np.zeros((39, 2)), "y has 39 values and Z has 40 rows"),
    ],
)
def test_targets_that_cannot_be_compared_with_numbers_are_refused(of_numbers, rows, y, message):
    with pytest.raises(kernelopt.InvalidData, match=message):
        of_numbers.score(rows, y)


@pytest.mark.parametrize("size", [1e-200, 1e-120, 1e-10, 1e80])
def test_the_score_does_not_depend_on_the_units_of_the_targets(rows, size):
    y = rows[:, 0] + rows[:, 1] ** 2
    s = kernelopt.solve(rows, y, criterion="svr", family=kernelopt.fixed("linear"))
    predicted, wanted = s.predict(rows), s.score(rows, y)
    assert 0.0 < wanted < 1.0
    assert score_of(size * predicted, size * y, None) == pytest.approx(wanted, rel=1e-9)
    assert score_of(size * np.c_[predicted, predicted], size * np.c_[y, y], None) == pytest.approx(wanted, rel=1e-9)
