"""What the families and the answer know of the optimum that its numbers do not show."""

import math

from kernelopt._families._finite import PenalizedFamily
from kernelopt._families._leaf import Leaf
from kernelopt._linalg._definiteness import defect_of
from kernelopt._saddle._problem import Problem, Response


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


def endless(problem: Problem, response: Response) -> str | None:
    """One sentence where the dual variables of an answer grow without end: no function of its kernel takes the values
    that the criterion asks for. Otherwise None, and where the kernel is no kernel, of which a run tells by itself.
    """
    if math.isfinite(response.upper) or defect_of(problem.gram(response.mixture)) is not None:
        return None
    return (
        "certificate: there is no upper bound, because the Gram of the learned kernel is singular to rounding, and no "
        f'function of it takes the values that {problem.criterion.name} asks for; add "delta" to the families, as in '
        'family=[..., "delta"], which is noise of each row, or take criterion="ridge"'
    )
