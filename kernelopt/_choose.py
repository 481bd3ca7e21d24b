"""What `solve` takes where the user leaves something open, and the note that says so."""

from typing import Any

import numpy as np

from kernelopt._criterion import Criterion
from kernelopt._errors import InvalidData, Refused
from kernelopt._exchange import Exchange
from kernelopt._problem import Leaf
from kernelopt._registry import resolve
from kernelopt._solver import Solver
from kernelopt._training import check_target

DEFAULT_FAMILY = "tk"
DEFAULT_SOLVER = "fw"


def criterion_for(spec: Any, y: Any) -> tuple[Criterion, tuple[str, ...]]:
    """The criterion of a spec, or the one that y suggests: two values, strings, booleans, few integers -> svc."""
    if spec is not None:
        return resolve("criterion", spec), ()
    if y is None:
        raise InvalidData("y is missing; this version learns from targets only, pass y")
    labels = check_target(y)
    values = np.unique(labels)
    discrete = labels.dtype.kind in "bUS" or len(values) <= 2
    if discrete or (labels.dtype.kind in "iu" and len(values) <= 20):
        return resolve("criterion", "svc"), ("criterion: y holds labels, so svc with C = 1 was taken",)
    raise InvalidData(
        f"y holds {len(values)} different numbers, which is a regression target; this version has no regression "
        "criterion; pass labels, or criterion= to say what to learn"
    )


def solver_for(spec: Any, leaves: tuple[Leaf, ...], criterion: Criterion) -> tuple[Solver, tuple[str, ...]]:
    """The solver of a spec, lifted by an exchange where it works on finite lists only.

    Raises:
        Refused: it cannot serve these leaves with this criterion, with the reason.
    """
    automatic = isinstance(spec, str) and spec == "auto"
    solver: Solver = resolve("solver", DEFAULT_SOLVER if automatic else spec)
    notes = (f"solver: auto took {solver.name}",) if automatic else ()
    reason = solver.refuses(leaves, criterion)
    if reason is None:
        return solver, notes
    lifted = Exchange(solver)
    if lifted.refuses(leaves, criterion) is None:
        return lifted, (*notes, f"solver: {solver.name} solves finite lists; an exchange brings it the atoms")
    names = " + ".join(leaf.family.name for leaf in leaves)
    raise Refused(f"{solver.name} cannot solve {names} with {criterion.name}: {reason}")
