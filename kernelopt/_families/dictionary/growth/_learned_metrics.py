"""Kernels of metrics that a learned function asks for: those along which it varies."""

from collections.abc import Sequence

from kernelopt._base._typing import FloatArray
from kernelopt._families.dictionary.columns._numbered_columns import compares, narrowed, tells_apart, without_numbered
from kernelopt._families.dictionary.grams._combined_kernel import CombinedKernel
from kernelopt._families.dictionary.growth._average_gradients import outer_product
from kernelopt._families.dictionary.growth._level_differences import Function, differences, levels_of
from kernelopt._families.dictionary.growth._metric_kernels import metric_kernels
from kernelopt._families.dictionary.kernels._base_kernels import Kernel, PlacedKernel


def learned_metrics(kernel: CombinedKernel, X: FloatArray, V: FloatArray) -> tuple[PlacedKernel, ...]:
    """Kernels of the metrics of the function f_c = sum_i V_ic k(., x_i); none where it has no slope.

    Kernels that compare numbers which may be names have no slope, and metrics do not see their indicators: of kernels
    that see all columns the slopes in the others count.

    Args:
        kernel: k.
        X: rows, shape (n, d).
        V: shape (n, c).
    """
    rows, layout = kernel.preprocessing.rows(X), kernel.preprocessing.layout(X.shape[1])
    seen, D = without_numbered(rows, layout.numbered_columns), layout.numbered
    sloping = [a for a in kernel.numbers if not compares(kernel.listed[a], D)]
    members = [(kernel.listed[a], kernel.factors[a]) for a in sloping]
    if any(tells_apart(one, D) for one, _ in members):
        product = outer_product(members, rows, V, D)
    else:
        product = outer_product(_narrow(members, D), seen, V)
    levels = levels_of(seen, layout.numbers, layout.further, layout.groups)
    function = Function(kernel.blocks(kernel.numbers), kernel.weights, rows, V)
    return metric_kernels(product, seen, differences(function, levels, D))


def _narrow(members: Sequence[tuple[Kernel, float]], D: int) -> list[tuple[Kernel, float]]:
    """The kernels with their factors, for rows of D columns."""
    narrow = narrowed([kernel for kernel, _ in members], D)
    return [(kernel, factor) for kernel, (_, factor) in zip(narrow, members, strict=True)]
