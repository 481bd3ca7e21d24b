"""Prediction of many rows by the default's machine of many rows: CPU seconds of values, and of deviations.

    python asv_benchmarks/predict_many.py [--train 20000] [--rows 100000] [--landmarks 500] [--profile]

The machine is that of Friedman's first function, of ten columns, with landmarks of the number that is asked for;
"apart" is the largest difference between values by features and without them, over the deviation of values.
--profile shows where the time of the values goes.
"""

import argparse
import cProfile
import pstats
import sys
import warnings
from time import process_time
from unittest import mock

import numpy as np
from sklearn.datasets import make_friedman1

import kernelopt
from kernelopt._api.many_rows import _on_landmarks
from kernelopt._families._explicit import ExplicitFamily

FIRST = 2000
"""Rows whose values are compared."""


def main() -> None:
    """Print one line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--train", type=int, default=20000)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--landmarks", type=int, default=500)
    parser.add_argument("--profile", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    X, y = make_friedman1(asked.train, noise=1.0, random_state=0)
    with mock.patch.object(_on_landmarks, "_most", return_value=asked.landmarks):
        s = kernelopt.solve(X, y)
    Z, _ = make_friedman1(asked.rows, random_state=1)
    s.predict(Z[:FIRST], return_std=True)
    began = process_time()
    values = s.predict(Z)
    plain = process_time() - began
    began = process_time()
    s.predict(Z, return_std=True)
    sure = process_time() - began
    apart = np.abs(by_features(s, Z[:FIRST]) - values[:FIRST]).max() / values.std()
    sys.stdout.write(
        f"{asked.rows} rows, {asked.landmarks} landmarks: values {plain:.1f} s, with deviations {sure:.1f} s, "
        f"apart {apart:.1e}\n"
    )
    if asked.profile:
        profile = cProfile.Profile()
        profile.runcall(s.predict, Z)
        pstats.Stats(profile, stream=sys.stdout).sort_stats("tottime").print_stats(15)


def by_features(s: kernelopt.Solution, Z: np.ndarray) -> np.ndarray:
    """The values by phi(z)'u."""
    p = s.predictor
    total = np.tile(p.intercept, (len(Z), 1))
    for leaf, part, u in zip(p.kernel.leaves, p.kernel.mixture.parts, p.features, strict=True):
        if u is not None and len(u) and isinstance(leaf.family, ExplicitFamily):
            total += leaf.family.columns(part.atoms, leaf.view(Z))[0] @ u
    return total[:, 0]


if __name__ == "__main__":
    main()
