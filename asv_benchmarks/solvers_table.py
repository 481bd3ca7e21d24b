"""Who is fastest when: CPU seconds to certified gaps, every solver in turn on tessellated kernels at C = 10.

    KERNELOPT_DATA=... python asv_benchmarks/solvers_table.py [--sets wdbc ...] [--solvers fw ipm ...] [--most 120]

One run of each solver to the smallest gap; the clock is read when the best bounds first meet each of the others.
"""

import argparse
import os
import sys
import warnings
from pathlib import Path
from time import process_time

import numpy as np

import kernelopt

SETS = ("wdbc", "german_numer", "raetsch_ringnorm")
SOLVERS = ("auto", "ipm", "fw", "fw+apd", "apd", "qcqp", "smo", "simplemkl", "plain-fw")
GAPS = (1e-2, 1e-4, 1e-6)
MOST_ROWS = 1000


def main() -> None:
    """Print one line for each set and solver."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--solvers", nargs="+", default=SOLVERS)
    parser.add_argument("--most", type=float, default=120.0)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in asked.sets:
        held = np.load(Path(os.environ["KERNELOPT_DATA"]) / f"{name}.npz")
        X, y = held["X"][:MOST_ROWS].astype(float), held["y"][:MOST_ROWS]
        for solver in asked.solvers:
            reached = raced(X, y, solver, asked.most)
            words = "  ".join(
                f"{gap:.0e}: {'-' if seconds is None else f'{seconds:.2f}':>7}" for gap, seconds in reached
            )
            sys.stdout.write(f"{name:18} {solver:10} {words}\n")
            sys.stdout.flush()


def word(seconds: float | None) -> str:
    """Seconds, or a dash."""
    return "-" if seconds is None else f"{seconds:.2f}"


def raced(X: np.ndarray, y: np.ndarray, solver: str, most: float) -> list[tuple[float, float | None]]:
    """CPU seconds to each gap, None where it was not reached."""
    kernelopt.solve(X[::20], y[::20], family="tk", solver=solver, tol=0.3)  # what is imported and compiled at first
    began, seconds = process_time(), dict.fromkeys(GAPS)

    def look(record: kernelopt.Record) -> bool:
        for gap in GAPS:
            if seconds[gap] is None and record.relative_gap <= gap:
                seconds[gap] = process_time() - began
        return process_time() - began > most

    criterion = kernelopt.SVC(10.0)
    done = kernelopt.solve(X, y, family="tk", solver=solver, criterion=criterion, tol=GAPS[-1], callback=look)
    look(done.trace[-1])
    return list(seconds.items())


if __name__ == "__main__":
    main()
