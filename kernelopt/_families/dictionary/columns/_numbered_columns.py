"""Columns of numbers that may be names, such as those of customers: for each value an indicator."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeAlias

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._families.dictionary.columns._category_groups import Same
from kernelopt._families.dictionary.columns._further_columns import APART, Numbered
from kernelopt._families.dictionary.kernels._base_kernels import Kernel, PlacedKernel
from kernelopt._families.dictionary.seen._coded_columns import Coded, Span, View
from kernelopt._families.dictionary.seen._leaves import Leaves
from kernelopt._families.dictionary.seen._places import Metric, Some

Seeing: TypeAlias = Metric | Leaves
"""A place that knows of every column of the rows."""


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


def compares(kernel: Kernel, first: int) -> bool:
    """Whether a kernel sees nothing but such indicators, which begin with this column."""
    return min(_seen(kernel), default=-1) >= first


def tells_apart(kernel: Kernel, first: int) -> bool:
    """Whether a kernel sees such an indicator, of which the first is this column."""
    return max(_seen(kernel), default=-1) >= first


def _seen(kernel: Kernel) -> tuple[int, ...]:
    """The columns of a kernel that sees some; none for all others."""
    place = getattr(kernel, "place", None)
    return place.numbers if isinstance(place, Some) else ()


def narrowed(kernels: Sequence[Kernel], D: int) -> tuple[Kernel, ...]:
    """Kernels that see nothing beyond the first D columns, for rows of no more than these."""

    def first(place: Seeing) -> Seeing:
        if isinstance(place, Metric):
            return Metric(place.root[:D])
        return attrs.evolve(place, shares=place.shares[:D])

    return _moved(kernels, lambda place: place if _width(place) <= D else first(place))


def widened(kernels: Sequence[Kernel], D: int) -> tuple[Kernel, ...]:
    """Kernels of the first columns, for rows of D columns."""

    def wide(place: Seeing) -> Seeing:
        if isinstance(place, Metric):
            beyond = np.zeros((D - len(place.root), *place.root.shape[1:]))
            return Metric(np.concatenate([place.root, beyond]))
        return attrs.evolve(place, shares=np.append(place.shares, np.zeros(D - len(place.shares))))

    return _moved(kernels, lambda place: place if _width(place) == D else wide(place))


def _width(place: Seeing) -> int:
    """Of rows of how many columns it is."""
    return len(place.root if isinstance(place, Metric) else place.shares)


def _moved(kernels: Sequence[Kernel], change: Callable[[Seeing], Seeing]) -> tuple[Kernel, ...]:
    """The kernels with other metrics and leaves, each changed once: what kernels of one place see is computed once."""
    places: dict[Seeing, Seeing] = {}
    moved = []
    for kernel in kernels:
        if isinstance(kernel, PlacedKernel) and isinstance(kernel.place, Seeing):
            place = kernel.place
            if place not in places:
                places[place] = change(place)
            kernel = attrs.evolve(kernel, place=places[place])
        moved.append(kernel)
    return tuple(moved)
