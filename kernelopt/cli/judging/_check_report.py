"""What was measured on held-out rows, for a reader and for a program."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.text import Text

from kernelopt.cli._layout import Column, Grid, Row
from kernelopt.cli.judging._check import Check
from kernelopt.sklearn._beside import OURS
from kernelopt.sklearn._verdict import TITLES, caution, spoken


def lines(check: Check, *, kept: bool = True) -> dict[str, str]:
    """The lines of the report: which rows were held out and from which was learned, or why nothing was; and a caution.

    Args:
        check: what was measured.
        kept: whether another machine is kept, which has learned from all rows.
    """
    if not check.parts:
        return {"held out": f"nothing, so no error on new rows is known: {check.reason}"}
    warning = caution(check.task, check.parts)
    return {"held out": _held_out(check, kept), **({} if warning is None else {"caution": warning})}


def _held_out(check: Check, kept: bool) -> str:
    plan = check.plan
    how = "groups kept whole, " if plan.whole else "stratified, " if plan.stratified else ""
    split = f"({how}seed {plan.seed})"
    all_rows = "; the machine that is kept learned from all rows" if kept else ""
    lone = "".join(f"; {note.removeprefix('held out: ')}" for note in plan.notes)
    took = f"{lone}; measuring took {check.seconds:.1f} s" if check.seconds else lone
    if plan.folds:
        some = "" if len(check.parts) == plan.number else f", of which {len(check.parts)} were finished"
        whole = f"{plan.rows} rows in {plan.number} folds {split}{some}"
        return f"{whole}: each was predicted by machines that learned from the others{all_rows}{took}"
    (part,) = check.parts
    learned = f"predicted by machines that learned from the other {part.learned}"
    return f"{part.held} of {plan.rows} rows {split}: {learned}{all_rows}{took}"


def table(check: Check) -> Grid | None:
    """The machines side by side, means over folds with their deviations; None where nothing was measured."""
    if not check.parts:
        return None
    keys = list(check.scores(OURS)[0])
    rows = []
    for name in check.names:
        scores = check.scores(name)
        cells = (Text(spoken(key, [part[key] for part in scores])) for key in keys)
        rows.append(Row((Text(name), *cells), "bold" if name == OURS else ""))
    return Grid(
        (Column("on held-out rows", names=True), *(Column(TITLES[key], number=True) for key in keys)), tuple(rows)
    )


def as_mapping(check: Check) -> dict[str, Any]:
    """The same for a program."""
    plan = check.plan
    machines = []
    for name in check.names:
        scores = check.scores(name)
        means = {key: _mean([part[key] for part in scores]) for key in scores[0]}
        machines.append({"machine": name, **means, "by_part": scores})
    return {
        "rows": plan.rows,
        "held_out": [part.held for part in check.parts],
        "folds": plan.folds,
        "seed": plan.seed,
        "notes": list(plan.notes),
        "machines": machines,
        "no_better_than_one_answer": check.no_better if check.parts else None,
        "caution": caution(check.task, check.parts),
        "interrupted": check.interrupted,
        "reason": check.reason,
        "seconds": check.seconds,
    }


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if len(known) == len(values) else None
