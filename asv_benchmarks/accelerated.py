"""The gap against the work: Frank-Wolfe's steps, accelerated primal-dual iterations, and a chain of both.

    python asv_benchmarks/accelerated.py [--C 1000] [--picture FILE]

With a double top eigenvalue of D(v) a single atom can be nearly best for ever: Frank-Wolfe's gap shrinks as 1/k.
"""

import argparse
import sys
from pathlib import Path

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


def courses(C: float) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Of each solver the work after each step, and the gap there."""
    found = {}
    for solver in ("plain-fw", "apd", "plain-fw+apd"):
        trace = solved(C, solver, STEPS[-1] if solver == "plain-fw" else 100).trace
        own = [record.step for record in trace] if solver == "plain-fw" else [work(record.note) for record in trace]
        counts = np.array(own) if solver == "plain-fw" else np.cumsum(own)
        found[solver] = counts, np.array([record.relative_gap for record in trace])
    return found


def table(counts: np.ndarray, gaps: np.ndarray, marks: tuple[int, ...]) -> str:
    """The gap after so much work, as far as the run went."""
    return "  ".join(f"{mark:4d}: {gaps[counts <= mark].min():.0e}" for mark in marks)


def drawn(found: dict[str, tuple[np.ndarray, np.ndarray]], path: Path) -> None:
    """The gaps against the work in logarithms, beside 1/k and 1/k^2."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 4.0), layout="constrained")
    axes = figure.subplots()
    for (solver, (counts, gaps)), style in zip(found.items(), ("o-", "s-", "^-"), strict=True):
        unit = "steps" if solver == "plain-fw" else "iterations"
        axes.loglog(counts[1:], gaps[1:], style, markersize=4, label=f"{solver}, {unit}")
    k = np.geomspace(10.0, 3000.0, 50)
    axes.loglog(k, 1e-1 / k, ":", color="0.5", label="1/k")
    axes.loglog(k, 1e2 / k**2, "--", color="0.5", label="1/k²")
    axes.set(xlabel="steps or iterations", ylabel="certified relative gap", ylim=(1e-9, 2.0))
    axes.legend(fontsize="small")
    figure.savefig(path)


def main() -> None:
    """Print three lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--C", type=float, default=100.0)
    parser.add_argument("--picture", type=Path)
    asked = parser.parse_args()
    found = courses(asked.C)
    for solver, (counts, gaps) in found.items():
        unit, marks = ("steps", STEPS) if solver == "plain-fw" else ("iterations", ITERATIONS)
        sys.stdout.write(f"{solver:14s} {unit:10s}  {table(counts, gaps, marks)}\n")
    if asked.picture:
        drawn(found, asked.picture)


if __name__ == "__main__":
    main()
