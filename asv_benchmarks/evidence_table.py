"""Test errors without tuning: the evidence beside what is tuned, and beside what needs no tuning.

Some 80/20 splits of each set, of its rows or of so many chosen at random; errors in %, or mean squared errors of
standardised targets. One line for each set and method, appended to a file: a run that is stopped goes on where it was.

    KERNELOPT_DATA=... python asv_benchmarks/evidence_table.py FILE [--sets heart liver ...] [--methods auto grid ...]
        [--rows 5000] [--splits 5]
    python asv_benchmarks/evidence_table.py FILE --summary
    python asv_benchmarks/evidence_table.py FILE --before OLDER

FILE may also be a page with such a table, such as docs/evidence.md: then its rounded numbers are summed up. With
`--before` the errors of the default are compared with those of an older file, or of an older page.
"""

import argparse
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from _machines import METHODS, MOST
from _sets import CLASSES, NUMBERS, data
from scipy.stats import rankdata
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

LEAST_WRONG = 0.1
"""In %: so much is added to errors of classes before they are compared by ratios, for the best may be 0."""
SAME = 0.97
"""Errors of one set that differ by less than this ratio count as the same."""
SMALL = 0.01
"""Smaller squared errors are told by their first digits."""


def main() -> None:
    """Append the lines that the file lacks, or sum it up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--sets", nargs="+", default=[*CLASSES, *NUMBERS])
    parser.add_argument("--methods", nargs="+", default=["auto", "grid", "average", "forest", "process"])
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--summary", action="store_true")
    parser.add_argument("--before", type=Path)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked.before is not None:
        sys.stdout.write(compared(asked.file, asked.before))
        return
    if asked.summary:
        sys.stdout.write(summary(asked.file))
        return
    done = {tuple(line.split()[:2]) for line in asked.file.read_text().splitlines()} if asked.file.exists() else set()
    for name in asked.sets:
        for method in asked.methods:
            if (name, method) in done:
                continue
            line = measured(name, method, asked.rows, asked.splits)
            with asked.file.open("a") as file:
                file.write(line)


def measured(name: str, method: str, rows: int, splits: int) -> str:
    """One line: the set, the method, mean and standard deviation of its errors, CPU seconds a fit."""
    X, y = data(name, rows)
    classes = name in CLASSES
    if len(X) > MOST.get(method, rows):
        return f"{name} {method} nan nan nan\n"
    stratified = classes and np.unique(y, return_counts=True)[1].min() > 1
    split = (StratifiedShuffleSplit if stratified else ShuffleSplit)(splits, test_size=0.2, random_state=0)
    errors, seconds = [], []
    for train, test in split.split(X, y):
        began = time.process_time()
        predicted = METHODS[method](classes)(X[train], y[train])(X[test])
        seconds.append(time.process_time() - began)
        wrong = 100.0 * np.mean(predicted != y[test]) if classes else np.mean((predicted - y[test]) ** 2)
        errors.append(float(wrong))
    return f"{name} {method} {np.mean(errors):.4g} {np.std(errors):.2g} {np.median(seconds):.2f}\n"


def summary(path: Path) -> str:
    """A table of Markdown: errors, the seconds of the first two methods, and below them what the sets say together that
    all methods have seen.
    """
    cells = of_file(path)
    sets, methods = (list(dict.fromkeys(key[i] for key in cells)) for i in (0, 1))
    lines = [f"| | {' | '.join(methods)} | seconds |", "|---" * (len(methods) + 2) + "|"]
    whole: dict[str, np.ndarray] = {}
    for name in sets:
        row = [cells.get((name, method)) for method in methods]
        words = ["" if cell is None else in_words(cell[0], cell[1], name in CLASSES) for cell in row]
        seconds = ", ".join("" if cell is None else f"{cell[2]:.1f}" for cell in row[:2])
        lines.append(f"| {name} | {' | '.join(words)} | {seconds} |")
        if all(cell is not None for cell in row):
            whole[name] = np.array(row)
    return "\n".join([*lines, *together(whole)]) + "\n" if whole else "\n".join(lines) + "\n"


def compared(path: Path, older: Path) -> str:
    """How the errors of the default changed since an older file, on the sets that both have."""
    pairs = [
        {name: cell[0] for (name, method), cell in of_file(one).items() if method == "auto"} for one in (older, path)
    ]
    common = list(pairs[0].keys() & pairs[1].keys())
    least = np.array([LEAST_WRONG * (name in CLASSES) for name in common])
    before, after = (np.array([one[name] for name in common]) + least for one in pairs)
    mean = float(np.exp(np.log(after / before).mean()))
    return (
        f"{len(common)} sets: the errors are those before times {mean:.3f} in the geometric mean; "
        f"{np.sum(after < SAME * before)} fell and {np.sum(before < SAME * after)} rose by 3 % or more\n"
    )


def of_file(path: Path) -> dict[tuple[str, ...], np.ndarray]:
    """By set and method what a file of lines, or a page, holds."""
    return of_page(path.read_text()) if path.suffix == ".md" else of_lines(path.read_text())


def of_lines(text: str) -> dict[tuple[str, ...], np.ndarray]:
    """By set and method: the error, its deviation and the seconds."""
    return {tuple(line.split()[:2]): np.array(line.split()[2:], float) for line in text.splitlines()}


def of_page(text: str) -> dict[tuple[str, ...], np.ndarray]:
    """The same of a page's table, where the seconds of the first two methods are known."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    head = next(number for number, row in enumerate(rows) if row[:2] == ["", "auto"] and row[-1] == "seconds")
    methods = rows[head][1:-1]
    cells: dict[tuple[str, ...], np.ndarray] = {}
    for name, *errors, seconds in rows[head + 2 :]:
        if name not in (*CLASSES, *NUMBERS):
            break
        known = [*seconds.split(", "), *(["nan"] * len(methods))]
        for method, error, time_ in zip(methods, errors, known, strict=False):
            cells[name, method] = np.array([*error.split(" ± "), time_], float)
    return cells


def in_words(error: float, spread: float, classes: bool) -> str:
    """An error, in % or a squared one, and its deviation."""
    if classes:
        return f"{error:.1f} ± {spread:.1f}"
    return f"{error:.3f} ± {spread:.3f}" if error >= SMALL else f"{error:.3g} ± {spread:.2g}"


def together(whole: dict[str, np.ndarray]) -> list[str]:
    """Lines of Markdown from the errors, their deviations and the seconds (methods, 3) of each set."""
    table = np.array(list(whole.values()))
    errors, spreads, seconds = np.moveaxis(table, 2, 0)
    none = np.array([LEAST_WRONG if name in CLASSES else 0.0 for name in whole])[:, None]
    beside = (errors + none) / (errors.min(axis=1, keepdims=True) + none)
    best = np.take_along_axis(spreads, errors.argmin(axis=1)[:, None], axis=1)
    behind = (errors - errors.min(axis=1, keepdims=True) > np.maximum(spreads, best)).sum(axis=0)
    sums = {
        f"mean rank, {len(whole)} sets": rankdata(errors, axis=1).mean(axis=0),
        "error beside the best, geometric mean": np.exp(np.log(beside).mean(axis=0)),
        "sets where it is behind the best by more than a deviation": behind,
        "median of CPU seconds": np.median(seconds, axis=0),
        "sum of CPU seconds": seconds.sum(axis=0),
    }
    lines = {name: " | ".join("" if np.isnan(value) else f"{value:.4g}" for value in sums[name]) for name in sums}
    return [f"| {name} | {words} | |" for name, words in lines.items()]


if __name__ == "__main__":
    main()
