"""Rows as the kernels of a list see them, of which some can be taken."""

from collections.abc import Mapping

import attrs

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families.dictionary.seen._coded_columns import View, depth


@attrs.frozen(eq=False)
class Seen:
    """Rows as kernels see them.

    Attributes:
        X: as they are.
        views: from each place of a list, shape (n, d').
        inverse_lengths: of each kernel by its number, shape (n,); of none where nothing is brought to length 1.
        lifted: views lifted from their centre, for squared distances, shape (n, d' + 2); None where nothing asks for
            them.
        felt: from each place, the largest |x|^2 of all rows, times the steepness of the kernels that see it.
        in_all: how many rows there are, of which these are some.
    """

    X: View
    views: tuple[View, ...]
    inverse_lengths: Mapping[int, FloatArray]
    lifted: tuple[FloatArray | None, ...]
    felt: tuple[float, ...]
    in_all: int

    @property
    def deep(self) -> int:
        """As how many numbers and codes a row is seen at most."""
        return max(map(depth, self.views), default=0)

    def __len__(self) -> int:
        return len(self.X)

    def __getitem__(self, rows: slice | IntArray) -> "Seen":
        lengths = {number: one[rows] for number, one in self.inverse_lengths.items()}
        lifts = tuple(None if one is None else one[rows] for one in self.lifted)
        return Seen(self.X[rows], tuple(view[rows] for view in self.views), lengths, lifts, self.felt, self.in_all)
