"""How the kernels of a list see rows: numbers in units of a frame, with what stands behind them."""

import attrs

from kernelopt._base._typing import FloatArray
from kernelopt._families.dictionary.columns._category_groups import Groups
from kernelopt._families.dictionary.columns._column_layout import Layout
from kernelopt._families.dictionary.columns._further_columns import Further
from kernelopt._families.dictionary.columns._numbered_columns import with_numbered
from kernelopt._families.dictionary.columns._standard_columns import Frame, rescaled
from kernelopt._families.dictionary.kernels._pairwise import middle
from kernelopt._families.dictionary.seen._coded_columns import View


@attrs.frozen(eq=False)
class Preprocessing:
    """From rows as they came to rows as kernels see them, which `Layout` says the columns of.

    Attributes:
        frame: the units of the columns of numbers; None where rows are seen as they came.
        further: what stands behind the numbers; None where that is nothing.
        groups: the indicators of categories, which stand behind that; None where all columns are numbers.
    """

    frame: Frame | None
    further: Further | None
    groups: Groups | None

    def numbers(self, X: FloatArray) -> FloatArray:
        """The columns of rows X (n, d) that hold numbers, shape (n, p)."""
        return X if self.groups is None else X[:, : self.groups.numbers]

    def rows(self, X: FloatArray) -> View:
        """Rows X (n, d) as kernels see them, shape (n, D), without the indicators of many categories."""
        if self.frame is None:
            return X
        numbers = self.numbers(X)
        own = rescaled(numbers, self.frame) if self.further is None else self.further.behind(numbers, self.frame)
        rows = own if self.groups is None else self.groups.behind(own, X)
        return with_numbered(rows, numbers, () if self.further is None else self.further.numbered)

    def centre(self, X: FloatArray | None) -> FloatArray | None:
        """Where squared distances of all columns are measured from, shape (d,): the middle of rows X (n, d) that are
        seen as they came; None: from 0.
        """
        return None if X is None or self.frame is not None else middle(X)

    def layout(self, d: int) -> Layout:
        """Where kernels see which columns of rows that came with d."""
        return Layout(d if self.groups is None else self.groups.numbers, self.further, self.groups)

    @property
    def framed(self) -> Layout | None:
        """The same where the frame says how many columns of numbers there are; None where there is no frame."""
        return None if self.frame is None else self.layout(len(self.frame[0]))
