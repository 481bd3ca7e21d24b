"""Rows in blocks, parted by chance into those that are learned from and those that are held out."""

import attrs
import numpy as np

from kernelopt._rows._contract import Given, Piece, RowBlocks


@attrs.frozen(eq=False)
class SomeRows(Piece):
    """Some rows of a piece, chosen by chance; the others are those of the same piece with `held` the other way.

    Attributes:
        piece: all of them.
        number: of the piece among all, so that each has a chance of its own, which is not that of a generator of the
            same seed: the rows may have been drawn with one.
        share: of the rows that are held out, in (0, 1).
        seed: of the choice.
        held: whether these are the rows that are held out.
    """

    piece: Piece
    number: int
    share: float
    seed: int
    held: bool

    def read(self) -> Given:
        given = self.piece.read()
        chance = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(self.number,)))
        out = chance.random(len(given)) < self.share
        out[0] = False  # a piece with no row left could not be learned from
        return given[np.flatnonzero(out == self.held)]


def parted(blocks: RowBlocks, share: float, seed: int) -> tuple[RowBlocks, RowBlocks]:
    """The rows without those that are held out, and those, which are about so large a share of them."""
    left, held = (
        tuple(SomeRows(piece, k, share, seed, side) for k, piece in enumerate(blocks.pieces)) for side in (False, True)
    )
    return attrs.evolve(blocks, pieces=left), attrs.evolve(blocks, pieces=held)
