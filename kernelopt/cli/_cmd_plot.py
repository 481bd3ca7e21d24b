"""The options of `kernelopt plot`."""

from pathlib import Path
from typing import Annotated

import typer

from kernelopt.cli import _options
from kernelopt.cli._guard import INTERRUPTED, guarded, say

Out = Annotated[Path, typer.Option(help="Where the picture goes: .png, .pdf, .svg, ...", show_default=False)]
Picture = Annotated[
    str,
    typer.Option(help="overview, convergence, weights, atoms, features, decision, regression or grams."),
]
Columns = Annotated[list[str] | None, typer.Option(help="A column that varies, for decision and regression; again.")]


def plot(
    data: _options.Source,
    out: Out,
    picture: Picture = "overview",
    column: Columns = None,
    target: _options.Target = None,
    family: _options.Family = "tk",
    solver: _options.Solver = "auto",
    criterion: _options.Criterion = "auto",
    tol: _options.Tolerance = 1e-3,
    scale: _options.Scale = "auto",
    max_seconds: _options.MaxSeconds = None,
    max_steps: _options.MaxSteps = None,
    seed: _options.Seed = 0,
    ignore: _options.Ignore = None,
    config: _options.Config = None,  # noqa: ARG001
    no_progress: _options.NoProgress = False,
    json: _options.Json = False,
) -> None:
    """Learn a kernel from a data file and draw it. Needs matplotlib. Ctrl-C draws the best answer so far."""
    from kernelopt.cli import _json, _plot, _report, _solve, _specs

    with guarded():
        learned = _specs.parse_criterion(criterion)
        _solve.require_folder("--out", out)
        job = _solve.read_job(data, target, ignore or [], criterion=learned)
        columns = _plot.check(picture, out, column or [], job.rows)
        solution = _solve.run(
            job,
            checkpoint=None,
            family=_specs.parse_family(family),
            solver=_specs.parse_solver(solver),
            criterion=learned,
            **_specs.limits(tol=tol, scale=scale, max_seconds=max_seconds, max_steps=max_steps, seed=seed),
            progress=not no_progress,
        )
        _plot.draw(picture, out, solution, job.rows, columns)
        say(f"{picture} drawn into {out}")
        if json:
            _json.show({**_report.as_mapping(solution), "picture": picture, "out": str(out)})
        else:
            typer.echo(str(out))
        if solution.status.name == "INTERRUPTED":
            raise typer.Exit(INTERRUPTED)
