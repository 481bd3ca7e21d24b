"""Kernels in closed form between two blocks of rows: sums of functions of products and distances."""

from typing import Any, Protocol

import attrs

from kernelopt._device._arrays import Array, Arrays
from kernelopt._device._distances import Base, between
from kernelopt._linalg._decay import Decay, add_column_decays, add_decayed, steepest


class View(Protocol):
    """What a kernel sees of rows: all columns, some of them, or a linear image."""

    def there(self, arrays: Arrays, X: Array) -> Array:
        """Rows X (n, d) of the device as they are seen, shape (n, d')."""


class PointForm(Protocol):
    """A kernel that is a function of one number for each two rows."""

    @property
    def base(self) -> Base:
        """What that number is."""

    def there(self, xp: Any, base: Array, width: int) -> Array:
        """The kernel's values from that number, shape (n', n), between rows of `width` columns.

        Args:
            xp: the functions of the standard.
            base: the numbers, shape (n', n).
            width: of the rows as they are seen.
        """

    def decay(self, width: int) -> Decay | None:
        """How it falls, on rows of `width` columns, where it is an exponential of that number or of its root."""


@attrs.frozen(eq=False)
class Kernels:
    """A sum of kernels.

    Attributes:
        groups: views, each with the kernels that see rows from there and how much each of them counts.
    """

    groups: tuple[tuple[View, tuple[tuple[float, PointForm], ...]], ...]

    @property
    def bases(self) -> frozenset[Base]:
        """The numbers that the kernels are functions of."""
        return frozenset(form.base for _, members in self.groups for _, form in members)

    def between(self, arrays: Arrays, Z: Array, X: Array) -> Array:
        """The sum between rows Z (n', d) and X (n, d) of the device, shape (n', n)."""
        return self.between_views(arrays, self.views(arrays, Z), self.views(arrays, X))

    def views(self, arrays: Arrays, X: Array) -> tuple[Array, ...]:
        """Rows X (n, d) of the device as each view sees them, (n, d') each."""
        return tuple(view.there(arrays, X) for view, _ in self.groups)

    def between_views(
        self, arrays: Arrays, Z: tuple[Array, ...], X: tuple[Array, ...], apart: Arrays | None = None
    ) -> Array:
        """The sum between rows that were seen before, shape (n', n).

        Args:
            arrays: of the sum.
            Z: some rows, in the precision of `apart`.
            X: others.
            apart: with which precision distances are computed; None: that of the sum.
        """
        total = arrays.zeros(Z[0].shape[0], X[0].shape[0])
        apart = arrays if apart is None else apart
        for z, x, (_, members) in zip(Z, X, self.groups, strict=True):
            width = x.shape[1]
            if arrays.plain and arrays.single and width == 1:
                columns = [(weight, form.decay(1)) for weight, form in members if form.base == "squares"]
                flat = [(weight, decay) for weight, decay in columns if decay is not None and not decay.rooted]
                if len(flat) == len(members):
                    add_column_decays(z[:, 0], x[:, 0], flat, total)
                    continue
            for base in dict.fromkeys(form.base for _, form in members):
                steepness = steepest(form.decay(width) for _, form in members if form.base == base)
                numbers = between(apart, base, z, x, steepness)
                numbers = numbers if apart.single == arrays.single else arrays.xp.astype(numbers, arrays.dtype)
                added(arrays, numbers, [one for one in members if one[1].base == base], width, total)
        return total


def added(arrays: Arrays, numbers: Array, members: list[tuple[float, PointForm]], width: int, total: Array) -> None:
    """Add kernels that are functions of the same numbers (n', n), each as much as it counts, to a total (n', n)."""
    decays = [(weight, form.decay(width) if arrays.plain else None) for weight, form in members]
    for weight, form in (one for one, (_, decay) in zip(members, decays, strict=True) if decay is None):
        total += form.there(arrays.xp, numbers, width) * weight
    fast = [(weight, decay) for weight, decay in decays if decay is not None]
    if fast:
        add_decayed(numbers, fast, total)
