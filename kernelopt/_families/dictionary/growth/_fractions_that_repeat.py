"""Columns of fractions that may be names: their numbers stand in several rows each, and rows that were held out decide.

An example is a pressure that a machine had for an hour: rows with the same number are then from the same hour. Whole
numbers are compared from the beginning, for they are names more often.
"""

from collections.abc import Sequence

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._families.dictionary.columns._column_layout import Layout
from kernelopt._families.dictionary.columns._further_columns import APART, Further, numbered_columns, whole
from kernelopt._families.dictionary.columns._numbered_columns import comparing, widened
from kernelopt._families.dictionary.kernels._base_kernels import Kernel, PlacedKernel
from kernelopt._families.dictionary.seen._places import Some


@attrs.frozen(eq=False)
class Offer:
    """A list of kernels with those that compare such columns.

    Attributes:
        kernels: all of them, the new ones at the end.
        further: what stands behind the numbers.
        sizes: k(x, x) of the new kernels, one for each of them.
    """

    kernels: tuple[Kernel, ...]
    further: Further
    sizes: FloatArray


def offer(X: FloatArray, weight: FloatArray, kernels: Sequence[Kernel], layout: Layout) -> Offer | None:
    """What the columns of rows X (n, d) of weights (n,) add to a list of kernels on them; None: nothing."""
    known = {one.column for one in layout.numbered_columns}
    found = numbered_columns(X, [len(np.unique(x)) for x in X.T], weight)
    new = tuple(one for one in found if not whole(one.values) and one.column not in known)
    if not new:
        return None
    further = Further((), ()) if layout.further is None else layout.further
    further = attrs.evolve(further, numbered=(*further.numbered, *new))
    larger = attrs.evolve(layout, further=further)
    same = widened([_seeing_no_more(kernel, layout.width) for kernel in kernels], larger.width)
    compared = comparing(larger.number_spans[-len(new) :])
    return Offer((*same, *compared), further, np.full(len(compared), APART**2))


def _seeing_no_more(kernel: Kernel, before: int) -> Kernel:
    """The kernel of a chosen list on rows that had `before` columns, for the same rows with more."""
    return PlacedKernel(kernel, Some(tuple(range(before)))) if isinstance(kernel, tuple) else kernel
