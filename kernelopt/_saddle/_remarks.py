"""What the families and the answer know of the optimum that its numbers do not show."""

import math

import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._families._finite import PenalizedFamily
from kernelopt._families._leaf import Leaf
from kernelopt._linalg._definiteness import defect_of
from kernelopt._linalg._lapack import positive_definite
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response

_LOOKED_AT = 500
"""So many rows are factored, at most: a guard, for time."""


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


def flat(response: Response, targets: FloatArray) -> str | None:
    """One sentence where no row has a share in the machine of targets (n, c) that differ, so that it is a constant.

    Where that is the best machine, nothing is lost, whatever the kernel costs; else there was no time to train one.
    """
    if response.V.any() or not np.ptp(targets, axis=0).any():
        return None
    same = "machine: there is no support vector, so the same number is predicted for all rows, because "
    if any(dual.upper > 0.0 for dual in response.duals):
        return f"{same}max_seconds, or Ctrl-C, ended the run before a machine was trained; give more seconds"
    return (
        f"{same}the criterion counts no target as an error; give the criterion a smaller epsilon, in the units of y, "
        "or leave criterion out, so that its options are taken in the units of y"
    )


def endless(problem: Problem, response: Response) -> str | None:
    """One sentence where the dual variables of an answer grow without end: its Gram is singular to rounding, and no
    function of its kernel takes the values that the criterion asks for. Otherwise None, and where the kernel is no
    kernel, of which a run tells by itself.

    Of many rows some are looked at, evenly spaced: if their Gram is singular, that of all rows is.
    """
    if math.isfinite(response.upper) or not problem.criterion.interpolates:
        return None
    gram = problem.gram(response.mixture)
    rows = np.unique(np.linspace(0, gram.n - 1, min(gram.n, _LOOKED_AT)).astype(np.intp))
    K = gram.block(rows, rows)
    rounding = len(K) * np.finfo(float).eps * np.diagonal(K).max()
    if defect_of(gram) is not None or positive_definite(K - rounding * np.eye(len(K))):
        return None
    return (
        "certificate: there is no upper bound, because the Gram of the learned kernel is singular to rounding, and no "
        f'function of it takes the values that {problem.criterion.name} asks for; add "delta" to the families, as in '
        'family=[..., "delta"], which is noise of each row, or take criterion="ridge"'
    )
