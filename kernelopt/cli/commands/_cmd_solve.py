"""The options of `kernelopt solve`."""

from pathlib import Path
from typing import Annotated

import typer

from kernelopt.cli import _options
from kernelopt.cli._completion import files, tables
from kernelopt.cli._guard import INTERRUPTED, guarded

Folds = Annotated[
    int | None,
    typer.Option(help="Measure errors in so many folds.", show_default="5 up to 500 rows", metavar="NUMBER"),
]
HeldOut = Annotated[
    float | None,
    typer.Option(
        help="Measure errors on such a share of the rows, in place of folds.",
        show_default="0.2 above 500 rows",
        metavar="SHARE",
    ),
]
NoCheck = Annotated[
    bool,
    typer.Option(
        "--no-check",
        help="Measure no errors. To measure them, the machine is learned again without the held-out rows, which takes "
        "about as long as the run, and four times as long with 5 folds.",
    ),
]
Predict = Annotated[str | None, typer.Option(help="A file of rows to predict.", metavar="DATA", autocompletion=tables)]
Out = Annotated[
    Path | None,
    typer.Option(help="The CSV file that the predictions are written to.", metavar="FILE", autocompletion=files),
]
Save = Annotated[
    Path | None,
    typer.Option(help="Save the model to this file, for kernelopt predict.", metavar="FILE", autocompletion=files),
]
Checkpoint = Annotated[
    Path | None,
    typer.Option(
        help="A file that keeps the best so far; the same command continues from it.",
        metavar="FILE",
        autocompletion=files,
    ),
]


def solve(
    data: _options.MaybeSource = None,
    target: _options.Target = None,
    family: _options.Family = None,
    solver: _options.Solver = "auto",
    criterion: _options.Criterion = "auto",
    tol: _options.Tolerance = 1e-3,
    scale: _options.Scale = "auto",
    max_seconds: _options.MaxSeconds = None,
    max_steps: _options.MaxSteps = None,
    seed: _options.Seed = 0,
    ignore: _options.Ignore = None,
    groups: _options.Groups = None,
    view: _options.View = None,
    key: _options.Key = None,
    folds: Folds = None,
    held_out: HeldOut = None,
    no_check: NoCheck = False,
    predict: Predict = None,
    out: Out = None,
    save: Save = None,
    checkpoint: Checkpoint = None,
    config: _options.Config = None,
    no_progress: _options.NoProgress = False,
    json: _options.Json = False,
) -> None:
    """Learn a kernel from a data file. Ctrl-C ends the run with the best answer so far."""
    from kernelopt.cli import _answer, _job, _outcome, _places, _predictions, _solve, _specs
    from kernelopt.cli.reading._view_columns import on_views

    with guarded() as gate:
        _places.require_places(
            {"--save": save, "--checkpoint": checkpoint, "--out": out},
            {"DATA": data, "--predict": predict, "--config": config},
            views=view or [],
            streams=["--out"],
        )
        limits = _specs.limits(tol=tol, scale=scale, max_seconds=max_seconds, max_steps=max_steps, seed=seed)
        if view and family is None and criterion == "auto":
            criterion = "evidence"  # as where views are passed to kernelopt.solve
        asked = {**_specs.parsed(family, solver, criterion), **limits, "progress": not no_progress}
        job = _job.read_job(
            data,
            target,
            ignore or [],
            criterion=asked["criterion"],
            family=family,
            groups=groups,
            views=view or [],
            key=key,
            predict=predict,
            out=out,
            folds=folds,
            held_out=held_out,
            check=not no_check,
            seed=seed,
        )
        asked["family"] = on_views(job.views, asked["family"])
        with gate.shut():  # once there is an answer, Ctrl-C may cost what is told of it, but not the answer
            solution = _solve.run(job, checkpoint=checkpoint, **asked)
            if save is not None:
                _outcome.keep(save, solution)
            stopped = gate.asked or solution.status.name == "INTERRUPTED"
            measured = _solve.checked(job, gate, solution, stopped=stopped, **asked)
            scores, columns = _outcome.outcome(job, solution, gate)
            if job.out is not None and columns is not None:
                _predictions.save(job.out, columns)
            _answer.tell(job, solution, scores, measured, json=json)
        if stopped or gate.asked or measured.interrupted:
            raise typer.Exit(INTERRUPTED)
