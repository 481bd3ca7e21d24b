"""The kernel of a family between rows, on a device: by its closed form, or computed in memory and moved there."""

import attrs

from kernelopt._base._typing import FloatArray
from kernelopt._device._arrays import Array, Arrays
from kernelopt._device._distances import Base
from kernelopt._device._kernels import Kernels
from kernelopt._families._closed_forms import ClosedFormFamily
from kernelopt._families._contract import KernelFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture, Part


@attrs.frozen(eq=False)
class SeenRows:
    """Rows as a family's kernels see them.

    Attributes:
        X: as the family gets them, in memory, shape (n, d).
        there: as its closed forms see them, on the device, shape (n, d'); None where it has none.
    """

    X: FloatArray
    there: Array | None

    def __getitem__(self, rows: slice) -> "SeenRows":
        return SeenRows(self.X[rows], None if self.there is None else self.there[rows, :])


@attrs.frozen(eq=False)
class DeviceKernel:
    """A kernel of a family.

    Attributes:
        arrays: of the device.
        family: prepared.
        part: the kernel.
        closed: its closed form; None where it has none.
    """

    arrays: Arrays
    family: KernelFamily
    part: Part
    closed: Kernels | None

    @classmethod
    def of(cls, arrays: Arrays, family: KernelFamily, part: Part) -> "DeviceKernel":
        """By its closed form, where the family knows one, and does not know better in memory."""
        if not isinstance(family, ClosedFormFamily) or (arrays.plain and family.codes_rows):
            return cls(arrays, family, part, None)
        return cls(arrays, family, part, family.closed(part))

    def seen(self, X: FloatArray, apart: Arrays | None = None) -> SeenRows:
        """Rows X (n, d), of which what closed forms see is moved, in the precision of `apart` where that is given."""
        if self.closed is None:
            return SeenRows(X, None)
        assert isinstance(self.family, ClosedFormFamily)
        return SeenRows(X, (apart or self.arrays).put(self.family.seen(X)))

    def between(self, Z: SeenRows, X: SeenRows) -> Array:
        """The kernel between rows Z (n', ...) and X (n, ...), shape (n', n), on the device."""
        if self.closed is None:
            return self.arrays.put(self.family.cross(self.part, Z.X, X.X))
        return self.closed.between(self.arrays, Z.there, X.there)


@attrs.frozen(eq=False)
class _Term:
    """One kernel of a sum.

    Attributes:
        kernel: it.
        factor: how much it counts.
        rows: as its family sees them.
        views: as its closed forms see them; none where it has no closed form.
        apart: with which precision distances between them are computed; None: that of the sum.
    """

    kernel: DeviceKernel
    factor: float
    rows: SeenRows
    views: tuple[Array, ...]
    apart: Arrays | None

    @classmethod
    def of(cls, arrays: Arrays, leaf: Leaf, part: Part, X: FloatArray, apart: Arrays | None) -> "_Term":
        kernel = DeviceKernel.of(arrays, *leaf.family.compact(part))
        rows = kernel.seen(leaf.view(X), apart)
        closed = kernel.closed
        views = () if closed is None else closed.views(apart or arrays, rows.there)
        return cls(kernel, leaf.factor, rows, views, apart)

    def between(self, rows: slice, columns: slice) -> Array:
        closed = self.kernel.closed
        if closed is None:
            return self.kernel.between(self.rows[rows], self.rows[columns]) * self.factor
        some, others = (tuple(view[one, :] for view in self.views) for one in (rows, columns))
        found = closed.between_views(self.kernel.arrays, some, others, self.apart)
        found *= self.factor
        return found


@attrs.frozen(eq=False)
class DeviceSum:
    """A mixture of several leaves between training rows, each of which every kernel sees once.

    Attributes:
        terms: the kernels.
    """

    terms: tuple[_Term, ...]

    @classmethod
    def of(
        cls,
        arrays: Arrays,
        leaves: tuple[Leaf, ...],
        mixture: Mixture,
        X: FloatArray,
        apart: Arrays | None = None,
    ) -> "DeviceSum":
        """Between rows X (n, d); each leaf by what prediction needs of it.

        Args:
            arrays: of the sum.
            leaves: the families.
            mixture: of their atoms.
            X: the rows.
            apart: with which precision distances are computed; None: that of the sum.
        """
        pairs = zip(leaves, mixture.parts, strict=True)
        return cls(tuple(_Term.of(arrays, leaf, part, X, apart) for leaf, part in pairs if part.mass > 0.0))

    @property
    def bases(self) -> frozenset[Base]:
        """The numbers that kernels are functions of which have a closed form."""
        return frozenset[Base]().union(*(closed.bases for term in self.terms if (closed := term.kernel.closed)))

    def between(self, rows: slice, columns: slice) -> Array:
        """The kernel between some of the rows and others, shape (k, k')."""
        first, *others = (term.between(rows, columns) for term in self.terms)
        for block in others:
            first += block
        return first
