"""Which kernels of one list stand on another."""

from collections.abc import Iterable, Sequence
from typing import Any

from kernelopt._families.dictionary.kernels._base_kernels import ColumnKernel, Kernel, PlacedKernel, opaque
from kernelopt._families.dictionary.seen._leaves import Leaves
from kernelopt._families.dictionary.seen._places import Metric, OwnUnits, Place


def matched(listed: Sequence[Kernel], other: Sequence[Kernel], used: Iterable[int]) -> dict[int, int]:
    """The place on a list of each kernel of these numbers on another list; those that it lacks are left out.

    A kernel is the one that is equal to it, or, on lists of the same length, the one of its kind at the same place: the
    width of a Gaussian may be computed from the rows, and a function may have been written anew.
    """
    found = {}
    for a in used:
        equal = next((b for b, kernel in enumerate(listed) if _equal(kernel, other[a])), None)
        if equal is None and len(listed) == len(other) and _kind(listed[a]) == _kind(other[a]) is not None:
            equal = a
        if equal is not None:
            found[a] = equal
    return found


def _equal(one: Kernel, other: Kernel) -> bool:
    """Whether two kernels are the same; functions only if they are one object."""
    if opaque(one) or opaque(other):
        return one is other
    return _options(one) == _options(other) and _seen(one) == _seen(other)


def _options(kernel: Kernel) -> Any:
    return kernel.kernel if isinstance(kernel, ColumnKernel | PlacedKernel) else kernel


def _seen(kernel: Kernel) -> Place | type[OwnUnits] | None:
    """What it sees of a row; None if that is all columns. Units are computed from the rows, and do not tell kernels
    apart.
    """
    place = kernel.place if isinstance(kernel, ColumnKernel | PlacedKernel) else None
    return OwnUnits if isinstance(place, OwnUnits) else place


def _kind(kernel: Kernel) -> tuple[str, Place | type[OwnUnits] | None] | None:
    """Its name, or none for a function, and what it sees; None for a kernel that was learned from rows."""
    if opaque(kernel):
        return "", None
    place, options = _seen(kernel), _options(kernel)
    name = options[0] if isinstance(options, tuple) else options
    return None if isinstance(place, Metric | Leaves) else (name, place)
