"""What noise of Student's t, a noise of each row, and heavy tails about predictions are worth on tables of R's packages
that nobody chose.

The tables, targets and splits are those of `r_tables.py`, of numbers alone. Where a fit says that Student's t or a
noise of each row was taken, the same rows are learned with Gaussian noise of one size too; where only the intervals are
those of Student's t, they are compared with Gaussian ones. Both predict the rows that were left out: mean squared
errors of standardised targets, the mean logarithm of the density that is predicted at each target, and the shares of
the targets that lie in their intervals of 50 % and of 95 %.

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
from kernelopt._prediction._uneven import Uneven

_SAME = 0.02
"""Errors, and densities, whose ratio is nearer to 1 count as the same."""


def measured(task: Task, splits: int) -> Iterator[dict[str, Any]]:
    """A line for each split: what is learned with the default's noise and, where that is none of one size for all rows,
    with Gaussian.
    """
    for split, (train, test) in enumerate(ShuffleSplit(splits, test_size=0.25, random_state=0).split(task.X, task.y)):
        line: dict[str, Any] = {"table": task.name, "split": split}
        try:
            found = solved(task, train, "auto")
            taken = "rows" if isinstance(found.posterior, Uneven) else "student"
            if taken == "rows" or found.tails is not None:
                line[taken] = told(found, task, test)
                line["gaussian"] = told(solved(task, train, "gaussian"), task, test)
            elif found.posterior is not None and found.posterior.degrees is not None:
                line["tails"] = told(found, task, test)
                line["gaussian"] = told(solved(task, train, "gaussian"), task, test)
        except kernelopt.KerneloptError as error:
            line["refused"] = str(error)
        yield line


def solved(task: Task, train: np.ndarray, noise: Any) -> kernelopt.Solution:
    """The default, with this noise."""
    return kernelopt.solve(
        task.X.iloc[train], task.y[train], family="auto", criterion=kernelopt.Evidence(targets="numbers", noise=noise)
    )


def told(found: kernelopt.Solution, task: Task, test: np.ndarray) -> list[float]:
    """The mean squared error of the rows that were left out, the mean logarithm of their targets' density, and the
    shares of these that lie in intervals of 50 % and of 95 %.
    """
    X, y = task.X.iloc[test], task.y[test]
    ends = [found.predict_interval(X, share) for share in (0.5, 0.95)]
    inside = [float(np.mean((lower <= y) & (y <= upper))) for lower, upper in ends]
    return [float(np.mean((found.predict(X) - y) ** 2)), float(np.mean(found.score_samples(X, y))), *inside]


def summary(path: Path) -> str:
    """Tables of Markdown on all fits."""
    lines = written(path)
    rows = {
        "fits": len([line for line in lines if "refused" not in line]),
        "tables refused, for no column can be used, times splits": len([line for line in lines if "refused" in line]),
    }
    parts = [
        rows,
        _beside_gaussian(lines, "student", "Student's t"),
        _beside_gaussian(lines, "rows", "a noise of each row"),
        _tails_beside_gaussian(lines),
    ]
    return "\n".join("\n".join(["| | |", "|---|---|", *(_told(*one) for one in part.items())]) + "\n" for part in parts)


def _told(name: str, value: Any) -> str:
    return f"| {name} | {value:.4g} |"


def _beside_gaussian(lines: list[dict[str, Any]], taken: str, words: str) -> dict[str, Any]:
    """How the rows that were left out are predicted, in words and numbers, where a fit took another noise."""
    both = [line for line in lines if taken in line]
    if not both:
        return {f"fits that took {words}": 0}
    other, gaussian = (np.array([line[noise] for line in both]) for noise in (taken, "gaussian"))
    ratio = np.log((other[:, 0] + FLOORS[False]) / (gaussian[:, 0] + FLOORS[False]))
    rise = other[:, 1] - gaussian[:, 1]
    return {
        f"fits that took {words}": len(both),
        f"their error with {words}, in that with Gaussian noise, geometric mean": np.exp(ratio.mean()),
        "the same, median": np.exp(np.median(ratio)),
        "smaller errors": (ratio < -_SAME).sum(),
        "larger errors": (ratio > _SAME).sum(),
        "at most two thirds of the error": (ratio <= np.log(2.0 / 3.0)).sum(),
        "one and a half times the error or more": (ratio >= np.log(1.5)).sum(),
        "largest error, in that with Gaussian noise": np.exp(ratio.max()),
        "density of a target, in that with Gaussian noise, median": np.exp(np.median(rise)),
        "larger densities": (rise > _SAME).sum(),
        "smaller densities": (rise < -_SAME).sum(),
        "new targets in intervals of 95 %": other[:, 3].mean(),
        "the same with Gaussian noise": gaussian[:, 3].mean(),
    }


def _tails_beside_gaussian(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """How targets lie in their intervals where only these are of Student's t, in words and numbers."""
    both = [line for line in lines if "tails" in line]
    if not both:
        return {"fits with intervals of Student's t": 0}
    other, gaussian = (np.array([line[tails] for line in both]) for tails in ("tails", "gaussian"))
    rise = other[:, 1] - gaussian[:, 1]
    found: dict[str, Any] = {
        "fits with intervals of Student's t about predictions of Gaussian noise": len(both),
        "density of a target, in that with Gaussian intervals, median": np.exp(np.median(rise)),
        "larger densities": (rise > _SAME).sum(),
        "smaller densities": (rise < -_SAME).sum(),
        "smallest density, in that with Gaussian intervals": np.exp(rise.min()),
    }
    for name, place in (("50 %", 2), ("95 %", 3)):
        found[f"new targets in intervals of {name}"] = other[:, place].mean()
        found[f"Gaussian ones of {name}"] = gaussian[:, place].mean()
    return found


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
