"""What the price of high frequencies does: test error, frequencies and seconds of cosine mixtures, for several rules.

The price of each rule is a multiple of the trace of the covariance of the training rows, the columns divided by their
standard deviations; "1" is a price that does not look at the data. Each line is the mean over some splits, with 400
training rows at most.

    KERNELOPT_DATA=... python asv_benchmarks/cosine_prices.py [--sets heart sonar ...] [--splits 2] [--norm l2]
"""

import argparse
import os
import sys
import time
import warnings
from pathlib import Path
from typing import Literal

import numpy as np
from kernelopt_cosine import Cosine

import kernelopt

SETS = (
    "raetsch_banana", "raetsch_twonorm", "raetsch_german", "raetsch_splice", "heart", "liver", "sonar", "ionosphere",
    "wdbc", "pima", "australian", "breast_wisconsin",
)  # fmt: skip
RULES = {"1": 0.0, "trace / 16": 1 / 16, "trace / 8": 1 / 8, "trace / 4": 1 / 4, "trace / 2": 1 / 2}
TRAINED, TESTED = 400, 2000
Norm = Literal["l2", "l1"]


def main() -> None:
    """Print a line for each set and rule: the price, the error in %, frequencies, support vectors, CPU seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--rules", nargs="+", default=list(RULES))
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--norm", default="l2", choices=["l2", "l1"])
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    say(f"{'set':18} {'rule':12} {'beta':>7} {'error %':>8} {'frequencies':>12} {'support':>8} {'s':>7}")
    errors: dict[str, list[float]] = {rule: [] for rule in asked.rules}
    for name in asked.sets:
        held = np.load(Path(os.environ["KERNELOPT_DATA"]) / f"{name}.npz")
        X, y = held["X"].astype(float), held["y"]
        for rule in asked.rules:
            rows = np.array([one(X, y, RULES[rule], asked.norm, seed) for seed in range(asked.splits)])
            beta, error, atoms, support, seconds = rows.mean(axis=0)
            errors[rule].append(error)
            say(f"{name:18} {rule:12} {beta:7.2f} {error:8.2f} {atoms:12.0f} {support:8.0f} {seconds:7.1f}")
    for rule, found in errors.items():
        say(f"{'mean':18} {rule:12} {'':7} {np.mean(found):8.2f}")


def one(X: np.ndarray, y: np.ndarray, share: float, norm: Norm, seed: int) -> tuple[float, ...]:
    """The price, the error in %, the frequencies, the support vectors and the CPU seconds on one split."""
    order = np.random.default_rng(seed).permutation(len(y))
    count = min(int(0.7 * len(y)), TRAINED)
    train, test = order[:count], order[count : count + TESTED]
    beta = share * np.count_nonzero(np.ptp(X[train], axis=0)) or 1.0  # the trace: each variance is 1
    began = time.process_time()
    found = kernelopt.solve(
        X[train], y[train], family=Cosine(beta=beta, norm=norm), criterion="svc", tol=1e-2, max_seconds=60
    )
    seconds = time.process_time() - began
    error = 100.0 * float(np.mean(found.predict(X[test]) != y[test]))
    return beta, error, float(len(found.response.mixture.parts[0])), float(len(found.support)), seconds


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
