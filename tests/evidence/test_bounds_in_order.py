"""On a few rows, where noise is small and prices are differences of large numbers, no lower bound exceeds the upper."""

import numpy as np
import pytest

import kernelopt
from kernelopt import Status


def rows(seed):
    """Up to 24 rows of two columns and two classes."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((int(rng.integers(4, 25)), 2))
    y = (X[:, 0] > 0).astype(int)
    y[:2] = [0, 1]
    return X, y


@pytest.mark.parametrize(
    ("family", "seed"),
    [*(("cosine", seed) for seed in (14, 37, 49, 65)), *(("gpk", seed) for seed in (27, 35, 48)), ("tk", 14)],
)
def test_bounds_are_in_order(family, seed):
    X, y = rows(seed)
    s = kernelopt.solve(X, y, family=family, criterion={"name": "evidence", "targets": "labels"})
    assert s.status is not Status.CONTRADICTION
    assert s.certificate.lower <= s.certificate.upper + 1e-9 * abs(s.certificate.upper)
