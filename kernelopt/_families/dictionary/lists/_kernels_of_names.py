"""Kernels of all columns in which numbers that are names are categories, as words would be."""

from collections.abc import Collection
from itertools import chain

import attrs

from kernelopt._families.dictionary.columns._column_layout import Layout
from kernelopt._families.dictionary.kernels._base_kernels import PlacedKernel
from kernelopt._families.dictionary.lists._auto import of_categories
from kernelopt._families.dictionary.seen._places import Some


@attrs.frozen
class WithNames(Some):
    """All columns, of which some are seen by the indicators of their numbers.

    Attributes:
        names: the places of these.
    """

    names: tuple[int, ...] = ()

    def words(self, names: tuple[str, ...]) -> str:
        called = ", ".join(names[j] if names else f"x{j}" for j in self.names)
        return f"all columns, {called} as {'a name' if len(self.names) == 1 else 'names'}"


def with_names(layout: Layout, names: Collection[int]) -> tuple[PlacedKernel, ...]:
    """Gaussians, Laplacians and the quadratic kernel of all columns, in which these columns of numbers are names and
    those of few whole numbers are categories too.
    """
    held = {} if layout.further is None else layout.further.indicators(layout.numbers)
    numbers = (held.get(j, (j,)) for j in range(layout.numbers) if j not in names)
    groups = () if layout.groups is None else layout.groups.places(layout.grouped)
    pairs = zip(layout.numbered_columns, layout.number_spans, strict=True)
    spans = (range(span.start, span.stop) for one, span in pairs if one.column in names)
    place = WithNames(tuple(chain.from_iterable((*numbers, *groups, *spans))), names=tuple(sorted(names)))
    return tuple(PlacedKernel(kernel, place) for kernel in of_categories(layout.columns))
