"""The first solve on a new machine, which waits for what numba compiles: python asv_benchmarks/first_call_peer.py.

Each line is a solve in a process of its own with an empty folder for what numba compiles: its CPU seconds without the
imports of numpy and scikit-learn, those of the same solve once more, and the most seconds that the first may take.
"behind" stands where it takes more. What Python itself compiles is there before, as pip leaves it behind when it
installs a package: the same solve writes it, in a process that does not count.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from tempfile import TemporaryDirectory

from _pair import Pair

MOST = 3.0
CASES = {
    "the evidence": ("two", 100, {}),
    "svc on tk": ("two", 100, {"criterion": "svc", "family": "tk"}),
    "svc on the ready list": ("two", 100, {"criterion": "svc", "family": "auto"}),
    "svc on the ready list, more rows": ("two", 400, {"criterion": "svc", "family": "auto"}),
    "svc on the ready list, many rows": ("two", 1000, {"criterion": "svc", "family": "auto"}),
    "svr on the ready list": ("numbers", 100, {"criterion": "svr", "family": "auto"}),
    "svr on the ready list, more rows": ("numbers", 400, {"criterion": "svr", "family": "auto"}),
    "svc of three classes on the ready list": ("three", 150, {"criterion": "svc", "family": "auto"}),
}
"""What is solved: the kind of targets, how many rows, and the options."""

_SOLVE = """
import sys, warnings
from time import process_time
import numpy as np
import sklearn.svm
import kernelopt
warnings.simplefilter("ignore")
kind, n, options = eval(sys.argv[1])
X = np.random.default_rng(0).normal(size=(n, 4))
f = np.sin(2.0 * X[:, 0]) + X[:, 1]
y = {"two": f > 0.0, "numbers": f, "three": np.digitize(f, [-0.7, 0.7])}[kind]
for _ in range(2):
    began = process_time()
    kernelopt.solve(X, y, **options)
    print(process_time() - began)
"""
"""What each process does."""


def pairs(quick: bool) -> Iterator[Pair]:
    """Each case beside the seconds that it may take; quick leaves out what differs in the number of rows alone."""
    for name, (first, _) in rows(tuple(name for name in CASES if not (quick and " rows" in name))):
        yield Pair(f"first call, {name}; {MOST:g} s", first, MOST, 1.0)


def rows(names: tuple[str, ...] = tuple(CASES)) -> Iterator[tuple[str, tuple[float, float]]]:
    """Name, and CPU seconds of the first call and of the second."""
    for name in names:
        with TemporaryDirectory() as bytecode:
            solved(name, bytecode)
            yield name, solved(name, bytecode)


def solved(name: str, bytecode: str) -> tuple[float, float]:
    """CPU seconds of both calls, with what Python compiles in this folder."""
    with TemporaryDirectory() as folder:
        inside = {**os.environ, "NUMBA_CACHE_DIR": folder, "PYTHONPYCACHEPREFIX": bytecode, "OMP_NUM_THREADS": "1"}
        inside.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, "-c", _SOLVE, repr(CASES[name])]
        done = subprocess.run(command, env=inside, check=True, capture_output=True, text=True)
    first, second = map(float, done.stdout.split())
    return first, second


def main() -> None:
    """Every case."""
    for name, (first, second) in rows():
        word = "behind" if first > MOST else ""
        sys.stdout.write(f"{name:40} {first:6.2f} s, then {second:6.3f} s, at most {MOST:g} s  {word}".rstrip() + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
