"""Where the columns stand that the kernels of a list see."""

import attrs

from kernelopt._families.dictionary._category_groups import Groups
from kernelopt._families.dictionary._coded_columns import Span
from kernelopt._families.dictionary._further_columns import Further
from kernelopt._families.dictionary._numbered_columns import spans_of


@attrs.frozen(eq=False)
class Layout:
    """Numbers first, then their further columns, then the indicators of categories, then those of numbers.

    Attributes:
        numbers: how many columns hold numbers.
        further: what stands behind these.
        groups: what stands behind that.
    """

    numbers: int
    further: Further | None
    groups: Groups | None

    @property
    def grouped(self) -> int:
        """Where the indicators of categories begin."""
        return self.numbers if self.further is None else self.further.end(self.numbers)

    @property
    def numbered(self) -> int:
        """Where the indicators of numbers begin."""
        return self.grouped if self.groups is None else self.groups.end(self.grouped)

    @property
    def number_spans(self) -> tuple[Span, ...]:
        """Those of each column of whole numbers that may be names."""
        return () if self.further is None else spans_of(self.further.numbered, self.numbered)

    @property
    def coded(self) -> tuple[Span, ...]:
        """The indicators that rows hold as codes."""
        many = () if self.groups is None else self.groups.many(self.grouped)
        return many + self.number_spans

    @property
    def width(self) -> int:
        """How many columns there are."""
        return self.numbered + sum(span.size for span in self.number_spans)
