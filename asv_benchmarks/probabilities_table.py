"""Probabilities without tuning: how much those of the evidence say, and how true they are, beside those of trees.

Some 80/20 splits of each set of classes, as in evidence_table.py; the mean of minus the logarithm of the probability of
the true class, in nats, where none counts as less than 1e-4; and the expected calibration error in %: by how much the
probability of the predicted class is off on average, in ten bins of it. One line for each set and method, appended to a
file: a run that is stopped goes on where it was.

    KERNELOPT_DATA=... python asv_benchmarks/probabilities_table.py FILE [--sets heart liver ...] [--methods auto ...]
        [--rows 2000] [--splits 2]
    python asv_benchmarks/probabilities_table.py FILE --summary
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _sets import CLASSES, data
from scipy.linalg import cholesky, solve_triangular
from scipy.special import expit
from scipy.stats import rankdata
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

import kernelopt

LEAST = 1e-4
"""No probability counts as less: forests say 0 of what they have not seen, and one such row would be infinite."""
BINS = 10
Fit = Callable[[np.ndarray, np.ndarray], Callable[[np.ndarray], np.ndarray]]


def solved(X: np.ndarray, y: np.ndarray, **options: Any) -> kernelopt.Solution:
    """The evidence over "auto", with nothing to choose."""
    return kernelopt.solve(X, y, family="auto", criterion=kernelopt.Evidence(targets="labels", **options))


def auto(X: np.ndarray, y: np.ndarray) -> Any:
    """What the library gives."""
    return solved(X, y).predict_proba


def averaged(X: np.ndarray, y: np.ndarray) -> Any:
    """Averages of the odds, each class against the rest, over Laplace's Gaussian around the logistic mode.

    MacKay's formula (Rasmussen and Williams 2006, section 3.4.2, Bishop 2006, equation 4.155), normalised.
    """
    s = solved(X, y, finish="logistic")
    classes = s.classes
    assert classes is not None
    signs = np.where(y[:, None] == (classes[1:] if len(classes) == 2 else classes), 1.0, -1.0)
    K, F = s.kernel(X), s.decision_function(X).reshape(len(X), -1)
    parts = [around(K, F[:, k], signs[:, k], s.coefficients[:, k]) for k in range(F.shape[1])]

    def predict(Z: np.ndarray) -> np.ndarray:
        values, cross, diagonal = s.decision_function(Z).reshape(len(Z), -1), s.kernel(Z, X), s.kernel.diag(Z)
        columns = []
        for k, (scale, root, lower) in enumerate(parts):
            half = solve_triangular(lower, scale * (cross * root).T, lower=True)
            variance = np.maximum(scale * diagonal - np.sum(half * half, axis=0), 0.0)
            columns.append(expit(values[:, k] / np.sqrt(1.0 + np.pi * variance / 8.0)))
        p = np.column_stack(columns)
        return np.hstack([1.0 - p, p]) if p.shape[1] == 1 else p / p.sum(axis=1, keepdims=True)

    return predict


def around(K: np.ndarray, f: np.ndarray, y: np.ndarray, v: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """The scale of the kernel, the roots of the curvatures, and the factor of I + W^1/2 c K W^1/2 at a mode."""
    p = expit(f)
    left, root = 0.5 * (y + 1.0) - p, np.sqrt(p * (1.0 - p))
    scale = float(left @ v) / float(left @ left)
    return scale, root, cholesky(np.eye(len(K)) + scale * K * root * root[:, None], lower=True)


def boosting(X: np.ndarray, y: np.ndarray) -> Any:
    """Gradient boosting of trees with scikit-learn's defaults."""
    return HistGradientBoostingClassifier(random_state=0).fit(X, y).predict_proba


def forest(X: np.ndarray, y: np.ndarray) -> Any:
    """A random forest with scikit-learn's defaults."""
    return RandomForestClassifier(random_state=0).fit(X, y).predict_proba


def xgboost(X: np.ndarray, y: np.ndarray) -> Any:
    """Gradient boosting of trees with XGBoost's defaults."""
    from xgboost import XGBClassifier

    return XGBClassifier(random_state=0, n_jobs=1).fit(X, np.unique(y, return_inverse=True)[1]).predict_proba


