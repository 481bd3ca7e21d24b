"""In which parts a Gram is computed, held and looked at."""

from collections.abc import Iterator

from kernelopt._linalg._gram import ROW_BLOCK

_CACHED = 1 << 16
"""Entries of a block: what is computed from it is still in the cache."""
_ACROSS = 1 << 9
"""Columns of a tile: both sides of it are long enough for products of rows to run at full speed."""
_DEEP, _TALL = 8, 128
"""A block has a row for every so many numbers of a row, and no more rows than that for their sake."""
_SHORT = 128
"""To look at a product with so many rows takes some microseconds more than at one with half as many. A guard."""
_HELD = 1 << 18
"""Entries of a block of a Gram that is held."""


def heights(n: int, width: int, deep: int = 0) -> list[slice]:
    """The rows 0 to n in blocks that suit the cache, for a Gram of so many columns.

    Where rows are seen as many numbers, `deep` at most, blocks are taller than that: each reads these numbers of all
    columns' rows once, which takes longer than to fetch the block's entries again.
    """
    height = max(_CACHED // max(width, 1), min(deep // _DEEP, _TALL), 1)
    return [slice(i, min(i + height, n)) for i in range(0, n, height)]


def row_blocks(n: int) -> list[slice]:
    """The rows 0 to n, so many at a time as are seen at once with all that stands behind their columns."""
    return [slice(i, min(i + ROW_BLOCK, n)) for i in range(0, n, ROW_BLOCK)]


def tiles(n: int, width: int) -> Iterator[tuple[slice, slice]]:
    """The rows 0 to n and the columns 0 to the width of a Gram in tiles that suit the cache."""
    if n * width <= _CACHED:
        yield slice(0, n), slice(0, width)
        return
    across = [slice(i, min(i + _ACROSS, width)) for i in range(0, width, _ACROSS)]
    for rows in heights(n, min(width, _ACROSS)):
        yield from ((rows, columns) for columns in across)


def lower_tiles(n: int) -> Iterator[tuple[slice, list[slice]]]:
    """The rows 0 to n of a symmetric matrix in blocks, and for each all columns up to the diagonal and the rest of a
    square on it, in tiles that suit the cache.
    """
    height = max(n if n * n <= _CACHED else _CACHED // _ACROSS, 1)
    for i in range(0, n, height):
        end = min(i + height, n)
        lefts = range(0, max(i, 1), _ACROSS)
        yield slice(i, end), [slice(j, end if j == lefts[-1] else j + _ACROSS) for j in lefts]


def shelves(n: int) -> list[slice]:
    """The rows 0 to n of a Gram that is held by its lower half, in blocks: of an eighth at most, so that little above
    the diagonal is held too, unless so few would take longer to look at one after the other.
    """
    height = max(min(_shelf(n), _HELD // n), 1)
    return [slice(i, min(i + height, n)) for i in range(0, n, height)]


def tiled_bytes(n: int) -> int:
    """What a Gram on n rows takes at most where its lower half is held."""
    return 4 * n * (n + _shelf(n))


def _shelf(n: int) -> int:
    return max(-(-n // 8), min(n, _SHORT))
