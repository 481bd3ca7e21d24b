"""The work of `kernelopt solve`: a kernel is learned, and its errors are measured on held-out rows."""

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import attrs

import kernelopt
from kernelopt._base._errors import InvalidOption, KerneloptError
from kernelopt._base._interrupts import Gate
from kernelopt._model._solution import Solution
from kernelopt._prediction._errors import measure
from kernelopt.cli._guard import say
from kernelopt.cli._job import Job
from kernelopt.cli.judging import _check
from kernelopt.cli.judging._check_plan import Plan
from kernelopt.sklearn._beside import Part

_MOMENT = 5.0
"""Seconds that nobody has to be told of before they go."""


def run(job: Job, *, checkpoint: Path | None, **options: Any) -> Solution:
    """Solve the job."""
    X, y = (job.rows.X, job.rows.y) if job.blocks is None else (job.blocks, None)
    groups = job.rows.learned_groups(options.get("family"), options.get("criterion"))
    solution = kernelopt.solve(X, y, checkpoint=checkpoint, groups=groups, **options).named(job.rows.names)
    return attrs.evolve(solution, notes=(*job.rows.notes, *solution.notes))


def checked(job: Job, gate: Gate, run: Solution, *, stopped: bool, seed: int, **options: Any) -> _check.Check:
    """How well held-out rows are predicted, where there are any; Ctrl-C ends it, and so does what cannot be learned.

    Args:
        job: what was asked.
        gate: opened while it is measured.
        run: what was learned from all rows; it says about how long this will take.
        stopped: whether the user has interrupted the run, and waits for nothing more.
        seed: of everything random.
        **options: of `kernelopt.solve`.
    """
    found: list[Part] = []
    parts: Iterable[Part] = ()
    plan, reason = job.plan, "the run was interrupted" if stopped else job.plan.reason
    interrupted, began = False, time.monotonic()
    if plan.number and not stopped:
        from kernelopt.cli.judging._measure import (
            parts_of,  # its rivals are those of scikit-learn, which takes seconds to load
        )

        _foretell(plan, run.seconds)
        parts = parts_of(plan, job.rows, job.task, {**options, "seed": seed})
    try:
        with gate.opened():
            for part in parts:
                # Those that are finished stay when the next one is interrupted.
                found.append(part)  # noqa: PERF402
    except KeyboardInterrupt:
        interrupted, reason = True, "it was interrupted"
        done = f"after {len(found)} of {plan.number} folds" if plan.folds else "before the held-out rows were predicted"
        say(f"interrupted {done}")
    except KerneloptError as error:
        reason = str(error)
        say(f"warning: the check on held-out rows came to no end: {error}")
    return _check.Check(job.task, plan, tuple(found), interrupted, reason, time.monotonic() - began)


def _foretell(plan: Plan, seconds: float) -> None:
    """Say what is measured, and how long it takes, where that is more than a moment; learning again takes as long."""
    expected = seconds * max(plan.number - 1, 1)
    if expected < _MOMENT:
        return
    what = f"in {plan.number} folds" if plan.folds else "on rows that are held out"
    say(
        f"measuring errors {what}, for which is learned anew: about {expected:.0f} s; Ctrl-C ends it, and --no-check "
        "leaves it out"
    )


def of_folds(check: _check.Check) -> dict[str, Any] | None:
    """The errors in the folds that were finished, as `kernelopt compare` measures them; None without folds."""
    if not check.plan.folds:
        return None
    return {"measure": measure(check.task), "errors": check.errors, "interrupted": check.interrupted}


def of_views(job: Job, solution: Solution) -> dict[str, Any]:
    """The share of each view as plain values, where there are views and each has kernels of its own."""
    try:
        return {"views": solution.views()} if job.views else {}
    except InvalidOption:  # without targets one kernel sees all views
        return {}


def shares(job: Job, solution: Solution) -> dict[str, str]:
    """The same in words."""
    found = of_views(job, solution).get("views")
    return {"views": ", ".join(f"{name} {share:.0%}" for name, share in found.items())} if found else {}
