"""How long mixtures of cosines take, and to which certified gap, with the default options but for a tolerance.

Each line is a set: the order of magnitude of rows and columns of the problems that were slow. The goals are those of
the project: seconds of CPU time of one thread.

    OMP_NUM_THREADS=1 KERNELOPT_DATA=... python asv_benchmarks/cosine_table.py [--sets synthetic mnist usps]
        [--longest SECONDS] [--beta NUMBER]
"""

import argparse
import os
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from _pair import Pair
from kernelopt_cosine import Cosine

import kernelopt

Rows = tuple[np.ndarray, np.ndarray]
GOALS = {"synthetic": (1e-3, 1.4), "mnist": (1e-2, 180.0), "usps": (1e-2, 600.0)}
"""The tolerance and the seconds that it may take."""


def main() -> None:
    """Print a line for each set: its rows, the relative gap, CPU seconds and their goal, steps, atoms, support."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=list(GOALS), choices=list(GOALS))
    parser.add_argument("--longest", type=float, default=600.0, help="seconds on the clock for one solve")
    parser.add_argument("--beta", type=float, default=None, help="the price; without it the default")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    compiled()
    for name in asked.sets:
        tol, goal = GOALS[name]
        family = Cosine() if asked.beta is None else Cosine(beta=asked.beta)
        X, found, seconds = solved(name, family, asked.longest)
        reached = found.certificate.relative_gap <= tol and seconds <= goal
        line = f"{name:10} {len(X):5} x {X.shape[1]:3}  gap {found.certificate.relative_gap:8.2g} of {tol:g}  "
        line += f"{seconds:6.1f} s of {goal:g}  {found.steps:3} steps  {len(found.response.mixture):4} frequencies  "
        line += f"{len(found.support):4} support vectors  {'reached' if reached else 'behind'}"
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def solved(name: str, family: Cosine, longest: float) -> tuple[np.ndarray, kernelopt.Solution, float]:
    """The rows of a set, the solution to its tolerance, and the CPU seconds that it took."""
    X, y = {"synthetic": synthetic, "mnist": mnist, "usps": usps}[name]()
    began = time.process_time()
    found = kernelopt.solve(X, y, family=family, criterion="svc", tol=GOALS[name][0], max_seconds=longest)
    return X, found, time.process_time() - began


def pairs(quick: bool) -> Iterator[Pair]:
    """The seconds that a set takes beside those that it may take; a gap that is not reached counts as an hour."""
    compiled()
    held = [] if quick or "KERNELOPT_DATA" not in os.environ else ["mnist", "usps"]
    for name in ["synthetic", *held]:
        tol, goal = GOALS[name]
        X, found, seconds = solved(name, Cosine(), 3600.0)
        ours = seconds if found.certificate.relative_gap <= tol else 3600.0
        yield Pair(f"cosine, {name} {len(X)} x {X.shape[1]} to {tol:g}; {goal:g} s", ours, goal, 1.0)


def compiled() -> None:
    """What numba compiles, before the clock runs."""
    X, y = synthetic()
    kernelopt.solve(X[:60], y[:60], family="cosine", criterion="svc")


def synthetic() -> Rows:
    """500 rows of ten columns, of which three matter."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 10))
    return X, np.where(np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=500) > 0.0, 1, -1)


def mnist() -> Rows:
    """3000 rows of the digits 3 and 8."""
    X, y = _held("mnist")
    some = np.flatnonzero((y == 3) | (y == 8))
    rows = np.sort(np.random.default_rng(0).permutation(some)[:3000])
    return X[rows], y[rows]


def usps() -> Rows:
    """The first 7291 rows, the lower five classes against the upper five."""
    X, y = _held("usps")
    return X[:7291], np.where(y[:7291] < np.sort(np.unique(y))[5], -1, 1)


def _held(name: str) -> Rows:
    """A set in the folder that KERNELOPT_DATA names."""
    held = np.load(Path(os.environ["KERNELOPT_DATA"]) / f"{name}.npz")
    return held["X"].astype(float), held["y"]


if __name__ == "__main__":
    main()
