"""Lists that are ready made: one kernel as it is, and the papers' list."""

from typing import Any

import numpy as np

from kernelopt._base._input import check_matrix
from kernelopt._families.dictionary._base_kernels import Kernel
from kernelopt._families.dictionary._default_list import default_kernels
from kernelopt._families.dictionary._dictionary import Dictionary


def fixed(kernel: Kernel) -> Dictionary:
    """One kernel, as it is: nothing is learned but the classifier, and the certificate is that classifier's."""
    return Dictionary((kernel,), normalize=None)


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
    varying = np.flatnonzero(rows.max(axis=0) > rows.min(axis=0))
    return Dictionary(default_kernels(varying.tolist()), rescale="standard")
