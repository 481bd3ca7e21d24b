"""The optimum of one problem by the interior point and by semidefinite programs, side by side.

    python asv_benchmarks/sdp_peer.py          n = 50 and n = 100; the second takes a minute and more
    python asv_benchmarks/sdp_peer.py 30
    python asv_benchmarks/sdp_peer.py 277 --tol 1e-3     the interior point and the solver `sdp` alone
    python asv_benchmarks/sdp_peer.py liver pima         the same with four fifths of the rows of a data set
    python asv_benchmarks/sdp_peer.py pima --band 40     with `working-set` around `sdp`

With `--band` a program has the rows near the margin, at least so many, while the others are held on their bounds; the
answer is certified on all rows. `--tol` is the certified relative gap to reach, by default 1e-6. Needs cvxpy and
Clarabel. The program's seconds beside the interior point are Clarabel's own, without what cvxpy adds. The solver `sdp`
is compared with the whole program by hand, cvxpy included: it follows the same program, and certifies its answer.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator

from _pair import Pair
from benchmarks import _sdp

BY_HAND = 100
"""The program by hand is solved for so many rows at most: its time grows with the sixth power of their number."""


def pairs(quick: bool) -> Iterator[Pair]:
    """The interior point beside one semidefinite program; the goal at n = 50 is what was reached."""
    for n, goal in [(30, 10.0)] if quick else [(50, 28.0), (100, 200.0)]:
        ours = sorted(_sdp.saddle(n).seconds for _ in range(3))[1]
        theirs = _sdp.program(n).seconds if _sdp.installed() else None
        yield Pair(f"n = {n}, tk with svc to 1e-6; a semidefinite program", ours, theirs, goal)
    for n in (30,) if quick else (30, 50):
        by_hand = _sdp.program(n).whole if _sdp.installed() else None
        yield Pair(f"n = {n}, tk by the solver sdp; the program by hand", _sdp.semidefinite(n).whole, by_hand, 1.0)


def main(sizes: tuple[int | str, ...], tol: float, band: int | None, seconds: float | None) -> None:
    """Print one line for each n; the interior point's seconds are the middle ones of three runs."""
    if not _sdp.installed():
        sys.exit("sdp_peer needs cvxpy and clarabel: python -m pip install cvxpy clarabel")
    called = "sdp" if band is None else "working-set around sdp"
    for n in sizes:
        ours = sorted((_sdp.saddle(n, tol) for _ in range(3)), key=lambda one: one.seconds)[1]
        slow = _sdp.semidefinite(n, tol) if band is None else _sdp.of_few_rows(n, tol, band, seconds)
        short = "" if slow.converged else f", not converged: relative gap {slow.gap:.1e}"
        named = f"n = {n}" if isinstance(n, int) else f"{n}, n = {len(_sdp.rows(n)[0])}"
        sys.stdout.write(f"{named}: ipm {ours.value:.6f} in {ours.seconds:.3f} s, {called} {slow.value:.6f} in ")
        sys.stdout.write(f"{slow.whole:.2f} s{short}\n")
        if isinstance(n, int) and n <= BY_HAND:
            theirs = _sdp.program(n)
            difference = abs(ours.value - theirs.value) / abs(theirs.value)
            sys.stdout.write(f"    the program by hand {theirs.value:.6f} in {theirs.seconds:.2f} s, ")
            sys.stdout.write(f"with cvxpy {theirs.whole:.2f} s, relative difference {difference:.0e}\n")
        sys.stdout.flush()


def _size(text: str) -> int | str:
    return int(text) if text.isdigit() else text


if __name__ == "__main__":
    asked = ArgumentParser(description="The interior point beside semidefinite programs.")
    asked.add_argument(
        "sizes", nargs="*", type=_size, default=_sdp.ROWS, help="numbers of rows, or names of data sets of two classes"
    )
    asked.add_argument("--tol", type=float, default=_sdp.TOL, help="the certified relative gap to reach")
    asked.add_argument("--band", type=int, help="so many rows at least are in a program; all of them without it")
    asked.add_argument("--seconds", type=float, help="a time limit for a working set, by the clock")
    given = asked.parse_args()
    main(tuple(given.sizes), given.tol, given.band, given.seconds)
