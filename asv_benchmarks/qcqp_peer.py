"""A finite list by the solver qcqp, and the same program as it is written down in cvxpy, side by side.

    python asv_benchmarks/qcqp_peer.py             n = 200, m = 12
    python asv_benchmarks/qcqp_peer.py 800 24      some minutes, and 3 GiB

Needs cvxpy.
"""

import sys
from collections.abc import Iterator

from _pair import Pair
from benchmarks import _qcqp


def pairs(quick: bool) -> Iterator[Pair]:
    """The program as it is written down, in one or two sizes."""
    for n, m in [(_qcqp.ROWS, _qcqp.ATOMS)] if quick else [(_qcqp.ROWS, _qcqp.ATOMS), (400, 24)]:
        ours = sorted(_qcqp.cone(n, m).seconds for _ in range(3))[1]
        theirs = _qcqp.written(n, m).seconds if _qcqp.installed() else None
        yield Pair(f"n = {n}, {m} kernels, qcqp; cvxpy", ours, theirs, 20.0)


def main(n: int, m: int) -> None:
    """Print one line; kernelopt's seconds are the middle ones of three runs."""
    if not _qcqp.installed():
        sys.exit("qcqp_peer needs cvxpy: python -m pip install cvxpy")
    ours = sorted((_qcqp.cone(n, m) for _ in range(3)), key=lambda one: one.seconds)[1]
    theirs = _qcqp.written(n, m)
    difference = abs(ours.value - theirs.value) / abs(theirs.value)
    sys.stdout.write(f"n = {n}, m = {m}: qcqp {ours.value:.6f} in {ours.seconds:.2f} s, ")
    sys.stdout.write(f"cvxpy {theirs.value:.6f} in {theirs.seconds:.2f} s, ")
    sys.stdout.write(f"difference {difference:.0e}, {theirs.seconds / ours.seconds:.1f} times as long\n")


if __name__ == "__main__":
    sizes = tuple(int(word) for word in sys.argv[1:3]) or (_qcqp.ROWS, _qcqp.ATOMS)
    main(*sizes)
