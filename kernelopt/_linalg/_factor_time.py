"""How long a Cholesky factorisation takes on this machine, as one of few rows says."""

import time

import numpy as np
from scipy.linalg import cholesky

TRIED = 800
"""Rows of the matrix that is factored, at most: that takes some milliseconds."""


def seconds_of_a_factor(order: int) -> float:
    """What a Cholesky factorisation of this order takes, in seconds, by one of `TRIED` at most."""
    tried = min(order, TRIED)
    matrix = np.full((tried, tried), 0.5) + 0.5 * np.eye(tried)
    began = time.monotonic()
    cholesky(matrix, lower=True, overwrite_a=True, check_finite=False)
    return (time.monotonic() - began) * (order / tried) ** 3
