"""The kernel learned from a sample, and from all rows at once: python asv_benchmarks/at_once_table.py [sets].

Each set of KERNELOPT_DATA is learned twice from the same rows: 3400 with `effort="quick"`, and 6500 with
the normal effort. First a sample of them learns the kernel, and then all of them do. The lines have the CPU seconds,
the error of at most 10,000 other rows (the root of the mean squared error in standard deviations of the targets, or the
share of wrong classes), and minus the mean logarithm of the density of their targets or of the probability of their
classes; of the sample first, then of all rows at once. It takes about half an hour.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any
from unittest import mock

import attrs
import numpy as np
import numpy.typing as npt

import kernelopt
from kernelopt._evidence import _effort
from kernelopt._evidence._effort import Effort
from kernelopt.plugin import FloatArray

ROWS: dict[Effort, int] = {"quick": 3400, "normal": 6500}
NUMBERS = ("puma8NH", "kin8nm", "ccpp", "naval", "house_16H", "ca_housing", "gas_turbine", "kin40k", "fried")
CLASSES = ("magic", "nursery", "adult_a9a")
NEW = 10_000


@attrs.frozen
class Found:
    """What one way gave.

    Attributes:
        seconds: of the processor.
        error: of new rows.
        surprise: minus the mean logarithm of the density of their targets, or the probability of their classes.
    """

    seconds: float
    error: float
    surprise: float


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="The kernel learned from a sample, and from all rows at once.")
    parser.add_argument("sets", nargs="*", default=(*NUMBERS, *CLASSES), help="their names; without, twelve sets")
    parser.add_argument("--efforts", nargs="+", default=list(ROWS), choices=list(ROWS), help="both, without")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    sys.stdout.write("| | effort | rows | seconds | error | log-loss |\n|---|---|---|---|---|---|\n")
    for effort in asked.efforts:
        for name in asked.sets:
            few, every = both(name, effort)
            cells = (f"{few.seconds:.0f}, {every.seconds:.0f}", f"{few.error:.4f}, {every.error:.4f}")
            said = [name, effort, str(ROWS[effort]), *cells, f"{few.surprise:.3f}, {every.surprise:.3f}"]
            sys.stdout.write(f"| {' | '.join(said)} |\n")
            sys.stdout.flush()


def both(name: str, effort: Effort) -> Iterator[Found]:
    """What the sample gives, and what all rows at once do."""
    data, n = kernelopt.datasets.load(name), ROWS[effort]
    order = np.random.default_rng(0).permutation(len(data.y))
    old, new = order[:n], order[n : n + NEW]
    for most in ({effort: 0}, {effort: n}):
        with mock.patch.object(_effort, "_AT_ONCE", most):
            began = time.process_time()
            s = kernelopt.solve(data.X[old], data.y[old], criterion=kernelopt.Evidence(effort=effort))
            seconds = time.process_time() - began
        yield Found(seconds, *judged(s, data.X[new], data.y[new]))


def judged(s: kernelopt.Solution, Z: FloatArray, z: npt.NDArray[Any]) -> tuple[float, float]:
    """The error and the surprise of new rows."""
    if s.classes is not None:
        probable = s.predict_proba(Z)[np.arange(len(z)), np.searchsorted(s.classes, z)]
        return float(np.mean(s.predict(Z) != z)), -float(np.mean(np.log(np.maximum(probable, 1e-12))))
    mean, deviation = s.predict(Z, return_std=True)
    size = float(np.std(z))
    surprise = 0.5 * ((z - mean) / deviation) ** 2 + np.log(deviation / size) + 0.5 * np.log(2.0 * np.pi)
    return float(np.sqrt(np.mean((mean - z) ** 2))) / size, float(np.mean(surprise))


if __name__ == "__main__":
    main()
