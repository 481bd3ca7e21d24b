"""Kernels whose likelihood cannot be computed, because their values drown the noise in rounding."""

import math

from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response


def singular(problem: Problem, response: Response) -> str | None:
    """One sentence where no likelihood was found for the answer: its Gram is singular to rounding. Otherwise None."""
    if math.isfinite(response.upper):
        return None
    size = float(problem.gram(response.mixture).diag().mean())
    return (
        "evidence: the likelihood could not be computed, because the Gram of the kernel is singular to rounding: "
        f"k(x, x) is {size:.3g} on average over the training rows, and the noise is lost beside it; do not use the "
        "solution: bring each column of X to mean 0 and standard deviation 1, for example with "
        "sklearn.preprocessing.StandardScaler, and leave out scale= and start="
    )
