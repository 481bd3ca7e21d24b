"""The size of each kernel of a list on the training rows, which `normalize` makes 1."""

import math
from collections.abc import Sequence

import numpy as np

from kernelopt._base._errors import InvalidData
from kernelopt._base._row_slices import row_slices
from kernelopt._base._typing import FloatArray
from kernelopt._families._contract import KernelFamily
from kernelopt._families._kernel_size import pairs_of, some_rows, spread
from kernelopt._families._mixture import Part
from kernelopt._families.dictionary.columns._preprocessing import Preprocessing
from kernelopt._families.dictionary.grams._blocks import Blocks
from kernelopt._families.dictionary.grams._gram_parts import row_blocks
from kernelopt._families.dictionary.kernels._base_kernels import (
    Callback,
    Kernel,
    at_hand,
    check_function,
    checked,
    diagonal,
    label,
    placed,
)
from kernelopt._families.dictionary.kernels._closed_form import Linear, evaluated

_ROUNDING = 1e-12
"""A variance that is this share of the mean of k(x, x), or of 1 where the mean is larger, is a rounding error."""
_FEW = 64
"""Rows of which k(x, x) is looked at together."""
_LEAST = float(np.finfo(float).tiny)
"""What is divided by a smaller size may overflow."""


def sizes_of(
    family: KernelFamily, blocks: Blocks, X: FloatArray, seen: FloatArray, weight: FloatArray, normalize: str | None
) -> FloatArray:
    """What `normalize` makes 1 of each kernel of a list, shape (m,).

    The variances of kernels that see rows from one place are computed together, for these share their distances.

    Args:
        family: the list, of kernels as they are, for rows as these see them.
        blocks: of its Grams.
        X: rows as they came, shape (n, d).
        seen: the rows as the kernels see them, shape (n, D).
        weight: of the rows, shape (n,); a sample of weight k counts as k samples.
        normalize: of the list.

    Raises:
        InvalidData: a kernel is none on these rows, or has nothing to normalise.
    """
    known = _variances(blocks, seen, weight) if normalize == "variance" else {}
    pairs = enumerate(blocks.kernels)
    return np.array(
        [known[a] if a in known else _measured(family, one, a, X, seen, weight, normalize) for a, one in pairs]
    )


def _variances(blocks: Blocks, X: FloatArray, weight: FloatArray) -> dict[int, float]:
    """Of the rows X (n, D) in the feature spaces of the kernels in closed form, by number, but for linear kernels: the
    variance of their columns takes no look at pairs.
    """
    formed = [number for _, members in blocks.groups for number, form in members if not isinstance(form, Linear)]
    share = weight / weight.sum()
    whole = {number: float(share @ diagonal(blocks.kernels[number], X)) for number in formed}
    means = _means_of_values(blocks.only(formed), X, share)
    means |= _means_of_pairs(blocks.only([number for number in formed if number not in means]), X, share)
    pairs = ((a, blocks.kernels[a], whole[a]) for a in formed)
    return {a: proper(one, size - means[a], _ROUNDING * min(size, 1.0), "variance") for a, one, size in pairs}


def _means_of_values(blocks: Blocks, X: FloatArray, share: FloatArray) -> dict[int, float]:
    """s'Ks of the kernels of one column, by number, on rows X (n, D) of shares s (n,), where so few values make up the
    column that their pairs are fewer than those of the rows: of an indicator, for example, there are two.
    """
    found, most = {}, len(some_rows(X, share, len(blocks.numbers))[0]) // 2
    for place, members in blocks.groups:
        if place.width(X.shape[1]) > 1:
            continue
        values, at = np.unique(place.of(X)[:, 0], return_inverse=True)
        if len(values) > most:
            continue
        rows, counted = values[:, None], np.bincount(at, share)
        for number, form in members:
            block = checked(evaluated(form, rows, rows), (len(rows), len(rows)), blocks.kernels[number])
            found[number] = float(counted @ block @ counted)
    return found


def _means_of_pairs(blocks: Blocks, X: FloatArray, share: FloatArray) -> dict[int, float]:
    """The same of any kernels, by pairs of some rows."""
    found = dict.fromkeys(blocks.numbers, 0.0)
    X, share = some_rows(X, share, len(found))
    rows = blocks.seen(X)
    for i, counted in pairs_of(share) if found else ():
        for number, block in blocks.between(rows[i], rows[: i.stop]):
            found[number] += float(share[i] @ block @ counted)
    return found


