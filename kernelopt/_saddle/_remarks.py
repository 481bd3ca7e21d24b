"""What the families know of the optimum that its numbers do not show."""

from kernelopt._families._finite import PenalizedFamily
from kernelopt._families._leaf import Leaf
from kernelopt._saddle._problem import Response


def remarks(leaves: tuple[Leaf, ...], response: Response) -> tuple[str, ...]:
    """The remark of each family that has a share in the kernel, in the order of the leaves, each sentence once.

    A family knows its own price, if it has one, but not the one that a user put on it.
    """
    said = (
        leaf.family.remark(part, response.V)
        for leaf, part in zip(leaves, response.mixture.parts, strict=True)
        if part.mass > 0.0 and (leaf.penalty is None or isinstance(leaf.family, PenalizedFamily))
    )
    return tuple(dict.fromkeys(text for text in said if text is not None))
