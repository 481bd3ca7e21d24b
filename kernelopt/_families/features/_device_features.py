"""Features of explicit lists that are computed on a device, block by block, and never held.

Landmarks' kernels are computed where they have a closed form, and else moved, as all other features are.
"""

from collections.abc import Iterator

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._device._arrays import Array, Arrays
from kernelopt._device._blocks import DeviceBlock, Factor
from kernelopt._families._leaf import Leaf
from kernelopt._families.features._device_kernel import DeviceKernel, SeenRows
from kernelopt._families.features._feature_columns import columns_of, image_of
from kernelopt._families.features._landmarks import Landmarks, Spanned
from kernelopt._families.variances._constant import Constant

_ENTRIES = 1 << 23
"""Features that are computed at once: 64 MiB of them, so that a graphics card has enough to do, and some arrays of this
size fit beside each other."""


@attrs.frozen(eq=False)
class _Span:
    """Landmarks of a kernel, on a device.

    Attributes:
        kernel: the kernel.
        rows: the landmarks Z, r rows.
        factor: L, shape (r, r).
    """

    kernel: DeviceKernel
    rows: SeenRows
    factor: Factor

    @classmethod
    def of(cls, arrays: Arrays, one: Spanned) -> "_Span":
        kernel = DeviceKernel.of(arrays, one.family, one.part)
        return cls(kernel, kernel.seen(one.rows), Factor.of(arrays, one.lower))

    def features(self, X: SeenRows) -> Array:
        """phi of rows, shape (k, r)."""
        return self.factor.features(self.kernel.between(X, self.rows))

    def image(self, X: SeenRows, B: FloatArray) -> Array:
        """phi'B of rows for B (r, c), shape (k, c)."""
        return self.kernel.between(X, self.rows) @ self.factor.solved(B)


@attrs.frozen(eq=False)
class DeviceFeatures:
    """The features of some leaves on a device.

    Attributes:
        arrays: of the device.
        leaves: explicit lists.
        spans: of each leaf the landmarks of its kernels; None of one whose features are moved.
    """

    arrays: Arrays
    leaves: tuple[Leaf, ...]
    spans: tuple[tuple[_Span, ...] | None, ...]

    @classmethod
    def of(cls, arrays: Arrays, leaves: tuple[Leaf, ...]) -> "DeviceFeatures":
        """Those of all atoms of the leaves."""
        return cls(arrays, leaves, tuple(_spans(arrays, leaf) for leaf in leaves))

    def at_once(self, width: int) -> int:
        """Of so many rows so many features are computed at once."""
        return max(_ENTRIES // max(width, 1), 1)

    def block(self, X: FloatArray) -> DeviceBlock:
        """Phi of rows X (k, d)."""
        pieces = [piece for leaf, spans in self._pairs() for piece in self._pieces(leaf, spans, X)]
        whole = pieces[0] if len(pieces) == 1 else self.arrays.xp.concat(pieces, axis=1)
        return DeviceBlock(self.arrays, whole)

    def whole(self, X: FloatArray) -> DeviceBlock:
        """Phi of many rows X (n, d), of which it holds all, and computes some at once."""
        width = self.block(X[:1]).values.shape[1]
        values, size = self.arrays.zeros(len(X), width), self.at_once(width)
        for i in range(0, len(X), size):
            j = min(i + size, len(X))
            values[i:j, :] = self.block(X[i:j]).values
        return DeviceBlock(self.arrays, values)

    def image(self, X: FloatArray, B: FloatArray) -> FloatArray:
        """Phi B of rows X (k, d) for B (r, c), shape (k, c): O(r) for each row of landmarks."""
        total, start = self.arrays.zeros(len(X), B.shape[1]), 0
        for leaf, spans in self._pairs():
            if spans is None:
                width = columns_of(leaf, X[:1])[0].shape[1]
                total += self.arrays.put(image_of(leaf, X, B[start : start + width]))
                start += width
                continue
            root = float(np.sqrt(leaf.factor))
            for span, rows in _seen(spans, leaf.view(X)):
                width = len(span.factor)
                total += span.image(rows, root * B[start : start + width])
                start += width
        return self.arrays.back(total)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know: what was computed there, and of which families the kernels were not."""
        others = (leaf.family for leaf, spans in self._pairs() if spans is None)
        kernels = (span.kernel for _, spans in self._pairs() for span in spans or ())
        moved = {family.name for family in others if not isinstance(family, Constant)}
        moved |= {kernel.family.name for kernel in kernels if kernel.closed is None}
        where = f"device: the rows were summed up on {self.arrays.name}"
        if not moved:
            return (where,)
        names = " and ".join(sorted(moved))
        return where, f"device: {names} has values without a closed form, which were computed in memory and moved there"

    def _pairs(self) -> Iterator[tuple[Leaf, tuple[_Span, ...] | None]]:
        return zip(self.leaves, self.spans, strict=True)

    def _pieces(self, leaf: Leaf, spans: tuple[_Span, ...] | None, X: FloatArray) -> Iterator[Array]:
        """The features of a leaf, with its factor, side by side."""
        if spans is None:
            yield self.arrays.put(columns_of(leaf, X)[0])
            return
        root = float(np.sqrt(leaf.factor))
        for span, rows in _seen(spans, leaf.view(X)):
            phi = span.features(rows)
            yield phi if root == 1.0 else phi * root


def _spans(arrays: Arrays, leaf: Leaf) -> tuple[_Span, ...] | None:
    """The landmarks of a leaf's kernels; None where it has none."""
    return tuple(_Span.of(arrays, one) for one in leaf.family.kernels) if isinstance(leaf.family, Landmarks) else None


def _seen(spans: tuple[_Span, ...], X: FloatArray) -> Iterator[tuple[_Span, SeenRows]]:
    """The kernels with rows X (k, d) as they see them, which those of one family share."""
    known: dict[int, SeenRows] = {}
    for span in spans:
        key = id(span.kernel.family) if span.kernel.closed is not None else 0
        if key not in known:
            known[key] = span.kernel.seen(X)
        yield span, known[key]