def _measured(
    family: KernelFamily,
    kernel: Kernel,
    a: int,
    X: FloatArray,
    seen: FloatArray,
    weight: FloatArray,
    normalize: str | None,
) -> float:
    """The same of the kernel that the list has as number a."""
    if at_hand(kernel):
        kernel.check(X)
    check_function(kernel, seen)
    if normalize is None:
        return 1.0
    if normalize == "variance":
        return proper(kernel, *_variance(family, kernel, a, seen, weight), normalize)
    if normalize == "diagonal":
        return 1.0 if _somewhere(kernel, seen) else proper(kernel, 0.0, 0.0, normalize)
    return proper(kernel, spread(family, _alone(a), seen, weight, centred=False), 0.0, normalize)


def mean_diagonals(
    kernels: Sequence[Kernel], preprocessing: Preprocessing, X: FloatArray, weight: FloatArray
) -> FloatArray:
    """The mean of k(x, x) for each kernel, of rows X (n, d) with weights (n,), shape (m,).

    A block of rows at a time is looked at, for each is seen once more with what stands behind its columns.

    Raises:
        InvalidData: that of a kernel is 0.
    """
    total, share = np.zeros(len(kernels)), weight / weight.sum()
    for rows in row_blocks(len(X)):
        seen = preprocessing.rows(X[rows])
        total += [float(share[rows] @ diagonal(kernel, seen)) for kernel in kernels]
    pairs = zip(kernels, total.tolist(), strict=True)
    return np.array([proper(kernel, size, 0.0, "trace") for kernel, size in pairs])


def proper(kernel: Kernel, size: float, rounding: float, normalize: str) -> float:
    """The size of a kernel, by which it is divided.

    Args:
        kernel: the kernel.
        size: its size, in whatever unit its values have.
        rounding: a size that is no larger is a rounding error.
        normalize: what the size is, for the message.

    Raises:
        InvalidData: the kernel has none.
    """
    if max(rounding, _LEAST) < size < math.inf:
        return size
    name = label(kernel)
    if not math.isfinite(size):
        raise InvalidData(
            f"Dictionary: the {normalize} of the kernel {name} is infinite on the training rows; remove it, or scale "
            'the columns of X, as rescale="standard" does'
        )
    raise InvalidData(
        f"Dictionary: the kernel {name} has no {normalize} on the training rows ({size:.3g}); remove it, or, where the "
        'columns of X hold small numbers, scale them, as rescale="standard" does'
    )


def _variance(
    family: KernelFamily, kernel: Kernel, a: int, seen: FloatArray, weight: FloatArray
) -> tuple[float, float]:
    """The variance of the rows in a kernel's feature space, and how large a variance rounding errors alone can make.

    Of a linear kernel it is the variance of the columns: no pair of rows is looked at, and no large numbers cancel.
    """
    place, form = placed(kernel)
    if isinstance(form, Linear):
        share, rows = weight / weight.sum(), place.of(seen)
        left = rows - share @ rows
        return float(share @ np.einsum("ij,ij->i", left, left)), 0.0
    if at_hand(kernel):
        return _variance_given(kernel, seen, weight / weight.sum())
    whole = spread(family, _alone(a), seen, weight, centred=False)
    return spread(family, _alone(a), seen, weight, centred=True), _ROUNDING * min(whole, 1.0)


def _somewhere(kernel: Kernel, seen: FloatArray) -> bool:
    """Whether k(x, x) is above 0 for one of the rows (n, D): mostly the first few say so."""
    return any(float(diagonal(kernel, seen[rows]).max()) > 0.0 for rows in row_slices(len(seen), _FEW))


def _variance_given(kernel: Callback, seen: FloatArray, share: FloatArray) -> tuple[float, float]:
    """The same of a matrix's kernel, on rows of shares (n,): its entries are read where they lie."""
    whole = float(share @ diagonal(kernel, seen))
    rows, share = some_rows(seen, share)
    means = (float(share[i] @ kernel(rows[i], rows[: i.stop]) @ counted) for i, counted in pairs_of(share))
    return whole - sum(means), _ROUNDING * min(whole, 1.0)


def _alone(a: int) -> Part:
    """The kernel of this number with weight 1."""
    return Part(np.array([[float(a)]]), np.ones(1))
