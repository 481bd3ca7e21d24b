"""The inverse of a Cholesky factor, beside LAPACK's: python asv_benchmarks/inverse_peer.py.

A line for each number of rows gives CPU seconds of kernelopt and of LAPACK, taken in turn, and their ratio.
"""

import sys
from collections.abc import Iterator
from functools import partial

import numpy as np
from _pair import Pair, medians
from scipy.linalg import lapack
from threadpoolctl import threadpool_limits

from kernelopt._linalg._triangular_inverse import triangular_inverse

ROWS = (100, 200, 400, 1000)


def pairs(quick: bool) -> Iterator[Pair]:
    """One for each number of rows."""
    for n in ROWS[:3] if quick else ROWS:
        F = np.random.default_rng(0).normal(size=(n, n))
        L = np.asfortranarray(np.linalg.cholesky(F @ F.T + n * np.eye(n)))
        ours, theirs = medians(partial(triangular_inverse, L), partial(lapack.dtrtri, L, lower=1))
        yield Pair(f"inverse of a triangle of {n} rows; LAPACK", ours, theirs, 1.0)


def main() -> None:
    """Print a line for each."""
    with threadpool_limits(1):  # as in `kernelopt.solve`
        for name, ours, theirs, _ in pairs(quick=False):
            seconds = theirs or 0.0
            sys.stdout.write(f"{name:45} {1e3 * ours:8.3f} {1e3 * seconds:8.3f} ms {seconds / ours:5.2f}\n")


if __name__ == "__main__":
    main()
