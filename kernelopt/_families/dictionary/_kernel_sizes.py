"""The size of each kernel of a list on the training rows, which `normalize` makes 1."""

import numpy as np

from kernelopt._base._errors import InvalidData
from kernelopt._base._typing import FloatArray
from kernelopt._families._contract import KernelFamily
from kernelopt._families._kernel_size import spread
from kernelopt._families._mixture import Part
from kernelopt._families.dictionary._base_kernels import Kernel, Precomputed, check_function, label, placed
from kernelopt._families.dictionary._closed_form import Linear
from kernelopt._families.dictionary._rows_of_gram import RowsOfGram


def measured(
    family: KernelFamily,
    kernel: Kernel,
    a: int,
    X: FloatArray,
    seen: FloatArray,
    weight: FloatArray,
    normalize: str | None,
) -> float:
    """What `normalize` makes 1 of the kernel that a list has as number a.

    Args:
        family: the list, of kernels as they are, for rows as these see them.
        kernel: the kernel.
        a: its number.
        X: rows as they came, shape (n, d).
        seen: the rows as the kernels see them, shape (n, D).
        weight: of the rows, shape (n,); a sample of weight k counts as k samples.
        normalize: of the list.

    Raises:
        InvalidData: the kernel is none on these rows, or has nothing to normalise.
    """
    if isinstance(kernel, Precomputed | RowsOfGram):
        kernel.check(X)
    check_function(kernel, seen)
    if normalize is None:
        return 1.0
    size = _spread(family, kernel, a, seen, weight, centred=normalize == "variance")
    if normalize == "diagonal" and size > 0.0:
        return 1.0
    return proper(kernel, size, normalize)  # of diagonals none is above 0 here


def proper(kernel: Kernel, size: float, normalize: str) -> float:
    """The size of a kernel, by which it is divided.

    Raises:
        InvalidData: the kernel has none.
    """
    if size > 1e-12:
        return size
    name = label(kernel)
    raise InvalidData(f"Dictionary: the kernel {name} has no {normalize} on the training rows ({size:.3g}); remove it")


def _spread(
    family: KernelFamily, kernel: Kernel, a: int, seen: FloatArray, weight: FloatArray, *, centred: bool
) -> float:
    """As `spread`; of a linear kernel it is the variance of the columns, and no pair of rows is looked at."""
    place, form = placed(kernel)
    if centred and isinstance(form, Linear):
        share, rows = weight / weight.sum(), place.of(seen)
        left = rows - share @ rows
        return float(share @ np.einsum("ij,ij->i", left, left))
    return spread(family, Part(np.array([[float(a)]]), np.ones(1)), seen, weight, centred=centred)