def sigmoid(X: np.ndarray, y: np.ndarray) -> Any:
    """The default of the estimators with its decisions calibrated on folds, which are five more fits."""
    return kernelopt.KernelClassifier(calibration="sigmoid").fit(X, y).predict_proba


METHODS: dict[str, Fit] = {
    "auto": auto,
    "averaged": averaged,
    "sigmoid": sigmoid,
    "boosting": boosting,
    "forest": forest,
    "xgboost": xgboost,
}


def main() -> None:
    """Append the lines that the file lacks, or sum it up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--sets", nargs="+", default=list(CLASSES))
    parser.add_argument("--methods", nargs="+", default=["auto", "boosting", "forest", "xgboost"])
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--summary", action="store_true")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked.summary:
        sys.stdout.write(summary(asked.file))
        return
    done = {tuple(line.split()[:2]) for line in asked.file.read_text().splitlines()} if asked.file.exists() else set()
    for name in asked.sets:
        for method in asked.methods:
            if (name, method) not in done:
                line = measured(name, method, asked.rows, asked.splits)
                with asked.file.open("a") as file:
                    file.write(line)


def measured(name: str, method: str, rows: int, splits: int) -> str:
    """One line: the set, the method, the loss of all held-out rows, their calibration error, CPU seconds a fit."""
    X, y = data(name, rows)
    split = (StratifiedShuffleSplit if np.unique(y, return_counts=True)[1].min() > 1 else ShuffleSplit)(
        splits, test_size=0.2, random_state=0
    )
    true, best, hits, seconds = [], [], [], []
    for train, test in split.split(X, y):
        known = test[np.isin(y[test], y[train])]
        began = time.process_time()
        predict = METHODS[method](X[train], y[train])
        seconds.append(time.process_time() - began)
        p = predict(X[known])
        truth = np.searchsorted(np.unique(y[train]), y[known])
        true.append(p[np.arange(len(p)), truth])
        best.append(p.max(axis=1))
        hits.append(p.argmax(axis=1) == truth)
    loss = -np.log(np.maximum(np.concatenate(true), LEAST)).mean()
    off = 100.0 * calibration_error(np.concatenate(best), np.concatenate(hits))
    return f"{name} {method} {loss:.4g} {off:.3g} {np.median(seconds):.2f}\n"


def calibration_error(best: np.ndarray, hits: np.ndarray) -> float:
    """The mean over rows of how far, in bins of the largest probability, its mean is from the share of hits."""
    bins = np.minimum((BINS * best).astype(int), BINS - 1)
    counts = np.maximum(np.bincount(bins, minlength=BINS), 1)
    gaps = np.bincount(bins, weights=best - hits, minlength=BINS) / counts
    return float(np.abs(gaps)[bins].mean())


def summary(path: Path) -> str:
    """A table of Markdown: losses, calibration errors and seconds, and below them what the sets say together."""
    cells = {tuple(line.split()[:2]): line.split()[2:] for line in path.read_text().splitlines()}
    sets, methods = (list(dict.fromkeys(key[i] for key in cells)) for i in (0, 1))
    lines = [f"| | {' | '.join(methods)} |", "|---" * (len(methods) + 1) + "|"]
    whole = []
    for name in sets:
        row = [cells.get((name, method)) for method in methods]
        words = ["" if cell is None else f"{cell[0]}, {cell[1]} % ({cell[2]} s)" for cell in row]
        lines.append(f"| {name} | {' | '.join(words)} |")
        if None not in row:
            whole.append(np.array(row, dtype=float))
    if not whole:
        return "\n".join(lines) + "\n"
    losses, off, seconds = np.moveaxis(np.array(whole), 2, 0)
    sums = {
        f"mean rank of the loss, {len(whole)} sets": rankdata(losses, axis=1).mean(axis=0),
        "mean loss": losses.mean(axis=0),
        "mean calibration error, %": off.mean(axis=0),
        "median of CPU seconds": np.median(seconds, axis=0),
    }
    lines += [f"| {name} | {' | '.join(f'{value:.3g}' for value in values)} |" for name, values in sums.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
