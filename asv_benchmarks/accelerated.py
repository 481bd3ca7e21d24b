"""The gap against the work: Frank-Wolfe's steps, accelerated primal-dual iterations, and a chain of both.

    python asv_benchmarks/accelerated.py        C = 100
    python asv_benchmarks/accelerated.py 1000   another C

With a double top eigenvalue of D(v) a single atom can be nearly best for ever: Frank-Wolfe's gap shrinks as 1/k.
"""

import sys

import numpy as np
from benchmarks import _problems

import kernelopt

STEPS = (10, 30, 100, 300)
ITERATIONS = (100, 300, 1000, 3000)


def solved(C: float, solver: str, max_steps: int) -> kernelopt.Solution:
    """As far as the solver goes."""
    X, y, family = _problems.rough()
    machine = {"name": "svc", "C": C}
    return kernelopt.solve(X, y, family=family, criterion=machine, solver=solver, tol=1e-9, max_steps=max_steps)


def work(note: str) -> int:
    """The iterations that a step's note tells of."""
    words = note.removeprefix("apd: ").split()
    return int(words[0]) if words[1:2] == ["iterations"] else 0


def table(solution: kernelopt.Solution, counts: list[int], marks: tuple[int, ...]) -> str:
    """The gap after so much work, as far as the run went."""
    done = list(zip(counts, solution.trace, strict=True))
    cells = (min(record.relative_gap for count, record in done if count <= mark) for mark in marks)
    return "  ".join(f"{mark:4d}: {gap:.0e}" for mark, gap in zip(marks, cells, strict=True))


def main(C: float = 100.0) -> None:
    """Print three lines."""
    plain = solved(C, "plain-fw", STEPS[-1])
    steps = [record.step for record in plain.trace]
    sys.stdout.write(f"plain-fw       steps       {table(plain, steps, STEPS)}\n")
    for solver in ("apd", "plain-fw+apd"):
        one = solved(C, solver, 100)
        iterations = np.cumsum([work(record.note) for record in one.trace]).tolist()
        sys.stdout.write(f"{solver:14s} iterations  {table(one, iterations, ITERATIONS)}\n")


if __name__ == "__main__":
    main(*(float(word) for word in sys.argv[1:2]))
