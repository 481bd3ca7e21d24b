"""The first target of rows in blocks that is a word and no number."""

import attrs

from kernelopt._base.tables._number_words import first_other
from kernelopt._rows._contract import Piece, RowBlocks


def first_word(blocks: RowBlocks, unit: str) -> tuple[str, str] | None:
    """The first target that is no number, nor one with this unit, and where it stands; None if there is none."""
    return blocks.passes.total(blocks.pieces, _Looking(unit))[0].found


@attrs.frozen
class _Seen:
    """What was found so far, in the order of the rows."""

    found: tuple[str, str] | None

    def plus(self, other: "_Seen") -> "_Seen":
        return other if self.found is None else self


@attrs.frozen
class _Looking:
    """Looks through a piece for a target that is no number, nor one with this unit."""

    unit: str

    def __call__(self, piece: Piece) -> _Seen:
        targets = piece.read().targets
        if targets.dtype.kind not in "US":
            return _Seen(None)
        found = first_other([str(word) for word in targets.ravel().tolist()], self.unit)
        return _Seen(None if found is None else (found[1], piece.place(found[0])))
