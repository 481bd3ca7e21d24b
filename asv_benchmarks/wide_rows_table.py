"""Rows with about as many columns as there are rows, or more: errors, intervals and noise of the default.

    python asv_benchmarks/wide_rows_table.py              six draws of each, some 30 seconds
    python asv_benchmarks/wide_rows_table.py --draws 20

A line for each kind of rows: the mean squared error on new rows as a share of their variance; which share of the new
targets the intervals of 95 % hold, in the mean and at least; and the median of the learned noise as a share of the
variance of the targets. The last line is of `solve_targets`: targets that are noise alone, so that it should be near 1.
"""

import argparse
import sys
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.datasets import load_diabetes
from threadpoolctl import threadpool_limits

import kernelopt
from kernelopt.plugin import FloatArray

Drawn = tuple[FloatArray, FloatArray]
NEW = 1000


def diabetes(rng: np.random.Generator, more: int) -> Drawn:
    """The rows of scikit-learn's diabetes data in any order, with so many columns of noise."""
    data = load_diabetes()
    order = rng.permutation(len(data.target))
    X = np.column_stack([data.data, 0.05 * rng.normal(size=(len(data.target), more))])
    return X[order], data.target[order]


def linear(rng: np.random.Generator, n: int, d: int, telling: int, noise: float) -> Drawn:
    """N rows and new ones of d columns, of which so many tell something of the targets."""
    X = rng.normal(size=(n + NEW, d))
    slopes = rng.normal(size=telling) / np.sqrt(max(telling, 1))
    return X, X[:, :telling] @ slopes + noise * rng.normal(size=n + NEW)


KINDS: dict[str, tuple[int, Callable[[np.random.Generator, int], Drawn]]] = {
    "diabetes, 10 columns": (15, lambda rng, _: diabetes(rng, 0)),
    "diabetes, 210 columns": (30, lambda rng, _: diabetes(rng, 200)),
    "diabetes, 210 columns again": (60, lambda rng, _: diabetes(rng, 200)),
    "5 of 200 columns tell": (80, lambda rng, n: linear(rng, n, 200, 5, 0.5)),
    "all of 500 columns tell": (60, lambda rng, n: linear(rng, n, 500, 500, 0.3)),
    "none of 500 columns tells": (60, lambda rng, n: linear(rng, n, 500, 0, 1.0)),
}


def learned(X: FloatArray, y: FloatArray, n: int) -> tuple[float, float, float]:
    """The error on rows after the first n, the share that intervals hold, and the noise."""
    solution, new = kernelopt.solve(X[:n], y[:n]), y[n:]
    low, high = solution.predict_interval(X[n:], 0.95)
    error = np.mean((solution.predict(X[n:]) - new) ** 2) / new.var()
    assert solution.posterior is not None
    return float(error), float(np.mean((low <= new) & (new <= high))), solution.posterior.noise / y[:n].var()


def of_targets(rng: np.random.Generator) -> tuple[float, float]:
    """The error and the noise of 20 targets that are noise, on 60 rows of 30 columns."""
    X, Y = rng.normal(size=(60 + NEW, 30)), rng.normal(size=(60 + NEW, 20))
    found = kernelopt.solve_targets(X[:60], Y[:60])
    error = ((found.predict(X[60:]) - Y[60:]) ** 2).mean(axis=0) / Y[60:].var(axis=0)
    return float(error.mean()), float(np.median(found.noise / Y[:60].var(axis=0)))


def main() -> None:
    """Print a line for each kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=6)
    draws = range(parser.parse_args().draws)
    warnings.simplefilter("ignore")
    sys.stdout.write("| rows | error | 95 % intervals hold | at least | noise |\n|---|---|---|---|---|\n")
    with threadpool_limits(1):
        for name, (n, drawn) in KINDS.items():
            error, held, noise = np.transpose([learned(*drawn(np.random.default_rng(k), n), n) for k in draws])
            told = f"{error.mean():.3f} | {held.mean():.0%} | {held.min():.0%} | {np.median(noise):.2g}"
            sys.stdout.write(f"| {n}, {name} | {told} |\n")
        error, noise = np.transpose([of_targets(np.random.default_rng(k)) for k in draws])
        sys.stdout.write(f"| 60, `solve_targets`, noise | {error.mean():.3f} | | | {np.median(noise):.2g} |\n")


if __name__ == "__main__":
    main()
