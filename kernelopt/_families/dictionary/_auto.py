"""The list that needs no choice: what `family="auto"` stands for on given rows."""

from collections.abc import Container
from typing import Any

from kernelopt._families.dictionary._base_kernels import ColumnKernel, Kernel

TOGETHER = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
"""d gamma of the Gaussians exp(-gamma |x - z|^2) on all d columns: two rows are at squared distance 2 d in the mean."""
ROUGH = (0.03, 0.1, 0.3, 1.0, 3.0)
"""d gamma of the Laplacians exp(-gamma sum_j |x_j - z_j|) on all d columns, for functions with kinks and steps."""
ALONE = (0.05, 0.5, 5.0)
"""gamma of the Gaussians on each column."""
ROWS_FOR_COLUMN = 30
"""Each column gets Gaussians of its own where there are at least so many rows for each: ten for each Gaussian."""


def automatic(n: int, d: int, pairs: Container[int] = ()) -> tuple[Kernel, ...]:
    """Six Gaussians, five Laplacians, the linear and the quadratic kernel on all d columns, three Gaussians on each.

    The columns' own are left out where there are few rows for them. Of those on a column that has but a pair of values
    the narrowest stands for all: it and a constant make the others. The list depends on the data alone: the same data
    have the same kernels on every machine, or are refused where memory is too small.
    """
    together: list[tuple[str, dict[str, Any]]] = [("rbf", {"gamma": gamma / d}) for gamma in TOGETHER]
    together += [("laplacian", {"gamma": gamma / d}) for gamma in ROUGH]
    together += [("linear", {}), ("poly", {"degree": 2, "gamma": 1.0 / d, "coef0": 0.0})]
    alone = [
        ColumnKernel(("rbf", {"gamma": gamma}), j) for j in range(d) for gamma in (ALONE[-1:] if j in pairs else ALONE)
    ]
    wide = d > 1 and n >= ROWS_FOR_COLUMN * d
    return (*together, *(alone if wide else ()))
