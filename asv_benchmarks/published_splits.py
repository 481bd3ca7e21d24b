"""The 20 splits of the literature on Gaussian processes: root mean squared errors and negative log densities.

The splits of Hernandez-Lobato and Adams (2015), as Gal and Ghahramani (2016) published them, which kin8nm, naval,
power_plant and wine_red carry. One line for each set, method, number of rows and split, appended to a file: a run that
is stopped goes on where it was. Errors and densities are in the units of the targets.

    KERNELOPT_DATA=... python asv_benchmarks/published_splits.py FILE [--sets wine_red ...] [--methods auto ard]
        [--first 0] [--splits 20] [--rows 1000]
    python asv_benchmarks/published_splits.py FILE --summary [--standardised]
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from ard_process import Process
from scipy.stats import norm
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import kernelopt
from kernelopt import datasets

SETS = ("wine_red", "kin8nm", "power_plant", "naval")
Density = tuple[np.ndarray, np.ndarray]
Fit = Callable[[np.ndarray, np.ndarray, np.ndarray], Density]
"""Of training rows, their targets and other rows: means of their targets and standard deviations, noise included."""


def auto(X: np.ndarray, y: np.ndarray, Z: np.ndarray) -> Density:
    """The default for numbers: the evidence over "auto"."""
    return kernelopt.solve(X, y, family="auto", criterion="evidence").predict(Z, return_std=True)


def ard(X: np.ndarray, y: np.ndarray, Z: np.ndarray) -> Density:
    """scikit-learn's process with a Gaussian that has a width for each column, and noise, at the largest likelihood."""
    kernel = ConstantKernel() * RBF(np.full(X.shape[1], np.sqrt(X.shape[1])), (1e-2, 1e4)) + WhiteKernel(0.1, (1e-8, 9))
    process = make_pipeline(StandardScaler(), GaussianProcessRegressor(kernel, normalize_y=True))
    mean, deviation = process.fit(X, y).predict(Z, return_std=True)
    return mean, deviation


def whole(device: str) -> Fit:
    """The same process by torch on a device: all training rows of these sets take a graphics card a minute."""

    def fit(X: np.ndarray, y: np.ndarray, Z: np.ndarray) -> Density:
        scaler, mean, size = StandardScaler().fit(X), y.mean(), y.std()
        values, deviations = Process(scaler.transform(X), (y - mean) / size, device)(scaler.transform(Z))
        return mean + size * values, size * deviations

    return fit


METHODS: dict[str, Fit] = {"auto": auto, "ard": ard, "ard-cpu": whole("cpu"), "ard-cuda": whole("cuda")}


def main() -> None:
    """Append the lines that the file lacks, or sum it up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--methods", nargs="+", default=["auto"])
    parser.add_argument("--first", type=int, default=0, help="the first split, where several runs share the work")
    parser.add_argument("--splits", type=int, default=20, help="the splits before this one")
    parser.add_argument("--rows", type=int, default=None, help="so many training rows of each split at most, at random")
    parser.add_argument("--summary", action="store_true")
    parser.add_argument("--standardised", action="store_true", help="sum up in standard deviations of all targets")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked.summary:
        sys.stdout.write(summary(asked.file, asked.standardised))
        return
    done = {tuple(line.split()[:4]) for line in asked.file.read_text().splitlines()} if asked.file.exists() else set()
    for split in range(asked.first, asked.splits):
        for name in asked.sets:
            for method in asked.methods:
                line = measured(name, method, asked.rows, split, done)
                with asked.file.open("a") as file:
                    file.write(line)


def measured(name: str, method: str, most: int | None, split: int, done: set[tuple[str, ...]]) -> str:
    """One line: set, method, training rows, split, error, negative log density, share in 95 % intervals, seconds."""
    held = datasets.load(name)
    train, test = held.splits[split]
    if most is not None and len(train) > most:
        train = np.random.default_rng(split).permutation(train)[:most]
    if (name, method, str(len(train)), str(split)) in done:
        return ""
    X, y = held.X, held.y.astype(float)
    varying = X[train].max(axis=0) > X[train].min(axis=0)
    began = time.process_time()
    mean, deviation = METHODS[method](X[train][:, varying], y[train], X[test][:, varying])
    seconds = time.process_time() - began
    error = np.sqrt(np.mean((mean - y[test]) ** 2))
    density = -np.mean(norm.logpdf(y[test], mean, deviation))
    inside = np.mean(np.abs(y[test] - mean) <= norm.ppf(0.975) * deviation)
    return f"{name} {method} {len(train)} {split} {error:.5g} {density:.5g} {inside:.3f} {seconds:.1f}\n"


def summary(path: Path, standardised: bool) -> str:
    """A table of Markdown: means over the splits and their standard errors, and the median of the seconds of a fit."""
    groups: dict[tuple[str, ...], list[list[float]]] = {}
    for line in path.read_text().splitlines():
        words = line.split()
        groups.setdefault(tuple(words[:3]), []).append([float(word) for word in words[4:]])
    lines = ["| set | method | rows | splits | RMSE | NLPD | in 95 % | CPU s |", "|---" * 8 + "|"]
    for (name, method, rows), found in groups.items():
        table = np.array(found)
        unit = float(datasets.load(name).y.std()) if standardised else 1.0
        table[:, 0], table[:, 1] = table[:, 0] / unit, table[:, 1] - np.log(unit)
        mean, error = table.mean(axis=0), table.std(axis=0) / np.sqrt(len(table))
        told = f"{mean[0]:.3g} ± {error[0]:.1g} | {mean[1]:.3f} ± {error[1]:.1g} | {100.0 * mean[2]:.0f} %"
        lines.append(f"| {name} | {method} | {rows} | {len(table)} | {told} | {np.median(table[:, 3]):.0f} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
