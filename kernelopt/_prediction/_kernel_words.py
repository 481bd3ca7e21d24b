"""What a learned kernel says of itself: in lines of words, in one line, in a table of HTML, and as a picture."""

import attrs
import numpy as np

from kernelopt._base._html import table
from kernelopt._base._svg import bars, cells
from kernelopt._base.tables._view_layout import Layout
from kernelopt._families._description import heaviest, title, told_by
from kernelopt._families._leaf import Leaf
from kernelopt._families._matrix import MatrixFamily, rows_to_show
from kernelopt._families._mixture import Mixture, Part
from kernelopt._families._named_weights import heaviest_of, named_weights
from kernelopt._families._weight_words import told

_MOST_MEMBERS = 5
_MOST_BARS, _MOST_ROWS = 10, 12
"""In a picture of a notebook."""
_NOTHING = "0, because every kernel costs more than it lowers the objective"


@attrs.frozen(eq=False)
class KernelWords:
    """A kernel, to be described.

    Attributes:
        leaves: the families, prepared.
        mixture: their atoms and weights.
        d: the number of columns as the user knows them.
        width: the same with the column of groups.
        names: of the columns, in their order, or none where they are not known.
        layout: where views lie among the columns; None where X was one matrix or table.
    """

    leaves: tuple[Leaf, ...]
    mixture: Mixture
    d: int
    width: int
    names: tuple[str, ...]
    layout: Layout | None

    @property
    def lines(self) -> str:
        """The mixture in words and numbers, one line for each family that has weight, in their order."""
        lines = [
            f"{title(leaf, self.d, self.names)}: {told_by(leaf, part, self.names)} "
            f"(weight {part.mass:.3g}, scale {leaf.factor:.3g}{self._seen(leaf)})"
            for leaf, part in zip(self.leaves, self.mixture.parts, strict=True)
            if part.mass > 0.0
        ]
        return "\n".join(lines) or _NOTHING

    def _seen(self, leaf: Leaf) -> str:
        """How many columns of the user's a family sees, in words; none where it sees the groups alone."""
        if (leaf.columns >= self.d).all():
            return ""
        sparse = {} if self.layout is None else self.layout.sparse
        basis = next((basis for span, basis in sparse.items() if leaf.columns[0] in span), None)
        if basis is not None and len(sparse) == 1:
            return f", {basis.told} of {basis.width} sparse columns"
        return f", {len(leaf.columns)} of {self.d} columns"

    @property
    def short(self) -> str:
        """The heaviest families in one line."""
        members = list(heaviest(self.leaves, self.mixture))
        if not members:
            return _NOTHING
        words = [
            f"{title(leaf, self.d, self.names)} (weight {told(part.mass)}): {told_by(leaf, part, self.names)}"
            for leaf, part in members[:_MOST_MEMBERS]
        ]
        more = len(members) - len(words)
        return "; ".join(words) + (f"; and {more} more" if more > 0 else "")

    @property
    def html(self) -> str:
        """A table with a line for each family that has weight, and the picture."""
        rows = [
            (
                f"{title(leaf, self.d, self.names)} (weight {told(part.mass)})",
                told_by(leaf, part, self.names),
            )
            for leaf, part in heaviest(self.leaves, self.mixture)
        ]
        return table("Learned kernel", rows or [("no family", _NOTHING)], [self.picture])

    @property
    def picture(self) -> str:
        """Its weights, or P of a matrix family that is alone, as a picture of HTML; "" of a single kernel."""
        pairs = zip(self.leaves, self.mixture.parts, strict=True)
        members = [(leaf, part) for leaf, part in pairs if part.mass > 0.0]
        if len(members) == 1 and isinstance(members[0][0].family, MatrixFamily):
            return self._matrix(*members[0])
        words, weights = named_weights(self.leaves, self.mixture, self.d, self.names, atoms=True)
        words, weights = heaviest_of(words, weights, _MOST_BARS)
        return bars(words, weights.tolist(), "the weights of the learned kernel") if len(words) > 1 else ""

    def _matrix(self, leaf: Leaf, part: Part) -> str:
        """The rows of P with the largest diagonal entries."""
        family = leaf.family
        assert isinstance(family, MatrixFamily)
        P = family.matrix(part)
        shown = rows_to_show(family, P, _MOST_ROWS)
        names = self.names or tuple(f"x{j}" for j in range(self.width))
        words = family.coordinates(leaf.called(names)) or tuple(map(str, range(len(P))))
        return cells(P[np.ix_(shown, shown)], [words[k] for k in shown], f"P of {family.name}")
