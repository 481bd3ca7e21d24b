"""What rows that lack a view have to themselves: the part of their targets that the view would have told of."""

from collections.abc import Sequence
from typing import ClassVar

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Part
from kernelopt._families.variances._variance import Variance
from kernelopt._linalg._gram import Gram, LowRank


@attrs.frozen
class Lacking(Variance):
    """The kernel k(x, z) = 1 if x and z are the same sample and it lacks a view, and 0 otherwise.

    A row that lacks a view stands at the mean of the others in the feature space of the view's kernels. What the view
    would have added to this mean differs from row to row and nobody knows it; the learned weight is its variance. So
    such a row says less of the function that all rows share, and a new row that lacks the view is predicted with a
    larger standard deviation. Two rows with equal values are two samples, as with `Delta`, so that `cross` is 0. Copies
    that a weight of a row stands for are one sample.

    Attributes:
        view: the name of the view.
    """

    name: ClassVar[str] = "lacking"

    view: str = ""

    @property
    def reads_codes(self) -> bool:
        return True  # it looks at no number

    def dictionary(self) -> Part:
        return Part(np.zeros((1, 0)), np.ones(1))

    def bind(self, X: FloatArray) -> FloatArray:
        """1 for each row that lacks the view, else 0, shape (n,)."""
        return np.asarray(np.isnan(X).all(axis=1), dtype=np.float64)

    def bind_bytes(self, n: int, d: int) -> int:  # noqa: ARG002
        return 8 * n

    def gram(self, part: Part, data: FloatArray) -> Gram:
        return LowRank(np.zeros((len(data), 0)), part.mass * data)

    def columns_of(self, data: FloatArray, V: FloatArray) -> FloatArray:
        return np.asarray((data[:, None] * V)[None])

    def traces(self, data: FloatArray, omega: Gram) -> FloatArray:
        return np.array([float(omega.diag() @ data)])

    def cross(self, part: Part, Z: FloatArray, X: FloatArray) -> FloatArray:  # noqa: ARG002
        return np.zeros((len(Z), len(X)))

    def diag(self, part: Part, X: FloatArray) -> FloatArray:
        return np.asarray(part.mass * self.bind(X))

    def apart(self, part: Part, X: FloatArray) -> FloatArray:
        return self.diag(part, X)

    def describe(self, part: Part) -> str:
        return f"rows without {self.view!r} have the variance {part.mass:.3g} to themselves"

    def label(self, atom: FloatArray) -> str:  # noqa: ARG002
        return f"rows without {self.view!r}"


def of_lacking(leaves: Sequence[Leaf]) -> tuple[Leaf, ...]:
    """A leaf for each view among these leaves that some rows lack, of what these rows have to themselves."""
    views = {leaf.group: leaf for leaf in leaves if leaf.expansion is not None and leaf.expansion.lacking}
    return tuple(Leaf(Lacking(name), leaf.columns, expansion=leaf.expansion) for name, leaf in views.items())
