"""The list of kernels that kernel learning is usually compared with."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from kernelopt._families.dictionary.kernels._base_kernels import ColumnKernel, Kernel

WIDTHS = tuple(np.geomspace(0.5, 10.0, 10).tolist())
"""Of the Gaussians exp(-|x - z|^2 / (2 width^2)), in standard deviations of the columns."""
DEGREES = (1, 2, 3)
"""Of the polynomials (1 + x'z)^degree."""


def default_kernels(columns: Sequence[int]) -> tuple[Kernel, ...]:
    """Ten Gaussians and three polynomials on all columns together and, of several, on each of these: 13 (d + 1)."""
    gaussians = [("rbf", {"gamma": 0.5 / width**2}) for width in WIDTHS]
    polynomials = [("poly", {"degree": degree, "gamma": 1.0, "coef0": 1.0}) for degree in DEGREES]
    together: list[tuple[str, dict[str, Any]]] = [*gaussians, *polynomials]
    alone = [ColumnKernel(kernel, j) for j in (columns if len(columns) > 1 else ()) for kernel in together]
    return (*together, *alone)
