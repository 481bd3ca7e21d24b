"""What it is worth to read dates: errors on the tables of R's packages that have a column of dates.

The tables, targets and splits are those of `r_tables.py`. Columns that kernelopt takes as dates are given to the
default as they are; as numbers of days, of which it does not know that they are dates; and as categories, which is what
text is otherwise. Boosting of scikit-learn gets the days, and once more the days with columns of the month, the weekday
and the hour beside them.

    python asv_benchmarks/dates_table.py FILE [--splits 2] [--part 0 --parts 2]
    python asv_benchmarks/dates_table.py FILE --later
    python asv_benchmarks/dates_table.py FILE --summary

With `--later` the rows to predict are the last quarter in time, of tables of numbers with 50 different dates or more.

One line for each table and method is appended to a file; a run that is stopped goes on where it was.
"""

import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pandas as pd
from r_tables import FLOORS, METHODS, SAME, Task, default, measured, options, tasks, written
from scipy.stats import gmean

from kernelopt.plugin import InvalidData, table_of

DIGITS = 3
"""Of the errors that are shown."""
SERIES, LAST = 50, 0.25
"""Of so many different dates a table says how well later rows are predicted, and this share of the rows are later."""


def dated(X: pd.DataFrame) -> dict[str, np.ndarray]:
    """The days of each column of dates."""
    try:
        table = table_of(X)
    except InvalidData:
        return {}
    return {name: table.numbers[:, j] for j, name in enumerate(X.columns) if j in table.dates}


def as_days(X: pd.DataFrame) -> pd.DataFrame:
    """Numbers in the place of dates."""
    return X.assign(**dated(X))


def as_categories(X: pd.DataFrame) -> pd.DataFrame:
    """Categories in the place of dates."""
    return X.assign(**{name: X[name].astype(str).astype("category") for name in dated(X)})


def with_calendar(X: pd.DataFrame) -> pd.DataFrame:
    """Numbers in the place of dates, and what the calendar says of them."""
    new: dict[str, pd.Series] = {}
    for name, days in dated(X).items():
        when = pd.Series(pd.to_datetime(days, unit="D"), index=X.index)
        new |= {f"{name}, {part}": getattr(when.dt, part) for part in ("month", "day_of_week", "hour")}
    return as_days(X).assign(**new)


def forecast(task: Task, form: str) -> dict[str, Any] | None:
    """A line as `measured` has it, where the rows to predict are the last in time; None where a table has none."""
    days = next(iter(dated(task.X).values()))
    if task.classes or len(np.unique(days[~np.isnan(days)])) < SERIES:
        return None
    method, change = FORMS[form]
    now = np.nanquantile(days, 1.0 - LAST)
    before, after = np.flatnonzero(days <= now), np.flatnonzero(days > now)
    line = {"table": task.name, "classes": False, "n": len(before), "refused": ""}
    try:
        found = method(attrs.evolve(task, X=change(task.X)), before, after)
    except ValueError as error:
        line["refused"], found = str(error)[:300], np.full(len(after), task.y[before].mean())
    return {**line, "errors": [float(np.mean((found - task.y[after]) ** 2))]}


def boosting(task: Task, train: np.ndarray, test: np.ndarray) -> np.ndarray:
    """That of `r_tables.py`; columns of which no value is known are nothing to it."""
    known = [name for name in task.X if task.X[name].iloc[train].notna().any()]
    return METHODS["boosting"](attrs.evolve(task, X=task.X[known]), train, test)


FORMS: dict[
    str, tuple[Callable[[Task, np.ndarray, np.ndarray], np.ndarray], Callable[[pd.DataFrame], pd.DataFrame]]
] = {
    "dates": (default, lambda X: X),
    "days": (default, as_days),
    "categories": (default, as_categories),
    "boosting, days": (boosting, as_days),
    "boosting, calendar": (boosting, with_calendar),
}
"""The machine, and what it gets, of each column of the table."""


def summary(path: Path) -> str:
    """A table of Markdown: the errors, a star where a method refused the table, and their geometric means."""
    found: dict[str, dict[str, Any]] = {}
    for line in written(path):
        found.setdefault(line["table"], {})[line["form"]] = line
    whole = {table: lines for table, lines in found.items() if len(lines) == len(FORMS)}
    told = [f"| | {' | '.join(FORMS)} |", "|---" * (len(FORMS) + 1) + "|"]
    ratios = []
    for table, lines in sorted(whole.items()):
        errors, floor = np.array([np.mean(lines[form]["errors"]) for form in FORMS]), FLOORS[lines["dates"]["classes"]]
        stars = ("*" if lines[form]["refused"] else "" for form in FORMS)
        shown = " | ".join(f"{error:.{DIGITS}g}{star}" for error, star in zip(errors, stars, strict=True))
        told.append(f"| {table} | {shown} |")
        ratios.append((errors + floor) / (errors[0] + floor))
    beside = np.array(ratios)
    counts = {
        "geometric mean, beside the first": gmean(beside, axis=0),
        "larger than the first by 3 % or more": (SAME * beside > 1.0).sum(axis=0),
        "smaller than the first by 3 % or more": (beside < SAME).sum(axis=0),
    }
    told += [
        f"| {words}, {len(whole)} tables | {' | '.join(f'{x:.3g}' for x in row)} |" for words, row in counts.items()
    ]
    return "\n".join([*told, ""])


def told(task: Task, form: str, splits: int, *, later: bool) -> dict[str, Any] | None:
    """A line of the file; None where a table has none."""
    if later:
        return forecast(task, form)
    METHODS[form], change = FORMS[form]
    return measured(attrs.evolve(task, X=change(task.X)), form, splits)


def main() -> None:
    """Append the lines that the file lacks, or sum it up."""
    parser = options(__doc__)
    parser.add_argument("--later", action="store_true")
    asked = parser.parse_args()
    if asked.summary:
        sys.stdout.write(summary(asked.file))
        return
    warnings.simplefilter("ignore")
    done = {(line["table"], line["form"]) for line in written(asked.file)}
    for k, task in enumerate(tasks()):
        if k % asked.parts != asked.part or not dated(task.X):
            continue
        for form in FORMS:
            line = None if (task.name, form) in done else told(task, form, asked.splits, later=asked.later)
            if line is not None:
                with asked.file.open("a") as file:
                    file.write(json.dumps({**line, "form": form}) + "\n")


if __name__ == "__main__":
    main()
