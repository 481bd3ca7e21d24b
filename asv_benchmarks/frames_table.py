"""The default on tables with categories and gaps, beside gradient boosting on the same tables.

The sets' codes and indicators become text again, and a share of the values may be taken away. Some 80/20 splits of each
set, of its rows or of so many chosen at random; errors in %, or mean squared errors of standardised targets. One line
for each set and method, appended to a file.

    KERNELOPT_DATA=... python asv_benchmarks/frames_table.py FILE [--sets servo ...] [--methods table ...]
        [--rows 1000] [--splits 3] [--gaps 0.1]
"""

import argparse
import os
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

import kernelopt

TEXTS: dict[str, Any] = {
    "nursery": "all",
    "monk2": "all",
    "soybean": "all",
    "raetsch_titanic": "all",
    "raetsch_flare_solar": "all",
    "raetsch_splice": "all",
    "servo": (0, 1),
    "churn": (0, 2),
    "abalone": (0,),
    "credit_crx": "indicators",
    "auto_imports": "indicators",
    "boston": (),
    "wine_red": (),
    "no2": (),
    "heart": (),
    "pima": (),
    "wdbc": (),
}
"""Which columns of each set become text: all, some, or the indicators of one category joined. The last are numbers, and
are of interest with gaps."""


def frame_of(X: np.ndarray, texts: Any) -> pd.DataFrame:
    """Rows X (n, d) as a table in which these columns are text."""
    if texts == "indicators":
        return _joined(X)
    columns = range(X.shape[1]) if texts == "all" else texts
    return pd.DataFrame({f"x{j}": [f"v{v:g}" for v in x] if j in columns else x for j, x in enumerate(X.T)})


def _joined(X: np.ndarray) -> pd.DataFrame:
    """Neighbours of zeros and ones of which no row has two, as one column of text, None where a row has none."""
    columns: dict[str, Any] = {}
    j = 0
    while j < X.shape[1]:
        end = j
        while end < X.shape[1] and np.isin(X[:, end], (0, 1)).all() and X[:, j : end + 1].sum(axis=1).max() <= 1:
            end += 1
        block = X[:, j:end]
        if end - j > 1:
            columns[f"x{j}"] = [f"v{row.argmax()}" if row.any() else None for row in block]
        else:
            columns[f"x{j}"], end = X[:, j], j + 1
        j = end
    return pd.DataFrame(columns)


def with_gaps(frame: pd.DataFrame, share: float) -> pd.DataFrame:
    """The table without a share of its values, the same each time."""
    taken = np.random.default_rng(1).random(frame.shape) < share
    return frame.mask(taken)


def default(rows: Any, y: np.ndarray, classes: bool) -> Callable[[Any], np.ndarray]:
    """The default, and nothing said."""
    machine: Any = kernelopt.KernelClassifier() if classes else kernelopt.KernelRegressor()
    predict: Callable[[Any], np.ndarray] = machine.fit(rows, y).predict
    return predict


def boosting(frame: pd.DataFrame, y: np.ndarray, classes: bool) -> Callable[[Any], np.ndarray]:
    """Gradient boosting of scikit-learn, to which text columns are declared as categories."""
    kind = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    texts = [name for name in frame if not pd.api.types.is_numeric_dtype(frame[name])]
    kinds = {name: pd.CategoricalDtype(sorted(frame[name].dropna().unique())) for name in texts}
    machine = kind(categorical_features="from_dtype", random_state=0).fit(frame.astype(kinds), y)
    return lambda rows: machine.predict(rows.astype(kinds))


METHODS = {"table": default, "codes": default, "boosting": boosting}
"""Of the table, of the numbers that the set holds, without gaps, and of the table."""


def errors(name: str, method: str, rows: int, splits: int, gaps: float) -> tuple[list[float], float]:
    """The error of each split, and the mean seconds of a fit."""
    held = np.load(Path(os.environ["KERNELOPT_DATA"]) / f"{name}.npz")
    X, y = np.asarray(held["X_ord" if "X_ord" in held else "X"], dtype=np.float64), held["y"]
    classes = y.dtype.kind in "iu"
    y = y if classes else (y - y.mean()) / y.std()
    some = np.sort(np.random.default_rng(0).permutation(len(X))[:rows])
    X, y = X[some], y[some]
    if classes:
        labels, counts = np.unique(y, return_counts=True)
        kept = np.isin(y, labels[counts > 1])
        X, y = X[kept], y[kept]
    frame = with_gaps(frame_of(X, TEXTS[name]), gaps)
    # What a column without gaps lacks in new rows is of no interest here.
    warnings.simplefilter("ignore")
    found, seconds = [], []
    kind = StratifiedShuffleSplit if classes else ShuffleSplit
    for train, test in kind(splits, test_size=0.2, random_state=0).split(X, y):
        learned, new = (X[train], X[test]) if method == "codes" else (frame.iloc[train], frame.iloc[test])
        began = time.perf_counter()
        predict = METHODS[method](learned, y[train], classes)
        seconds.append(time.perf_counter() - began)
        got = predict(new)
        found.append(100.0 * np.mean(got != y[test]) if classes else float(np.mean((got - y[test]) ** 2)))
    return found, float(np.mean(seconds))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--sets", nargs="+", default=list(TEXTS))
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--gaps", type=float, default=0.0)
    asked = parser.parse_args()
    for name in asked.sets:
        for method in asked.methods:
            found, seconds = errors(name, method, asked.rows, asked.splits, asked.gaps)
            line = f"{name} {method} {np.mean(found):.4g} {' '.join(f'{e:.4g}' for e in found)} {seconds:.2f}s"
            with asked.file.open("a") as file:
                file.write(line + "\n")
            print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
