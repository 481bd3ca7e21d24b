"""Small problems, and prediction under the evidence: python asv_benchmarks/small_table.py [--repeats 9].

Each line has the median of our CPU seconds, that of the peer where there is one, and their ratio peer / ours with its
goal, or the most seconds that it may take. The peers are scikit-learn's SVC, and TKL-0.9 under Octave, which is not run
from here: its sets are solved as it was compared on them, tessellated kernels to a relative gap of 1e-6, on the first
400 rows of banana and on four fifths of the others. These need KERNELOPT_DATA and are left out without it.
"""

import argparse
import os
import sys
import warnings
from collections.abc import Iterator
from functools import partial

import numpy as np
from _pair import medians
from sklearn.datasets import make_moons
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

import kernelopt
from kernelopt.plugin import FloatArray

SETS = ("raetsch_banana", "liver", "transfusion", "pima", "breast_wisconsin")
ONE = kernelopt.fixed("rbf")
REPEATS = 9
ROWS = 2000
"""New rows that are predicted."""


Row = tuple[str, float, float | None, float]
"""What is measured, our CPU seconds, those of the peer or the most that it may take (None where there is no peer), and
the ratio of the two that there should be at least."""


def pairs(quick: bool) -> Iterator[Row]:
    """What a table of all peers asks for: the lines, with small sizes alone where it is to be quick."""
    yield from rows(3 if quick else REPEATS, quick)


def rows(repeats: int = REPEATS, quick: bool = False) -> Iterator[Row]:
    """The lines of the table as they are measured; the sets of files are left out where it is to be quick."""
    X, y = make_moons(100, noise=0.2, random_state=0)
    fixed, machine = medians(partial(solved, X, y, ONE), partial(SVC().fit, X, y), repeats=repeats)
    yield "one Gaussian, 100 rows, and SVC.fit", fixed, machine, 0.85
    for family, name in {"tk": "tk", "auto": "auto with svc"}.items():
        (learned,) = medians(partial(solved, X, y, family), repeats=repeats)
        yield f"{name}, 100 rows, at most 8 ms", learned, 0.008, 1.0
    yield predicted(repeats)
    if not quick and os.environ.get("KERNELOPT_DATA"):
        for name in SETS:
            part, labels = part_of(name)
            (seconds,) = medians(partial(solved, part, labels, "tk", 1e-6), repeats=min(repeats, 5))
            yield f"{name}, tk to 1e-6, and TKL-0.9", seconds, None, 2.0


def predicted(repeats: int) -> Row:
    """Classes of new rows by the evidence's machine, whose support vectors are all rows, and by SVC."""
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(500, 8)), rng.normal(size=(ROWS, 8))
    y = np.sign(np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=500))
    ours, machine = kernelopt.solve(X, y), SVC().fit(X, y)
    first, second = medians(partial(ours.predict, Z), partial(machine.predict, Z), repeats=repeats)
    return f"{ROWS} rows predicted, evidence and SVC", first, second, 1.0


def solved(X: FloatArray, y: FloatArray, family: object, tol: float = 1e-3) -> kernelopt.Solution:
    """A support vector machine on kernels of the family."""
    return kernelopt.solve(X, y, family=family, criterion="svc", tol=tol)


def part_of(name: str) -> tuple[FloatArray, FloatArray]:
    """The first 400 rows of banana, four fifths of another set, chosen at random; and their labels."""
    data = kernelopt.datasets.load(name)
    n = len(data.y)
    chosen = np.arange(400) if name == "raetsch_banana" else np.random.default_rng(0).permutation(n)[: 4 * n // 5]
    return data.X[chosen].astype(float), data.y[chosen]


def main() -> None:
    """Print the table, line by line as it is measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--quick", action="store_true", help="without the sets of files")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    sys.stdout.write(f"{'':50} {'ours':>8} {'peer':>8} {'ratio':>6} {'goal':>6}\n")
    with threadpool_limits(1):
        for row in rows(asked.repeats, asked.quick):
            sys.stdout.write(f"{words(row)}\n")
            sys.stdout.flush()


def words(row: Row) -> str:
    """One line of the table."""
    name, ours, peer, goal = row
    if peer is None:
        return f"{name:50} {ours:8.4f} {'':8} {'':6} {goal:6.2f}  not installed"
    behind = "behind" if peer < goal * ours else ""
    return f"{name:50} {ours:8.4f} {peer:8.4f} {peer / ours:6.2f} {goal:6.2f}  {behind}".rstrip()


if __name__ == "__main__":
    main()
