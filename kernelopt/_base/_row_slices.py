"""Rows of a matrix, some after the others."""


def row_slices(n: int, size: int) -> list[slice]:
    """The slices of n rows, each of `size` rows, the last one of those that are left."""
    return [slice(i, min(i + size, n)) for i in range(0, n, size)]
