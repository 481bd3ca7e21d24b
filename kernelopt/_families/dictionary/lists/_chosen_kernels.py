"""Which kernels of a list a part is made of."""

from collections.abc import Callable, Mapping

from kernelopt._families._mixture import Part
from kernelopt._families._stacked_list import numbered
from kernelopt._families.dictionary.kernels._base_kernels import Kernel, PlacedKernel
from kernelopt._families.dictionary.lists._kernels_of_names import WithNames
from kernelopt._families.dictionary.seen._leaves import Leaves
from kernelopt._families.dictionary.seen._places import Metric
from kernelopt._families.dictionary.seen._seasons import Seasons

_NOTHING = 1e-10
"""A kernel with this share of a sum, or less, does not show in the sum."""


def summed(part: Part) -> tuple[list[int], dict[int, float]]:
    """The numbers of the kernels with weight, each once, and their weights."""
    w: dict[int, float] = {}
    for a, weight in numbered(part):
        w[a] = w.get(a, 0.0) + weight
    return sorted(w), w


def joined(kernel: Kernel) -> bool:
    """Whether it joined the list that was chosen from rows, for directions, steps, names or seasons."""
    return isinstance(kernel, PlacedKernel) and isinstance(kernel.place, Metric | Leaves | WithNames | Seasons)


def worthwhile(weights: Mapping[int, float], size: Callable[[int], float]) -> list[int]:
    """The numbers of the kernels that show in an answer, ascending.

    A weight counts in units of what `normalize` makes 1, so that a kernel with a share of all weights shows. Without a
    normalisation, a kernel of large values shows with a small weight: then its share of all k(x, x) says so.

    Args:
        weights: of the kernels, by their numbers.
        size: of a kernel, the mean of its k(x, x) on the rows of the answer, times its weight.
    """
    used, least = sorted(weights), _NOTHING * sum(map(abs, weights.values()))
    faint = [a for a in used if abs(weights[a]) <= least]
    if not faint:
        return used
    sizes = {a: abs(size(a)) for a in used}
    nothing = {a for a in faint if sizes[a] <= _NOTHING * sum(sizes.values())}
    return [a for a in used if a not in nothing]
