"""Criteria on lists of thin kernels, on so many rows that features are computed again for each pass over them.

The list is a Gaussian of each of eight columns, of which three matter. A line for each criterion: its status, its
bounds, the gap, steps, features in all, CPU seconds, and the largest memory of its process in GB. With --agree it is
20,000 rows once with the features in memory, once in blocks, and once by the engine that holds several copies of them:
how far apart the bounds of the first two are, relative to them, and whether the third has the same optimum.

    python asv_benchmarks/row_lists.py [--rows 2000000] [--criteria ridge l2-svc svc] [--gamma 3.0] [--tol 1e-3]
    python asv_benchmarks/row_lists.py --agree
"""

import argparse
import resource
import subprocess
import sys
import time
from typing import Any
from unittest import mock

import numpy as np

import kernelopt
from kernelopt._families.features import _feature_rows, _row_lists
from kernelopt._families.features._landmarks import Landmarks

CRITERIA = ("ridge", "l2-svc", "svc", "svr", "one-class")
COLUMNS = 8
TARGETS = {"svc": "labels", "l2-svc": "labels", "svr": "numbers", "ridge": "numbers", "one-class": None}


def data(rows: int, criterion: str) -> tuple[np.ndarray, Any]:
    """Rows and what is to be learned of them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, COLUMNS))
    t = np.sin(2.0 * X[:, 0]) + X[:, 1] ** 2 - 1.0 + 0.5 * X[:, 2] + 0.3 * rng.normal(size=rows)
    return X, {"labels": t > 0.0, "numbers": t, None: None}[TARGETS[criterion]]


def solved(rows: int, criterion: str, gamma: float, tol: float) -> kernelopt.Solution:
    """The answer."""
    X, y = data(rows, criterion)
    family = kernelopt.each(kernelopt.Dictionary([("rbf", {"gamma": gamma})]))
    return kernelopt.solve(X, y, family=family, criterion=criterion, solver="ipm", tol=tol)


def measured(rows: int, criterion: str, gamma: float, tol: float) -> str:
    """One line."""
    began = time.process_time()
    s = solved(rows, criterion, gamma, tol)
    seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    width = sum(leaf.family.order for leaf in s.kernel.leaves if isinstance(leaf.family, Landmarks))
    found = f"{rows} {criterion} {s.status.name} {s.certificate}"
    return f"{found}, {s.steps} steps, {width} features, {seconds:.0f} s, {peak:.2g} GB\n"


def agreement(criterion: str, gamma: float, tol: float) -> str:
    """How far apart the bounds are."""
    held = solved(20_000, criterion, gamma, tol).certificate
    with mock.patch.object(_feature_rows, "_HELD", 0), mock.patch.object(_feature_rows, "_ENTRIES", 1 << 19):
        blocks = solved(20_000, criterion, gamma, tol).certificate
    with mock.patch.object(_row_lists, "of_rows", return_value=False):
        copies = solved(20_000, criterion, gamma, tol).certificate
    size = max(abs(held.upper), abs(held.lower))
    apart = max(abs(held.upper - blocks.upper), abs(held.lower - blocks.lower)) / size
    same = max(held.lower, copies.lower) <= min(held.upper, copies.upper) + 1e-9 * size
    gaps = f"gaps {held.relative_gap:.1e}, {blocks.relative_gap:.1e}, {copies.relative_gap:.1e}"
    return f"{criterion}: {apart:.1e} apart, {gaps}, {'the same optimum' if same else 'ANOTHER OPTIMUM'}\n"


def main() -> None:
    """Print the lines; each criterion has a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--criteria", nargs="+", default=["ridge", "l2-svc", "svc"])
    parser.add_argument("--gamma", type=float, default=3.0)
    parser.add_argument("--tol", type=float, default=1e-3)
    parser.add_argument("--agree", action="store_true")
    parser.add_argument("--one")
    asked = parser.parse_args()
    if asked.one is not None:
        sys.stdout.write(measured(asked.rows, asked.one, asked.gamma, asked.tol))
        return
    for criterion in CRITERIA if asked.agree else asked.criteria:
        if asked.agree:
            sys.stdout.write(agreement(criterion, asked.gamma, asked.tol))
        else:
            command = [sys.executable, __file__, "--one", criterion, "--rows", str(asked.rows)]
            command += ["--gamma", str(asked.gamma), "--tol", str(asked.tol)]
            sys.stdout.write(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
