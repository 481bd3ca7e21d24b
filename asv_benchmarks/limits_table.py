"""Whether `max_seconds` is kept: limit, wall and CPU seconds of a run for a table of cases, each in its own process.

    python asv_benchmarks/limits_table.py [--cases default-8000 ...] [--limits 10] [--stacks]

A case is a kind and a number of rows, such as "default-60000", "classes-20000" or "tk:fw-2000": a family and a solver.
"past" is what the run took beyond its limit, in wall seconds: a tenth of the limit, or one second, is allowed. With
--stacks the innermost lines of the library that ran after the limit, and what share of the time past it each took.
"""

import argparse
import collections
import subprocess
import sys
import threading
import time
import traceback
import warnings
from typing import Any

import numpy as np
from sklearn.datasets import make_friedman1

import kernelopt

CASES = (
    *(f"{kind}-{n}" for n in (1000, 4000, 8000, 16000, 60000) for kind in ("default", "classes")),
    *(f"{family}:{solver}-{n}" for n in (1000, 4000) for family in ("tk", "dictionary") for solver in ("fw", "apd",
      "ipm", "smo", "simplemkl")),
)  # fmt: skip
COLUMNS = 10
LOOK = 0.02
"""Seconds between two looks at what runs."""
LINES = 8
"""So many lines are shown."""


def main() -> None:
    """Print one line for each case and limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", nargs="+", default=CASES)
    parser.add_argument("--limits", nargs="+", type=float, default=[10.0])
    parser.add_argument("--stacks", action="store_true")
    parser.add_argument("--one", nargs=2)
    asked = parser.parse_args()
    if asked.one is not None:
        sys.stdout.write(measured(asked.one[0], float(asked.one[1]), stacks=asked.stacks))
        return
    for case in asked.cases:
        for limit in asked.limits:
            command = [sys.executable, __file__, "--one", case, str(limit), *["--stacks"] * asked.stacks]
            done = subprocess.run(command, check=False, capture_output=True, text=True)
            failed = done.returncode != 0
            sys.stdout.write(f"{case} {limit:g}: {done.stderr.splitlines()[-1]}\n" if failed else done.stdout)
            sys.stdout.flush()


def rows_of(case: str) -> tuple[np.ndarray, np.ndarray, dict[str, Any]]:
    """Rows, targets and what is asked for."""
    kind, n = case.rsplit("-", 1)
    X, y = make_friedman1(int(n), n_features=COLUMNS, noise=1.0, random_state=0)
    if kind == "default":
        return X, y, {}
    y = np.where(y > np.median(y), "more", "less")
    if kind == "classes":
        return X, y, {}
    family, solver = kind.split(":")
    return X, y, {"family": family, "solver": solver}


def measured(case: str, limit: float, *, stacks: bool) -> str:
    """One line, and those of the library that ran after the limit."""
    warnings.simplefilter("ignore")
    X, y, asked = rows_of(case)
    kernelopt.solve(X[:200], y[:200], **asked)  # what is imported and compiled at first
    watch = Watch(limit)
    if stacks:
        threading.Thread(target=watch.looks, daemon=True).start()
    wall, cpu = time.monotonic(), time.process_time()
    s = kernelopt.solve(X, y, **asked, max_seconds=limit)
    wall, cpu = time.monotonic() - wall, time.process_time() - cpu
    watch.over = True
    c = s.certificate
    line = f"{case:20} limit {limit:6g}  wall {wall:6.1f}  CPU {cpu:6.1f}  past {max(wall - limit, 0.0):5.1f}"
    late = "  LATE" if wall > limit + max(0.1 * limit, 1.0) else ""
    return f"{line}  {s.status.name.lower():20} gap {c.upper - c.lower:9.3g}{late}\n{watch.shown()}"


class Watch:
    """Looks, after a limit, at the thread that made it."""

    def __init__(self, limit: float) -> None:
        self.over = False
        self._late, self._thread = time.monotonic() + limit, threading.get_ident()
        self._seen: collections.Counter[str] = collections.Counter()

    def looks(self) -> None:
        """Until the run is over."""
        while not self.over:
            time.sleep(LOOK)
            if time.monotonic() > self._late:
                self._seen[self._line()] += 1

    def _line(self) -> str:
        stack = traceback.extract_stack(sys._current_frames()[self._thread])  # noqa: SLF001
        ours = [f"{one.filename.rsplit('/', 1)[-1]}:{one.lineno}" for one in stack if "kernelopt" in one.filename]
        return " > ".join(ours[-LINES:])

    def shown(self) -> str:
        """The lines that were seen the most."""
        total = max(sum(self._seen.values()), 1)
        return "".join(f"    {count / total:5.0%} {line}\n" for line, count in self._seen.most_common(LINES))


if __name__ == "__main__":
    main()
