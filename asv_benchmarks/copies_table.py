"""How often intervals hold where every row is in the data several times, with and without its copies as a group.

KERNELOPT_DATA=... python asv_benchmarks/copies_table.py [--times 3] [--splits 3]
"""

import argparse
import sys
import time
from collections.abc import Iterator

import numpy as np
from scipy.stats import norm

import kernelopt
from kernelopt import datasets

SETS = ("boston", "auto_mpg", "airfoil", "ccpp", "abalone", "servo", "no2")
SHARES = (0.5, 0.8, 0.95)
ROWS = 800


def main() -> None:
    """Print a line for each set and way."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--splits", type=int, default=3)
    asked = parser.parse_args()
    say(f"{'set':10} {'rows':12} {'50 %':>5} {'80 %':>5} {'95 %':>5} {'RMSE':>8} {'CPU s':>6}")
    every: dict[str, list[list[float]]] = {}
    for name in SETS:
        found: dict[str, list[list[float]]] = {}
        for split in range(asked.splits):
            for way, one in ways(name, split, asked.times):
                found.setdefault(way, []).append(one)
        for way, numbers in found.items():
            say(line(name, way, np.mean(numbers, axis=0)))
            every.setdefault(way, []).extend(numbers)
    for way, numbers in every.items():
        say(line("all", way, np.mean(numbers, axis=0)))


def ways(name: str, split: int, times: int) -> Iterator[tuple[str, list[float]]]:
    """For each way of giving the rows: its name, the shares that hold, the error and the time."""
    held = datasets.load(name)
    X, y = held.X, held.y.astype(float)
    order = np.random.default_rng([1, split]).permutation(len(y))[:ROWS]
    train, test = np.array_split(order, 2)
    copies = np.tile(np.arange(len(train)), times)
    several = train[copies]
    for way, rows, groups in (("once", train, None), ("copies", several, None), ("groups", several, copies)):
        began = time.process_time()
        machine = kernelopt.KernelRegressor().fit(X[rows], y[rows], groups=groups)
        mean, deviation = machine.predict(X[test], return_std=True)
        off = np.abs(y[test] - mean) / deviation
        inside = [float(np.mean(off <= norm.ppf(0.5 + 0.5 * share))) for share in SHARES]
        error = float(np.sqrt(np.mean((y[test] - mean) ** 2)) / y[test].std())
        yield way, [*inside, error, time.process_time() - began]


def line(name: str, way: str, numbers: np.ndarray) -> str:
    """A row of the table."""
    a, b, c, error, seconds = numbers
    return f"{name:10} {way:12} {a:5.2f} {b:5.2f} {c:5.2f} {error:8.3f} {seconds:6.1f}"


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
