"""What the number of trees and the step of boosting are worth, on sets where kernels of trees join the list.

The errors of the default on random 80/20 splits of at most 2000 rows, as `evidence_table.py` measures them, with trees
that differ: so many of them, each grown to what this share of every tree before it leaves of the targets. With a step
of 0 they are the trees of a random forest.

    KERNELOPT_DATA=... python asv_benchmarks/trees_table.py [--sets servo ann_thyroid ...] [--splits 3]
"""

import argparse
import sys
import warnings

from _sets import CLASSES
from evidence_table import in_words, measured

from kernelopt._families.dictionary.growth import _boosted_trees, _tree_kernels

SETS = ("servo", "ann_thyroid", "churn", "raetsch_splice")
ROWS = 2000
TREES = ((40, 0.0), (100, 0.0), (100, 0.03), (100, 0.1))
"""Pairs of their number and the step."""


def main() -> None:
    """Print a table of Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--splits", type=int, default=3)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    sys.stdout.write(f"| trees, step | {' | '.join(f'{trees}, {step:g}' for trees, step in TREES)} |\n")
    sys.stdout.write("|---" * (len(TREES) + 1) + "|\n")
    for name in asked.sets:
        cells = [error(name, trees, step, asked.splits) for trees, step in TREES]
        sys.stdout.write(f"| {name} | {' | '.join(cells)} |\n")
        sys.stdout.flush()


def error(name: str, trees: int, step: float, splits: int) -> str:
    """The mean error of a set and its deviation, in words."""
    _tree_kernels.TREES, _boosted_trees.STEP = trees, step
    _, _, mean, deviation, _ = measured(name, "auto", ROWS, splits).split()
    return in_words(float(mean), float(deviation), name in CLASSES)


if __name__ == "__main__":
    main()
