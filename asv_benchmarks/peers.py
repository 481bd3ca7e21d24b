"""Every pair of kernelopt and a peer that is installed, in one table.

    python asv_benchmarks/peers.py                   all pairs; KERNELOPT_DATA names the folder of the larger sets
    python asv_benchmarks/peers.py --quick           small sizes, some minutes
    python asv_benchmarks/peers.py qcqp sdp          those of the scripts whose names begin so

A script of this folder takes part if it defines `pairs(quick)`, which yields the lines of `_pair.Pair`. The columns are
CPU seconds of kernelopt and of the peer, their ratio peer / ours, and the ratio that it should have at least; "behind"
stands where the ratio is below its goal, "not installed" where the peer is missing.
"""

import argparse
import importlib
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

from _pair import Pair
from threadpoolctl import threadpool_limits


def scripts(names: list[str]) -> Iterator[str]:
    """The scripts that define pairs; with names, those that begin with one of them."""
    for file in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        chosen = not names or file.stem.startswith(tuple(names))
        if chosen and "\ndef pairs(" in file.read_text(encoding="utf-8"):
            yield file.stem


def line(pair: Pair) -> str:
    """One line of the table."""
    if pair.peer is None:
        return f"{pair.name:58} {pair.ours:9.4f} {'':9} {'':8} {pair.goal:6.3g}  not installed"
    ratio = pair.peer / pair.ours
    word = "behind" if ratio < pair.goal else ""
    return f"{pair.name:58} {pair.ours:9.4f} {pair.peer:9.4f} {ratio:8.2f} {pair.goal:6.3g}  {word}".rstrip()


def main() -> None:
    """Print the table, line by line as the pairs are measured, and how many are behind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="the beginnings of the names of scripts; without, all")
    parser.add_argument("--quick", action="store_true", help="small sizes alone")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    found = list(scripts(asked.names))
    if not found:
        parser.error(f"no script begins with {' or '.join(asked.names)}; there are {', '.join(scripts([]))}")
    say(f"{'pair':58} {'ours':>9} {'peer':>9} {'ratio':>8} {'goal':>6}")
    measured: list[Pair] = []
    with threadpool_limits(1):
        for name in found:
            for pair in importlib.import_module(name).pairs(asked.quick):
                measured.append(Pair(*pair))
                say(line(measured[-1]))
    behind = sum(pair.peer is not None and pair.peer < pair.goal * pair.ours for pair in measured)
    missing = sum(pair.peer is None for pair in measured)
    say(f"{len(measured)} pairs, {behind} behind, {missing} not installed")


def say(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
