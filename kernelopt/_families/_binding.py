"""What leaves bind of their rows: all of them, or nothing n x n."""

import attrs

from kernelopt._families._contract import KernelFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._unbound import Loose, loose
from kernelopt._families.dictionary._dictionary import Dictionary
from kernelopt._families.dictionary._streamed import Streamed, half_held
from kernelopt._families.features._row_lists import RowList


def loosened(leaves: tuple[Leaf, ...]) -> tuple[Leaf, ...]:
    """The leaves with families that bind nothing n x n."""
    return tuple(attrs.evolve(leaf, family=loose(leaf.family, _streaming(leaf.family))) for leaf in leaves)


def _streaming(family: KernelFamily) -> KernelFamily | None:
    """A list whose Grams are computed whenever they are looked at; None for other families."""
    return Streamed(family) if isinstance(family, Dictionary) else None


def unbound(leaves: tuple[Leaf, ...]) -> bool:
    """Whether these bind nothing n x n, as `loosened` has them: a product with their Gram computes its entries anew."""
    return any(isinstance(leaf.family, Loose) for leaf in leaves)


def tightened(leaves: tuple[Leaf, ...]) -> tuple[Leaf, ...]:
    """The leaves with the families that bind all their rows."""
    return tuple(
        attrs.evolve(leaf, family=leaf.family.family) if isinstance(leaf.family, Loose | RowList | Streamed) else leaf
        for leaf in leaves
    )


def of_a_set(leaves: tuple[Leaf, ...], n: int) -> tuple[Leaf, ...]:
    """The leaves with families that bind all of n rows, which a solver looks at in every step: `tightened`, but that
    long lists are held by halves and as features.
    """
    return half_held(tightened(leaves), n)
