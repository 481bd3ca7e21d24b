"""The options of `kernelopt solve`."""

from pathlib import Path
from typing import Annotated

import typer

from kernelopt.cli import _options
from kernelopt.cli._guard import INTERRUPTED, guarded

Folds = Annotated[int | None, typer.Option(help="Also the error in so many folds.", min=2)]
Predict = Annotated[str | None, typer.Option(help="A file of rows to predict.")]
Out = Annotated[Path | None, typer.Option(help="Where the predictions go, as CSV.")]
Save = Annotated[Path | None, typer.Option(help="Where the model goes, for kernelopt predict.")]
Checkpoint = Annotated[Path | None, typer.Option(help="Keeps the best so far; a later run goes on from it.")]


def solve(
    data: _options.Source,
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
    folds: Folds = None,
    predict: Predict = None,
    out: Out = None,
    save: Save = None,
    checkpoint: Checkpoint = None,
    config: _options.Config = None,  # noqa: ARG001
    no_progress: _options.NoProgress = False,
    json: _options.Json = False,
) -> None:
    """Learn a kernel from a data file. Ctrl-C ends the run with the best answer so far."""
    from kernelopt.cli import _json, _report, _solve, _specs

    with guarded() as gate:
        _solve.require_place("--save", save)
        learned = _specs.parse_criterion(criterion)
        job = _solve.read_job(
            data, target, ignore or [], criterion=learned, predict=predict, out=out, folds=folds, seed=seed
        )
        options = {
            "family": _specs.parse_family(family),
            "solver": _specs.parse_solver(solver),
            "criterion": learned,
            **_specs.limits(tol=tol, scale=scale, max_seconds=max_seconds, max_steps=max_steps, seed=seed),
            "progress": not no_progress,
        }
        with gate.shut():  # once there is an answer, Ctrl-C may cost what is told of it, but not the answer
            solution = _solve.run(job, checkpoint=checkpoint, **options)
            if save is not None:
                _solve.keep(save, solution)
            stopped = gate.asked or solution.status.name == "INTERRUPTED"
            errors = {} if stopped else _solve.folds(job, gate, **options)
            scores, columns = _solve.outcome(job, solution, gate)
            if json:
                _json.show({**_report.as_mapping(solution), "scores": scores, "folds": errors or None})
            else:
                _report.show(solution, data, _solve.in_words(job, scores, errors))
            if job.out is not None and columns is not None:
                _solve.save(job.out, columns)
        if stopped or gate.asked or errors.get("interrupted"):
            raise typer.Exit(INTERRUPTED)
