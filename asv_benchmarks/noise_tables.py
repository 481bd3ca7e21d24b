"""What Student's t noise is worth on the tables of R's packages where the default takes it.

The tables, targets and splits are those of `r_tables.py`, of numbers alone. Where a fit says that Student's t was
taken, the same rows are learned with Gaussian noise too, and both predict the rows that were left out: mean squared
errors of standardised targets, and the mean logarithm of the density that is predicted at each target.

    python asv_benchmarks/noise_tables.py FILE [--splits 2] [--part 0 --parts 2]
    python asv_benchmarks/noise_tables.py FILE --summary

One line for each fit is appended to a file; a run that is stopped goes on where it was.
"""

import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from r_tables import FLOORS, Task, options, tasks, written
from sklearn.model_selection import ShuffleSplit

import kernelopt

_SAME = 0.02
"""Errors whose ratio is nearer to 1 count as the same."""


def measured(task: Task, splits: int) -> Iterator[dict[str, Any]]:
    """A line for each split: what is learned with the default's noise and, where that is Student's t, with Gaussian."""
    for split, (train, test) in enumerate(ShuffleSplit(splits, test_size=0.25, random_state=0).split(task.X, task.y)):
        line: dict[str, Any] = {"table": task.name, "split": split}
        try:
            found = solved(task, train, "auto")
            if found.tails is not None:
                line["student"], line["gaussian"] = (
                    told(found, task, test),
                    told(solved(task, train, "gaussian"), task, test),
                )
        except kernelopt.KerneloptError as error:
            line["refused"] = str(error)
        yield line


def solved(task: Task, train: np.ndarray, noise: Any) -> kernelopt.Solution:
    """The default, with this noise."""
    return kernelopt.solve(
        task.X.iloc[train], task.y[train], family="auto", criterion=kernelopt.Evidence(targets="numbers", noise=noise)
    )


def told(found: kernelopt.Solution, task: Task, test: np.ndarray) -> tuple[float, float]:
    """The mean squared error of the rows that were left out, and the mean logarithm of their targets' density."""
    X, y = task.X.iloc[test], task.y[test]
    return float(np.mean((found.predict(X) - y) ** 2)), float(np.mean(found.score_samples(X, y)))


def summary(path: Path) -> str:
    """A table of Markdown on all fits."""
    lines = written(path)
    both = [line for line in lines if "student" in line]
    student, gaussian = (np.array([line[noise] for line in both]) for noise in ("student", "gaussian"))
    ratio = np.log((student[:, 0] + FLOORS[False]) / (gaussian[:, 0] + FLOORS[False]))
    rows = {
        "fits": len([line for line in lines if "refused" not in line]),
        "tables refused, for no column can be used, times splits": len([line for line in lines if "refused" in line]),
        "fits that took Student's t": len(both),
        "their error with Student's t, in that with Gaussian noise, geometric mean": np.exp(ratio.mean()),
        "the same, median": np.exp(np.median(ratio)),
        "smaller errors with Student's t": (ratio < -_SAME).sum(),
        "larger errors with Student's t": (ratio > _SAME).sum(),
        "at most two thirds of the error": (ratio <= np.log(2.0 / 3.0)).sum(),
        "one and a half times the error or more": (ratio >= np.log(1.5)).sum(),
        "largest error with Student's t, in that with Gaussian noise": np.exp(ratio.max()),
        "density of a target, in that with Gaussian noise, median": np.exp(np.median(student[:, 1] - gaussian[:, 1])),
    }
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value:.4g} |" for name, value in rows.items())]) + "\n"


def main() -> None:
    """Append the lines that the file lacks, or sum it up."""
    asked = options(__doc__).parse_args()
    if asked.summary:
        sys.stdout.write(summary(asked.file))
        return
    warnings.simplefilter("ignore")
    done = {line["table"] for line in written(asked.file)}
    numbers = (task for task in tasks() if not task.classes)
    for k, task in enumerate(numbers):
        if k % asked.parts == asked.part and task.name not in done:
            lines = "".join(json.dumps(line) + "\n" for line in measured(task, asked.splits))
            with asked.file.open("a") as file:
                file.write(lines)


if __name__ == "__main__":
    main()
