"""Sparse machines on many rows: seconds, memory, gap and support vectors of `svc` and `svr` with learned kernels.

    KERNELOPT_DATA=folder python asv_benchmarks/sparse_rows.py [--cases magic-19020 ...] [--solver ipm] [--tol 1e-2]
        [--C 1.0] [--family tk]

The solver `whole` is what `auto` takes for `tk` on fewer rows than working sets are worth: all rows at once.

A case is a data set and a number of rows, drawn at random; targets that are numbers have the standard deviation 1. Each
runs in a process of its own, with this C and, of `svr`, epsilon = 0.1. "arrays" is the largest memory of the process,
less what the library takes for 200 rows, in arrays of rows x rows numbers of 8 bytes; "held at C" are the support
vectors whose dual variable is within a thousandth of C.
"""

import argparse
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import kernelopt

CASES = ("magic-4000", "magic-8000", "magic-19020")
HEADER = "| case | solver | CPU s | GB | arrays | certified gap | status | support | held at C | sets |"
NEAR = 1e-3
WHOLE = {"name": "chain", "first": "plain-fw", "then": "ipm", "window": 1}


def main() -> None:
    """Print a line of a table for each case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", nargs="+", default=CASES)
    parser.add_argument("--family", default="tk")
    parser.add_argument("--solver", default="working-set")
    parser.add_argument("--tol", type=float, default=1e-2)
    parser.add_argument("--C", type=float, default=1.0)
    parser.add_argument("--most", type=float, help="wall seconds of a case")
    parser.add_argument("--one")
    asked = parser.parse_args()
    if asked.one is not None:
        sys.stdout.write(measured(asked.one, asked.family, asked.solver, asked.tol, asked.C, asked.most))
        return
    options = ["--family", asked.family, "--solver", asked.solver, "--tol", str(asked.tol), "--C", str(asked.C)]
    options += [] if asked.most is None else ["--most", str(asked.most)]
    sys.stdout.write(HEADER + "\n" + "|---" * HEADER.count(" | ") + "|---|\n")
    for case in asked.cases:
        command = [sys.executable, __file__, "--one", case, *options]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        reason = (done.stderr.splitlines() or [f"ended with {done.returncode}"])[-1]
        sys.stdout.write(f"| {case} | {reason} |\n" if done.returncode else done.stdout)
        sys.stdout.flush()


def rows_of(case: str, C: float = 1.0) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Rows, targets and the criterion."""
    name, n = case.rsplit("-", 1)
    with np.load(Path(os.environ["KERNELOPT_DATA"]) / f"{name}.npz") as data:
        X, y = data["X"].astype(float), data["y"]
    chosen = np.random.default_rng(0).permutation(len(y))[: int(n)]
    X, y = X[chosen], y[chosen]
    if len(np.unique(y)) == 2:
        return X, y, {"name": "svc", "C": C}
    return X, (y - y.mean()) / y.std(), {"name": "svr", "C": C, "epsilon": 0.1}


def measured(case: str, family: str, solver: str, tol: float, C: float, most: float | None) -> str:
    """One line of the table."""
    X, y, criterion = rows_of(case, C)
    few = np.random.default_rng(1).permutation(len(y))[:200]
    kernelopt.solve(X[few], y[few], family=family, criterion=criterion)  # what is imported and compiled at first
    before, began = _peak(), time.process_time()
    asked: Any = WHOLE if solver == "whole" else solver
    s = kernelopt.solve(X, y, family=family, criterion=criterion, solver=asked, tol=tol, max_seconds=most)
    cpu, peak = time.process_time() - began, _peak()
    (dual,) = s.response.duals
    at_C = int((dual.alpha > (1.0 - NEAR) * criterion["C"]).sum())
    sets = next((record.note.split(",")[0] for record in reversed(s.trace) if record.note.startswith("set")), "")
    taken = next((note.removeprefix("solver: auto took ") for note in s.notes if "auto took" in note), solver)
    arrays = (peak - before) / (8.0 * len(y) ** 2)
    return (
        f"| {case} | {taken} | {cpu:.1f} | {peak / 1e9:.2f} | {arrays:.2f} | {s.certificate.relative_gap:.1e} | "
        f"{s.status.name} | {len(s.support)} | {at_C} | {sets} |\n"
    )


def _peak() -> float:
    """The largest memory of this process so far, in bytes."""
    return 1024.0 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    main()
