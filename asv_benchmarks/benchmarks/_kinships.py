"""A trait that every second of several kinships explains in part."""

from typing import Any

import numpy as np


def kinships(rows: int, count: int) -> tuple[list[Any], Any, Any]:
    """Kinships of 2 rows / count markers each, a trait, and three covariates."""
    rng = np.random.default_rng(0)
    markers = 2 * rows // count
    kernels, y = [], rng.normal(size=rows)
    for a in range(count):
        Z = rng.normal(size=(rows, markers))
        kernels.append(Z @ Z.T / markers)
        if a % 2 == 0:
            y += 0.7 * Z @ rng.normal(size=markers) / np.sqrt(markers)
    return kernels, y, rng.normal(size=(rows, 3))
