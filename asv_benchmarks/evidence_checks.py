"""How often the intervals of the evidence hold on real data, and what it costs on many rows.

KERNELOPT_DATA=... python asv_benchmarks/evidence_checks.py intervals
python asv_benchmarks/evidence_checks.py cost
"""

import sys
import time

import numpy as np

import kernelopt
from kernelopt import datasets

SETS = ("boston", "auto_mpg", "airfoil", "ccpp", "kin40k", "abalone")
SHARES = (0.5, 0.8, 0.95)
ROWS = 1000


def main() -> None:
    """Print a line for each set, or for each size."""
    if sys.argv[1:] == ["intervals"]:
        for name in SETS:
            held = [holds(name, seed) for seed in range(3)]
            say(f"{name:10} {' '.join(f'{share:.2f}' for share in np.mean(held, axis=0))}")
    else:
        rng = np.random.default_rng(0)
        widths = [("rbf", {"gamma": gamma}) for gamma in np.geomspace(0.003, 10.0, 19)]
        for n, family in ((3000, kernelopt.Dictionary([*widths, "linear"])), (60000, kernelopt.sampled("cosine", 500))):
            X = rng.normal(size=(n, 4))
            y = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n)
            began = time.process_time()
            s = kernelopt.solve(X, y, family=family, criterion="evidence")
            say(f"{n} rows: {s.status.name}, {s.steps} steps, {time.process_time() - began:.1f} CPU s")


def holds(name: str, seed: int) -> list[float]:
    """The share of held-out targets within the intervals that are meant to hold each of the shares."""
    held = datasets.load(name)
    rows = np.random.default_rng(0).permutation(len(held.y))[:ROWS]
    X, y = held.X[rows], held.y[rows].astype(float)
    train = np.random.default_rng(seed).permutation(len(y)) < len(y) // 2
    s = kernelopt.solve(X[train], y[train], family="auto", criterion="evidence")
    ends = (s.predict_interval(X[~train], share) for share in SHARES)
    return [float(np.mean((lower <= y[~train]) & (y[~train] <= upper))) for lower, upper in ends]


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
