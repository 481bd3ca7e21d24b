"""How many new usual rows a detector flags: it learns from usual rows alone, and should flag about a share of nu.

The rows are those of `novelty_table.py`. One line of Markdown for each method: the mean share flagged over sets at
nu = 0.1 and at 0.5, how far it is from nu in the mean, and the largest share.

    KERNELOPT_DATA=... python asv_benchmarks/novelty_flagged.py [--sets heart liver ...] [--methods ours nearest ...]
"""

import argparse
import sys
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
from novelty_table import SETS, data, nearest
from scipy.spatial.distance import cdist
from sklearn.preprocessing import StandardScaler

import kernelopt
from kernelopt import KernelOutlierDetector, datasets
from kernelopt._families.dictionary.growth._rows_width import rows_width

Choose = Callable[[np.ndarray], object]
"""A family for standardised rows (n, d)."""


def gaussian(alike: float, X: np.ndarray) -> object:
    """So wide that rows are so alike."""
    width, *_ = rows_width(X, np.ones(len(X)), alike)
    return kernelopt.fixed(("rbf", {"gamma": 1.0 / width}))


def laplacian(X: np.ndarray) -> object:
    """As wide as a row is from its nearest."""
    width = nearest(cdist(X, X, "cityblock"), X.shape[1])
    return kernelopt.fixed(("laplacian", {"gamma": 1.0 / width}))


METHODS: dict[str, Choose] = {
    "ours": lambda X: None,  # noqa: ARG005
    "nearest": laplacian,
    **{f"alike{alike:g}": partial(gaussian, alike) for alike in (1.5, 2.0, 4.0)},
}
NUS = (0.1, 0.5)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    shares = np.array([flagged(name, asked.methods) for name in asked.sets])
    titles = [f"{what} at {nu:g}" for nu in NUS for what in ("flagged", "off by", "most")]
    sys.stdout.write(f"| {len(asked.sets)} sets | {' | '.join(titles)} |\n{'|---' * (len(titles) + 1)}|\n")
    for k, method in enumerate(asked.methods):
        numbers = [
            number
            for i, nu in enumerate(NUS)
            for number in (shares[:, k, i].mean(), np.abs(shares[:, k, i] - nu).mean(), shares[:, k, i].max())
        ]
        sys.stdout.write(f"| {method} | {' | '.join(f'{number:.2f}' for number in numbers)} |\n")


def flagged(name: str, methods: list[str]) -> np.ndarray:
    """The shares of new usual rows that are flagged, (methods, nus)."""
    held = datasets.load(name)
    train, test, usual = data(held.X, held.y, 1000, 0.0, 0)
    varying = train.max(axis=0) > train.min(axis=0)
    scaler = StandardScaler().fit(train[:, varying])
    seen, new = (scaler.transform(rows[:, varying]) for rows in (train, test[usual == 1]))
    return np.array([[share(METHODS[method](seen), nu, seen, new) for nu in NUS] for method in methods])


def share(family: object, nu: float, seen: np.ndarray, new: np.ndarray) -> float:
    """The share of new rows that are flagged."""
    detector = KernelOutlierDetector(family, criterion={"name": "one-class", "nu": nu}).fit(seen)
    return float(np.mean(detector.predict(new) == -1))


if __name__ == "__main__":
    main()
