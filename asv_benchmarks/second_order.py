"""Interior-point steps with and without what a step adds to Mehrotra's corrector, on generated problems: the
second-order terms of the bilinear part, and the direction that is bent away from a near wall.

python asv_benchmarks/second_order.py
"""

import sys
from unittest.mock import patch

import numpy as np
from benchmarks import _problems

import kernelopt
from kernelopt._linalg import _cones
from kernelopt.interior import Saddle, _centrality, _direction, _newton, _step

PRICES = (1.0, 10.0, 100.0)
SIZES = ((100, 4), (200, 10))
FAMILIES = ("tk", "dictionary")


def steps(family: str) -> int:
    """How many steps all problems of a family take to a certified relative gap of 1e-6."""
    total = 0
    for size in SIZES:
        X, y = _problems.rows(size)
        for C in PRICES:
            criterion = kernelopt.SVC(C)
            done = kernelopt.solve(X, y, family=_problems.family(family), solver="ipm", criterion=criterion, tol=1e-6)
            total += done.steps
    return total


def products(_: Saddle, system: _newton.Newton, trial: _direction.Direction) -> _direction.Correction:
    """Mehrotra's corrector as it is where the constraints are linear."""
    inverses = (_cones.inverse(Z) for Z in system.point.Z)
    cones = zip(trial.S, trial.Z, inverses, strict=True)
    return _direction.Correction(
        z=trial.alpha * trial.z * system.low,
        u=-trial.alpha * trial.u * system.high,
        S=tuple(_cones.sandwich(ds, dz, zi) for ds, dz, zi in cones),
        f=np.zeros(system.qp.n),
        D=tuple(np.zeros_like(Z) for Z in system.point.Z),
    )


def main() -> None:
    """Print one line for each family."""
    for family in FAMILIES:
        whole = steps(family)
        with patch.object(_step, "_second_order", products):
            less = steps(family)
        with patch.object(_centrality, "_ENOUGH", 0.0):
            straight = steps(family)
        problems = len(SIZES) * len(PRICES)
        sys.stdout.write(f"{family}, {problems} problems: {whole} steps, {less} without the terms, {straight} unbent\n")


if __name__ == "__main__":
    main()
