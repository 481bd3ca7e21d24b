"""Bad targets without tuning: noise of Student's t that the evidence chooses, beside Gaussian noise and other machines.

The sets of numbers of evidence_table.py and scikit-learn's diabetes, some 80/20 splits each. Of the training targets
none is bad ("none"), or one is, at its 10^4-fold ("one") or its 10^6-fold ("huge"), or some get Gaussian noise added:
5 % of ten standard deviations ("many"), 20 % of ten ("fifth"), or 30 % of a thousand ("anywhere"). Test targets are
true. The mean squared error of standardised targets; where a method has deviations minus the logarithm of the
predicted density of a target ("nlpd", in nats; with noise of Student's t that of a target's t, scaled to its
deviation), and the share of targets in intervals that should hold 95 %; CPU seconds. One line for each set, method,
kind of target and split, appended to a file: a run that is stopped goes on where it was.

    KERNELOPT_DATA=... python asv_benchmarks/outliers_table.py FILE [--sets boston ...] [--methods auto gaussian ...]
        [--bad none one huge many fifth anywhere] [--rows 1000] [--splits 2]
    python asv_benchmarks/outliers_table.py FILE --summary
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np
from _sets import NUMBERS, data
from scipy import stats
from sklearn.datasets import load_diabetes
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

import kernelopt

SETS = ("diabetes", *NUMBERS)
BAD = ("none", "one", "huge", "many", "fifth", "anywhere")
TIMES = {"one": 1e4, "huge": 1e6}
SOME = {"many": (0.05, 10.0), "fifth": (0.2, 10.0), "anywhere": (0.3, 1000.0)}
"""The share of the targets that are bad, and the standard deviation of their noise."""
Predicted = tuple[np.ndarray, np.ndarray | None, float | None]
"""Of some rows: the targets' means, their standard deviations, and the degrees of freedom of Student's t, if known."""
Fit = Callable[[np.ndarray, np.ndarray, np.ndarray], Predicted]


def evidence(noise: Literal["auto", "gaussian", "student"]) -> Fit:
    """The evidence over "auto", with this noise."""

    def fit(X: np.ndarray, y: np.ndarray, Z: np.ndarray) -> Predicted:
        criterion = kernelopt.Evidence(targets="numbers", noise=noise)
        s = kernelopt.solve(X, y, family="auto", criterion=criterion)
        assert s.posterior is not None
        mean, deviation = s.predict(Z, return_std=True)
        return mean, deviation, s.posterior.degrees

    return fit


def boosting(loss: str) -> Fit:
    """Gradient boosting of trees with scikit-learn's defaults, and this loss."""
    machine = HistGradientBoostingRegressor(loss=loss, random_state=0)
    return lambda X, y, Z: (machine.fit(X, y).predict(Z), None, None)


def svr(X: np.ndarray, y: np.ndarray, Z: np.ndarray) -> Predicted:
    """scikit-learn's machine with a loss in proportion to errors; C and the tube are in robust deviations of y."""
    middle = float(np.median(y))
    size = 1.4826 * float(np.median(np.abs(y - middle))) or 1.0
    machine = make_pipeline(StandardScaler(), SVR(C=1.0, epsilon=0.1)).fit(X, (y - middle) / size)
    return middle + size * machine.predict(Z), None, None


METHODS: dict[str, Fit] = {
    "auto": evidence("auto"),
    "student": evidence("student"),
    "gaussian": evidence("gaussian"),
    "boosting": boosting("squared_error"),
    "boosting, absolute": boosting("absolute_error"),
    "svr": svr,
}


def main() -> None:
    """Append the lines that the file lacks, or sum it up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    parser.add_argument("--bad", nargs="+", default=list(BAD))
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--summary", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked.summary:
        sys.stdout.write(summary(asked.file))
        return
    done = {tuple(line.split("\t")[:4]) for line in asked.file.read_text().splitlines()} if asked.file.exists() else ()
    for name in asked.sets:
        for bad in asked.bad:
            for method in asked.methods:
                for split in range(asked.splits):
                    if (name, bad, method, str(split)) not in done:
                        line = measured(name, bad, method, asked.rows, split)
                        with asked.file.open("a") as file:
                            file.write(line)


def measured(name: str, bad: str, method: str, rows: int, split: int) -> str:
    """One line: set, kind of target, method, split, error, density, share in intervals, degrees of freedom, seconds."""
    X, y = loaded(name, rows)
    splits = list(ShuffleSplit(split + 1, test_size=0.2, random_state=0).split(X))
    train, test = splits[split]
    began = time.process_time()
    mean, deviation, degrees = METHODS[method](X[train], spoilt(y[train], bad, split), X[test])
    seconds = time.process_time() - began
    error = np.mean((mean - y[test]) ** 2)
    density = inside = np.nan
    if deviation is not None:
        law = stats.norm if degrees is None else stats.t(degrees)
        scale = deviation if degrees is None else deviation * np.sqrt((degrees - 2.0) / degrees)
        z = (y[test] - mean) / scale
        density = -np.mean(law.logpdf(z) - np.log(scale))
        inside = np.mean(np.abs(z) <= law.ppf(0.975))
    words = (name, bad, method, split, f"{error:.4g}", f"{density:.4g}", f"{inside:.3f}", degrees or "-")
    return "\t".join(map(str, (*words, f"{seconds:.2f}"))) + "\n"


def loaded(name: str, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows and standardised targets."""
    if name != "diabetes":
        return data(name, rows)
    X, y = load_diabetes(return_X_y=True)
    return X, (y - y.mean()) / y.std()


def spoilt(y: np.ndarray, bad: str, seed: int) -> np.ndarray:
    """Training targets of which some are bad; one that is nearly the mean would be no worse for any factor."""
    rng, y = np.random.default_rng(seed), y.copy()
    if bad in TIMES:
        y[rng.choice(np.flatnonzero(np.abs(y) > np.median(np.abs(y))))] *= TIMES[bad]
    elif bad in SOME:
        share, deviations = SOME[bad]
        chosen = rng.permutation(len(y))[: round(share * len(y))]
        y[chosen] += deviations * y.std() * rng.normal(size=len(chosen))
    return y


def summary(path: Path) -> str:
    """Tables of Markdown: for each kind of target errors of all methods, and densities of those that have them."""
    cells: dict[tuple[str, str, str], list[list[float]]] = {}
    for line in path.read_text().splitlines():
        name, bad, method, _, error, density, inside, _, seconds = line.split("\t")
        cells.setdefault((name, bad, method), []).append([float(error), float(density), float(inside), float(seconds)])
    methods = list(dict.fromkeys(method for _, _, method in cells))
    lines = [f"| set | bad targets | {' | '.join(methods)} |", "|---" * (len(methods) + 2) + "|"]
    for name, bad in dict.fromkeys((name, bad) for name, bad, _ in cells):
        row = [worded(cells.get((name, bad, method))) for method in methods]
        lines.append(f"| {name} | {bad} | {' | '.join(row)} |")
    return "\n".join(lines) + "\n"


def worded(found: list[list[float]] | None) -> str:
    """The mean error; nlpd and the share in intervals, where there are deviations; and the median of the seconds."""
    if found is None:
        return ""
    table = np.array(found)
    error, density, inside = table[:, :3].mean(axis=0)
    told = "" if np.isnan(density) else f", nlpd {density:.3g}, {inside:.0%}"
    return f"{error:.3g}{told} ({np.median(table[:, 3]):.1f} s)"


if __name__ == "__main__":
    main()
