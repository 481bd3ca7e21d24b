"""Solve random problems and say what is wrong with their answers.

python tests/api/random_problems/show.py 4711           this one, with all that there is to know
python tests/api/random_problems/show.py --count 2000   every fault, and tables of what became of these
python tests/api/random_problems/show.py --count 500 --first 2000 --processes 2
"""

import argparse
import sys
import time
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from random_problems.counts import paged, tables
from random_problems.drawn import drawn
from random_problems.verdict import judged

SLOW = 5.0
"""From so many seconds on a problem is named: it was told to end after three."""


def main():
    """Print one problem, or the tables of many."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seed", type=int, nargs="*")
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--page", type=Path)
    parser.add_argument("--processes", type=int, default=1)
    asked = parser.parse_args()
    for seed in asked.seed:
        problem = drawn(seed)
        sys.stdout.write(f"{problem}\n")
        verdict = judged(problem)
        sys.stdout.write(f"{verdict.status}\n" + "".join(f"  fault: {fault}\n" for fault in verdict.faults))
    if asked.count:
        seeds = range(asked.first, asked.first + asked.count)
        with get_context("spawn").Pool(asked.processes) as pool:
            verdicts = list(pool.imap(told, seeds))
        sys.stdout.write(tables(verdicts))
        if asked.page is not None:
            asked.page.write_text(paged(asked.page.read_text(encoding="utf-8"), verdicts), encoding="utf-8")


def told(seed):
    """The verdict on a problem; faults are printed at once."""
    began = time.monotonic()
    verdict = judged(drawn(seed))
    taken = time.monotonic() - began
    slow = (f"took {taken:.0f} s",) if taken > SLOW else ()
    for line in (*verdict.faults, *slow):
        sys.stderr.write(f"{seed} {verdict.family} | {verdict.criterion} | {verdict.solver}: {line}\n")
    return verdict


if __name__ == "__main__":
    main()
