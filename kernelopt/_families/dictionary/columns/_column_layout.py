"""Where the columns stand that the kernels of a list see."""

import attrs

from kernelopt._families.dictionary.columns._category_groups import Groups
from kernelopt._families.dictionary.columns._further_columns import Further, Numbered
from kernelopt._families.dictionary.columns._numbered_columns import spans_of
from kernelopt._families.dictionary.seen._coded_columns import Span


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
    def columns(self) -> int:
        """The number of columns of which rows tell."""
        return self.numbers if self.groups is None else self.groups.columns

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
        return spans_of(self.numbered_columns, self.numbered)

    @property
    def numbered_columns(self) -> tuple[Numbered, ...]:
        """These columns."""
        return () if self.further is None else self.further.numbered

    @property
    def coded(self) -> tuple[Span, ...]:
        """The indicators that rows hold as codes."""
        many = () if self.groups is None else self.groups.many(self.grouped)
        return many + self.number_spans

    @property
    def apart(self) -> tuple[tuple[int, ...], ...]:
        """The columns that a width each makes sense for: each number, by its rank where it has heavy tails, and the
        indicators of each column of few categories together.
        """
        numbers = range(self.numbers) if self.further is None else self.further.ranked(self.numbers)
        groups = () if self.groups is None else self.groups.places(self.grouped)
        many = {span.start for span in self.coded}
        return (*((j,) for j in numbers), *(group for group in groups if group[0] not in many))

    @property
    def width(self) -> int:
        """How many columns there are."""
        return self.numbered + sum(span.size for span in self.number_spans)

    def named(self, columns: tuple[str, ...]) -> tuple[str, ...]:
        """Names for all columns, from those of what the family sees."""
        numbers = columns if self.groups is None else columns[: self.numbers]
        names = numbers if self.further is None else self.further.named(numbers)
        names = names if self.groups is None else self.groups.named(names, columns)
        ends = (
            f"{columns[one.column]} = a number" for one in self.numbered_columns for _ in range(len(one.values) + 1)
        )
        return (*names, *ends)
