"""Which kernels of a list a part is made of."""

from kernelopt._families._mixture import Part
from kernelopt._families.dictionary._base_kernels import Kernel, PlacedKernel
from kernelopt._families.dictionary._leaves import Leaves
from kernelopt._families.dictionary._places import Metric


def summed(part: Part) -> tuple[list[int], dict[int, float]]:
    """The numbers of the kernels with weight, each once, and their weights."""
    w: dict[int, float] = {}
    for a, weight in chosen(part):
        w[a] = w.get(a, 0.0) + weight
    return sorted(w), w


def chosen(part: Part) -> list[tuple[int, float]]:
    """(kernel number, weight) of the atoms with weight."""
    return [(int(a), float(w)) for a, w in zip(part.atoms[:, 0], part.weights, strict=True) if w != 0.0]


def joined(kernel: Kernel) -> bool:
    """Whether it was added to the list for a function's directions, or for the steps of the targets."""
    return isinstance(kernel, PlacedKernel) and isinstance(kernel.place, Metric | Leaves)
