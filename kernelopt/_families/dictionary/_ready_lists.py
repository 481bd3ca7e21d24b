"""Lists that are ready made: one kernel as it is, and the papers' list."""

from typing import Any

import numpy as np

from kernelopt._base.tables._input import check_matrix
from kernelopt._families.dictionary._dictionary import Dictionary
from kernelopt._families.dictionary.kernels._base_kernels import Kernel
from kernelopt._families.dictionary.lists._default_list import default_kernels


def fixed(kernel: Kernel) -> Dictionary:
    """A family of one kernel: only the machine is learned, and the certificate is about the machine with this kernel.

    Args:
        kernel: an entry of a list, as in `Dictionary`: a name, a pair of a name and options, a callable, or a
            `Precomputed` matrix.
    """
    return Dictionary((kernel,), normalize=None)


def default_dictionary(X: Any) -> Dictionary:
    """The list of kernels in the papers: Gaussians and polynomials on all columns, and the same on each single column.

    The Gaussians have the widths 0.5 to 10, and the polynomials the degrees 1 to 3. The columns are brought to mean 0
    and standard deviation 1, and each kernel to variance 1 in feature space.

    `Dictionary()` makes the same list when it sees the training rows; with this function you can look at the list
    before. While a problem is solved, the list holds 13 (d + 1) n x n matrices.

    Colbert and Peet (2020), section 7, after Rakotomamonjy, Bach, Canu and Grandvalet (2008).

    Args:
        X: the rows, shape (n, d); constant columns are left out.
    """
    rows = check_matrix(X)
    varying = np.flatnonzero(rows.max(axis=0) > rows.min(axis=0))
    return Dictionary(default_kernels(varying.tolist()), rescale="standard")
