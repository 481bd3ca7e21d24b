"""Columns of text: what the default takes for columns of so many different words, in CPU seconds and memory.

Two columns of words and two of numbers; the target is an effect of each word, a function of the numbers, and noise of
deviation .3. A line for each number of words: rows, the words of each column, the share of the variance of 5000 new
rows that is explained, and the most that can be, CPU seconds of the solve, and the largest memory of its process in GB.
Each solve has a process of its own.

    python asv_benchmarks/categories_table.py [--rows 15000] [--words 10 1000 10000]
"""

import argparse
import resource
import subprocess
import sys
import time

import numpy as np
import pandas as pd

import kernelopt

NEW, NOISE = 5000, 0.3


def drawn(rows: int, words: int) -> tuple[pd.DataFrame, np.ndarray]:
    """A table and its numbers."""
    rng = np.random.default_rng(0)
    shop, customer, X = rng.integers(0, words, rows), rng.integers(0, words, rows), rng.normal(size=(rows, 2))
    effects = rng.normal(size=(2, words))
    table = pd.DataFrame(X, columns=["price", "day"])
    table["shop"], table["customer"] = [f"shop {k}" for k in shop], [f"customer {k}" for k in customer]
    y = effects[0][shop] + 0.5 * effects[1][customer] + np.sin(2.0 * X[:, 0]) + NOISE * rng.normal(size=rows)
    return table, y


def line(rows: int, words: int) -> str:
    """What one solve takes."""
    table, y = drawn(rows + NEW, words)
    began = time.process_time()
    s = kernelopt.solve(table[:rows], y[:rows])
    seconds = time.process_time() - began
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    explained, most = s.score(table[rows:], y[rows:]), 1.0 - NOISE**2 / y[rows:].var()
    return f"{rows:7d} {words:7d} {explained:10.3f} {most:8.3f} {seconds:8.1f} {memory:7.2f}"


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=15_000)
    parser.add_argument("--words", type=int, nargs="+", default=[10, 1000, 10_000])
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.alone:
        sys.stdout.write(line(args.rows, args.words[0]) + "\n")
        return
    sys.stdout.write("   rows   words  explained  at most  seconds      GB\n")
    sys.stdout.flush()
    for words in args.words:
        alone = ["--rows", str(args.rows), "--words", str(words), "--alone"]
        subprocess.run([sys.executable, __file__, *alone], check=True)


if __name__ == "__main__":
    main()
