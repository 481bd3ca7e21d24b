"""Noise that differs between rows: with a noise of each row, as the default takes it, and with noise of one size.

    python asv_benchmarks/row_noise_table.py [--draws 4] [--rows 100 300 1000]

Errors are squared errors of the function on 2000 new rows, as a share of those with noise of one size, in the geometric
mean over the draws. The density is the logarithm of that of new targets, less the same with noise of one size. The
shares are of new targets in intervals of 95 %, with noise of one size and with the default's noise, among the half of
the rows with the smaller noise and among the other half.
"""

import argparse
import warnings
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

import kernelopt
from kernelopt._prediction._uneven import Uneven
from kernelopt.plugin import FloatArray

NEW = 2000
Size = Callable[[FloatArray, FloatArray], FloatArray]
"""Of rows and what the function is there: the standard deviation of the noise of each."""


def _wave(X: FloatArray) -> FloatArray:
    return np.asarray(np.sin(2.0 * X[:, 0]) + 0.5 * X[:, 1])


def _positive(X: FloatArray) -> FloatArray:
    return np.asarray(np.exp(0.7 * X[:, 0] + 0.5 * X[:, 1]))


PROBLEMS: Mapping[str, tuple[Callable[[FloatArray], FloatArray], Size, bool]] = MappingProxyType(
    {
        "one size": (_wave, lambda X, _: np.full(len(X), 0.4), False),
        "Student's t, 4 degrees": (_wave, lambda X, _: np.full(len(X), 0.4), True),
        "two regions": (_wave, lambda X, _: np.where(X[:, 0] > 0.0, 1.0, 0.1), False),
        "two regions of another column": (_wave, lambda X, _: np.where(X[:, 2] > 0.0, 1.0, 0.1), False),
        "a funnel": (_wave, lambda X, _: 0.05 + 0.5 * np.abs(X[:, 1]), False),
        "grows slowly": (_wave, lambda X, _: 0.4 * np.exp(0.4 * X[:, 1]), False),
        "a share of the function": (_positive, lambda _, f: 0.3 * f, False),
    }
)
"""The function, the standard deviation of its noise, and whether that is Student's t."""


def drawn(name: str, rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Rows of five columns, targets, the function, and the standard deviation of the noise."""
    function, size, heavy = PROBLEMS[name]
    X = rng.normal(size=(n, 5))
    f = function(X)
    deviation = size(X, f)
    noise = rng.standard_t(4.0, size=n) / np.sqrt(2.0) if heavy else rng.normal(size=n)
    return X, f + deviation * noise, f, deviation


def compared(name: str, n: int, seed: int) -> tuple[float, ...]:
    """Whether a noise of each row was taken, the logarithm of the error's ratio, the rise of the density, and four
    shares.
    """
    rng = np.random.default_rng([seed, n])
    X, y, _, _ = drawn(name, rng, n)
    Z, z, f, deviation = drawn(name, rng, NEW)
    small = np.argsort(np.argsort(deviation, kind="stable")) < NEW // 2
    told = []
    for noise in ("gaussian", "auto"):
        s = kernelopt.solve(X, y, family="auto", criterion=kernelopt.Evidence(targets="numbers", noise=noise))
        lower, upper = s.predict_interval(Z)
        inside = (lower <= z) & (z <= upper)
        error = float(np.mean((s.predict(Z) - f) ** 2))
        told.append((error, float(s.score_samples(Z, z).mean()), inside[small].mean(), inside[~small].mean()))
    one, each = told
    taken = float(isinstance(s.posterior, Uneven))
    return taken, float(np.log(each[0] / one[0])), each[1] - one[1], one[2], each[2], one[3], each[3]


def main() -> None:
    """All problems."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=4)
    parser.add_argument("--rows", nargs="+", type=int, default=[100, 300, 1000])
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in PROBLEMS:
        for n in asked.rows:
            found = np.array([compared(name, n, seed) for seed in range(asked.draws)])
            taken, error, density, *shares = found.mean(axis=0)
            small, large = (
                f"{100.0 * before:.0f} %, {100.0 * after:.0f} %" for before, after in (shares[:2], shares[2:])
            )
            words = (
                f"| {name} | {n} | {taken * asked.draws:.0f} of {asked.draws} | {np.exp(error):.2f} | {density:+.2f} |"
            )
            print(f"{words} {small} | {large} |", flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
