"""The list of kernels that kernel learning is usually compared with."""

from typing import Any

import numpy as np

from kernelopt._api._training import check_matrix
from kernelopt._families.dictionary._base_kernels import ColumnKernel, Kernel
from kernelopt._families.dictionary._dictionary import Dictionary

WIDTHS = tuple(np.geomspace(0.5, 10.0, 10).tolist())
"""Of the Gaussians exp(-|x - z|^2 / (2 width^2)), in standard deviations of the columns."""
DEGREES = (1, 2, 3)
"""Of the polynomials (1 + x'z)^degree."""


def default_kernels(d: int) -> tuple[Kernel, ...]:
    """Ten Gaussians and three polynomials on all d columns together, and, where d > 1, on each alone: 13 (d + 1)."""
    gaussians = [("rbf", {"gamma": 0.5 / width**2}) for width in WIDTHS]
    polynomials = [("poly", {"degree": degree, "gamma": 1.0, "coef0": 1.0}) for degree in DEGREES]
    together: list[tuple[str, dict[str, Any]]] = [*gaussians, *polynomials]
    alone = [ColumnKernel(kernel, j) for j in range(d if d > 1 else 0) for kernel in together]
    return (*together, *alone)


def default_dictionary(X: Any) -> Dictionary:
    """The papers' list for these rows: Gaussians of widths 0.5 to 10 and polynomials of degree 1 to 3, on all columns
    and on each, all of variance 1 in feature space, on columns of mean 0 and standard deviation 1.

    `Dictionary()` makes the same list when it sees the training rows; this function is for looking at it. It holds
    13 (d + 1) n x n matrices while it is solved.

    Colbert and Peet (2020), section 7, after Rakotomamonjy, Bach, Canu and Grandvalet (2008).

    Args:
        X: shape (n, d); constant columns are left out.
    """
    rows = check_matrix(X)
    varying = int(np.count_nonzero(rows.max(axis=0) > rows.min(axis=0)))
    return Dictionary(default_kernels(varying), rescale="standard")
