"""Small data for the estimators."""

import numpy as np
import pytest

from kernelopt.testing import small_task, three_classes


@pytest.fixture(name="two", scope="session")
def _two():
    X, y = small_task("classification")
    return X, np.where(y > 0, "yes", "no")


@pytest.fixture(name="three", scope="session")
def _three():
    X, Y = three_classes(step=3)
    return X, np.argmax(Y, axis=1)


@pytest.fixture(name="numbers", scope="session")
def _numbers():
    return small_task("regression")
