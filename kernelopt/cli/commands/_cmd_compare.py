"""The options of `kernelopt compare`."""

from typing import Annotated

import attrs
import typer

from kernelopt.cli import _options
from kernelopt.cli._guard import INTERRUPTED, MISTAKE, guarded, tell

Folds = Annotated[
    int | None, typer.Option(help="Measure errors in so many folds, in place of one held-out part.", metavar="NUMBER")
]
HeldOut = Annotated[
    float, typer.Option(help="The share of the rows that is held out to measure errors with.", metavar="SHARE")
]
Splits = Annotated[
    str | None,
    typer.Option(help="own: the training and test rows that the source of a data set fixes.", metavar="own"),
]


def compare(
    data: _options.Source,
    target: _options.Target = None,
    family: _options.Families = None,
    solver: _options.Solvers = None,
    criterion: _options.Criteria = None,
    folds: Folds = None,
    held_out: HeldOut = 0.3,
    splits: Splits = None,
    tol: _options.Tolerance = 1e-3,
    scale: _options.Scale = "auto",
    max_seconds: _options.MaxSeconds = None,
    max_steps: _options.MaxSteps = None,
    seed: _options.Seed = 0,
    ignore: _options.Ignore = None,
    groups: _options.Groups = None,
    view: _options.View = None,
    key: _options.Key = None,
    config: _options.Config = None,  # noqa: ARG001
    no_progress: _options.NoProgress = False,
    json: _options.Json = False,
) -> None:
    """Compare families and solvers on one data set: gaps, errors on other rows, seconds. Ctrl-C keeps what is there.

    Every family is tried with every solver and every criterion that is named. Without --family each criterion is tried
    with the family that kernelopt solve takes with it, and without --family and --criterion the evidence over the list
    auto is tried. Without --solver the solver is auto.
    """
    from kernelopt.cli import _json, _specs
    from kernelopt.cli.judging import _compare, _trials
    from kernelopt.cli.judging._watch import watching
    from kernelopt.cli.reading import _rows
    from kernelopt.cli.reading._joined import read_joined
    from kernelopt.cli.reading._read import called
    from kernelopt.cli.reading._view_columns import view_columns

    with guarded():
        criteria = _compare.criteria_for(family or [], criterion or [])
        tried = _compare.candidates(family or [], solver or [], criteria)
        learned = [_specs.parse_criterion(one) for one in criteria]
        rows = _rows.rows_of(read_joined(data, view or [], key), target, ignore or [], learned[0], groups, view or [])
        views = view_columns(view or [], rows.names)
        tried = tuple(attrs.evolve(one, views=views) for one in tried)
        tell(rows.notes)
        task = _rows.task_of(rows, learned)
        own = _trials.wants_own(splits, folds)
        parts = _trials.own_splits(data) if own else _trials.splits(rows, task, folds, held_out, seed)
        tell(() if own else _trials.lone_note(rows, task))
        with watching(len(tried), len(parts), wanted=not no_progress) as watch:
            limits = _specs.limits(tol=tol, scale=scale, max_seconds=max_seconds, max_steps=max_steps, seed=seed)
            comparison = _compare.compare(rows, task, tried, parts, watch, **limits)
        if json:
            _json.show({"data": data, "splits": len(parts), **_compare.as_mapping(comparison)})
        else:
            whole = "" if groups is None or own else f" of whole groups by {groups}"
            single = f"{len(parts[0][1])} of {len(rows.X)} rows held out"
            where = f"{len(parts)} splits of its own" if own else f"{len(parts)} folds" if folds else single
            _compare.show(comparison, f"{called(data)}: {where}{whole}, seed {seed}")
        if comparison.interrupted:
            raise typer.Exit(INTERRUPTED)
        if not any(entry.trials for entry in comparison.entries):
            raise typer.Exit(MISTAKE)
