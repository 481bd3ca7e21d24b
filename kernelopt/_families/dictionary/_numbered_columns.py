"""Columns of numbers that may be names, such as those of customers: for each value an indicator."""

from collections.abc import Sequence
from itertools import pairwise

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._families.dictionary._base_kernels import Kernel, PlacedKernel
from kernelopt._families.dictionary._category_groups import Same
from kernelopt._families.dictionary._coded_columns import Coded, Span, View
from kernelopt._families.dictionary._further_columns import APART, Numbered
from kernelopt._families.dictionary._leaves import Leaves
from kernelopt._families.dictionary._places import Metric


def with_numbered(rows: View, numbers: FloatArray, numbered: Sequence[Numbered]) -> View:
    """Rows (n, D) as kernels see their numbers (n, d), with the indicators of the values of some of these behind."""
    if not numbered:
        return rows
    codes = np.column_stack([one.codes(numbers) for one in numbered])
    sizes, spans = np.broadcast_to(APART, codes.shape), spans_of(numbered, rows.shape[1])
    if not isinstance(rows, Coded):
        return Coded(rows, np.arange(rows.shape[1]), codes, sizes, spans)
    codes, sizes = np.hstack([rows.codes, codes]), np.hstack([rows.sizes, sizes])
    return Coded(rows.numbers, rows.others, codes, sizes, (*rows.spans, *spans))


def without_numbered(rows: View, numbered: Sequence[Numbered]) -> View:
    """The rows without those."""
    if not (numbered and isinstance(rows, Coded)):
        return rows
    kept = len(rows.spans) - len(numbered)
    if not kept:
        return rows.numbers
    return attrs.evolve(rows, codes=rows.codes[:, :kept], sizes=rows.sizes[:, :kept], spans=rows.spans[:kept])


def spans_of(numbered: Sequence[Numbered], first: int) -> tuple[Span, ...]:
    """The places of the indicators, where the first stands there."""
    ends = np.cumsum([first, *(len(one.values) + 1 for one in numbered)])
    return tuple(Span(int(start), int(stop)) for start, stop in pairwise(ends))


def comparing(spans: Sequence[Span]) -> tuple[PlacedKernel, ...]:
    """For the indicators of each column the kernel that compares two rows there."""
    return tuple(PlacedKernel(("linear", {}), Same(tuple(range(span.start, span.stop)))) for span in spans)


def narrowed(kernel: Kernel, D: int) -> Kernel:
    """A kernel that sees nothing beyond the first D columns, for rows of no more than these."""
    if isinstance(kernel, PlacedKernel) and isinstance(kernel.place, Metric):
        return attrs.evolve(kernel, place=Metric(kernel.place.root[:D]))
    if isinstance(kernel, PlacedKernel) and isinstance(kernel.place, Leaves):
        return attrs.evolve(kernel, place=attrs.evolve(kernel.place, shares=kernel.place.shares[:D]))
    return kernel


def widened(kernel: PlacedKernel, D: int) -> PlacedKernel:
    """A kernel of the first columns, for rows of D columns."""
    place = kernel.place
    if isinstance(place, Metric):
        beyond = np.zeros((D - len(place.root), *place.root.shape[1:]))
        return attrs.evolve(kernel, place=Metric(np.concatenate([place.root, beyond])))
    if isinstance(place, Leaves):
        shares = np.append(place.shares, np.zeros(D - len(place.shares)))
        return attrs.evolve(kernel, place=attrs.evolve(place, shares=shares))
    return kernel
